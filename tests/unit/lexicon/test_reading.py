"""Texts as terms."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import InvalidInput
from saccade.lexicon import Lexicon, Meaning, read
from saccade.lexicon.reading import LONGEST


def said(text: str) -> list[tuple[str, bool]]:
    return [(term.word, term.wanted) for term in read(text).terms]


def test_the_longest_known_phrase_is_one_term():
    """A golden retriever is neither golden nor merely a retriever."""
    assert said("two golden retrievers and a hot dog") == [
        ("two", True),
        ("golden retriever", True),
        ("hot dog", True),
    ]


def test_a_minus_means_not():
    """Of the next word or of a phrase in quotation marks; inside a word it is a hyphen."""
    assert said('dogs -cats -"hot dog"') == [("dog", True), ("cat", False), ("hot dog", False)]
    assert said("t-shirt") == [("t-shirt", True)]


def test_a_phrase_does_not_reach_over_a_sign():
    """The dog of `hot -dog` is not wanted, and not hot."""
    assert said("hot -dog")[-1] == ("dog", False)


@pytest.mark.parametrize(
    ("text", "colour"), [("red bus", "red"), ("gray cat", "grey"), ("an orange car", "orange")]
)
def test_a_colour_beside_a_thing_is_a_colour(text: str, colour: str):
    """Also where it could be a fruit."""
    first, second = read(text).wanted
    assert (first.colour, dict(first.kinds)) == (colour, {})
    assert second.kinds


def test_a_colour_that_is_a_kind_alone_is_both():
    """Who types orange may mean either."""
    (term,) = read("orange").wanted
    assert term.colour == "orange"
    assert term.kinds


def test_a_colour_in_the_name_of_a_kind_is_no_colour():
    """Red wine is one thing."""
    (term,) = read("red wine").wanted
    assert (term.word, term.colour) == ("red wine", "")


def test_a_slip_of_the_pen_is_mended_and_said():
    """A letter doubled or not, or two letters swapped, in a word that is not known otherwise."""
    for typed, meant in (("water lilly", "water lily"), ("girafe", "giraffe"), ("hosre", "horse")):
        (term,) = read(typed).wanted
        assert (term.word, term.mended) == (meant, True)
    assert not read("mice").terms[0].mended


def test_a_word_that_nobody_knows_is_kept():
    """It may be a name, a tag, or something to be taught."""
    for text in ("xqzzyv", "собака", "犬", "🦩", "2019"):
        (term,) = read(text).wanted
        assert term.text == text
        assert not term.understood


def test_capitals_underscores_and_signs_do_not_matter():
    """A folder's name is as good as a word."""
    assert said("Traffic_Lights!") == said("traffic lights") == [("traffic light", True)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("003.fire-truck", ["fire truck"]),
        ("001.Black_footed_Albatross", ["black-footed albatross"]),
        ("pizza-crab", ["pizza", "crab"]),
        ("x-ray", ["x-ray"]),
        ("summer-2019", ["summer-2019"]),
        ("3.5 dogs", ["3.5", "dog"]),
    ],
)
def test_the_name_of_a_folder_is_read(text: str, words: list[str]):
    """A number in front is left out; hyphens part words that are known, and no others."""
    assert [term.word for term in read(text).wanted] == words


def test_signs_that_nobody_sees_hide_no_word():
    """Marks of direction come along when a text is copied from elsewhere."""
    assert said("\u202epiz\u200bza") == [("pizza", True)]


def test_the_word_to_teach_is_what_is_wanted():
    """In the singular, without what is not wanted."""
    assert read("Red ROSES -people").word == "red rose"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty text"),
        (" \n\t", "empty text"),
        ("the of and", "nothing to look for"),
        ("-- ;;; '", "nothing to look for"),
        ("-dog -cat", "only says what is not wanted"),
        ("a" * (LONGEST + 1), "characters; at most"),
        ("dog\x00cat", "control characters"),
        ("\x1b[31mdog", "control characters"),
    ],
)
def test_what_says_nothing_is_an_error_that_says_so(text: str, message: str):
    """Each with a sentence of its own."""
    with pytest.raises(InvalidInput, match=message):
        read(text)


def test_something_that_is_no_text_is_an_error():
    """Bytes are not words."""
    with pytest.raises(InvalidInput, match="bytes"):
        read(b"dog")  # type: ignore[arg-type]


def test_a_guess_counts_less_beside_a_name():
    """In `ceiling fan` the fan decides; alone a guess counts by what is behind it."""
    both = read("ceiling fan")
    ceiling, fan = both.wanted
    assert both.weight(fan) == 1.0
    alone = read("ceiling")
    assert both.weight(ceiling) < alone.weight(alone.wanted[0]) <= 1.0


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str):
    """Nothing but a clear error, and what is read reads again as the same word."""
    try:
        meaning = read(text, Lexicon.shipped())
    except InvalidInput:
        return
    assert isinstance(meaning, Meaning)
    assert meaning.wanted
    assert all(0.0 < meaning.weight(term) <= 1.0 for term in meaning.terms)

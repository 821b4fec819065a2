"""What a picture shows, in words."""

from __future__ import annotations

from saccade.lexicon import describe

INDIAN, AFRICAN, PIZZA = 385, 386, 963


def test_several_kinds_of_one_thing_are_that_thing():
    """Half one elephant and half the other: an elephant, with the sum of both."""
    said = {one.word: one.probability for one in describe([INDIAN, AFRICAN], [0.45, 0.4])}
    assert round(said["elephant"], 2) == 0.85
    assert said["Asian elephant"] == 0.45


def test_one_sure_kind_needs_no_other_word():
    """Where nothing is added, nothing above it is said."""
    assert [one.word for one in describe([PIZZA], [0.97])] == ["pizza"]


def test_doubtful_kinds_get_a_common_word():
    """Twelve breeds of all sorts with a twentieth each are no breed, and a dog."""
    dogs = list(range(151, 269, 10))
    found = describe(dogs, [0.05] * len(dogs))
    assert found[0].word == "dog"
    assert not [one for one in found if one.kind >= 0]


def test_what_is_said_is_likely_first_and_not_too_much():
    """By probability, at most as many as asked for, none below the bound."""
    found = describe([INDIAN, AFRICAN, PIZZA], [0.3, 0.3, 0.2], most=2)
    assert len(found) == 2
    assert found[0].probability >= found[1].probability
    assert all(one.probability >= 0.1 for one in describe([INDIAN, PIZZA], [0.5, 0.05]))


def test_nothing_likely_is_nothing_said():
    """A picture that could not be seen shows nothing."""
    assert describe([0, 0], [0.0, 0.0]) == []


def test_nothing_is_more_than_certain():
    """Kept probabilities are rounded: those of one thing may add up to a little more than 1."""
    said = describe([386, 385], [0.7, 0.32])
    assert (said[0].word, said[0].probability) == ("elephant", 1.0)

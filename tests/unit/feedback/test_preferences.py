from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.feedback.preferences import ALONE, EACH, Judged, preferences, stated

PAGE = tuple("abcdef")


@pytest.mark.parametrize(
    ("new", "earlier", "expected"),
    [
        (Judged(("c",), ("a",)), Judged(), {"ca"}),
        (Judged(("c", "d"), ("a", "b")), Judged(), {"ca", "cb", "da", "db"}),
        (Judged(liked=("a",)), Judged(), set()),
        (Judged(liked=("c",)), Judged(), {"ca", "cb"}),
        (Judged(liked=("f",)), Judged(), {"fe", "fd", "fc"}),
        (Judged(disliked=("f",)), Judged(), set()),
        (Judged(disliked=("d",)), Judged(), {"ed", "fd"}),
        (Judged(disliked=("a",)), Judged(), {"ba", "ca", "da"}),
        (Judged(liked=("c",)), Judged(disliked=("x",)), {"cx"}),
        (Judged(disliked=("c",)), Judged(liked=("x",)), {"xc"}),
        (Judged(liked=("c",)), Judged(liked=("a",)), {"cb"}),
        # What was said before and stands is not said again.
        (Judged(liked=("c",)), Judged(("a",), ("b",)), {"cb"}),
        # A new word on a picture replaces the old one.
        (Judged(liked=("c",)), Judged(disliked=("c",)), {"ca", "cb"}),
        (Judged(("a",), ("b",)), Judged(("b",), ("a",)), {"ab"}),
    ],
)
def test_reactions_become_pairs(new: Judged, earlier: Judged, expected: set[str]) -> None:
    """Liked over disliked; else over what was skipped above, or under what was left below."""
    assert {a + b for a, b in preferences(PAGE, new, earlier)} == expected


judgements = st.builds(
    lambda marks: Judged(
        tuple(i for i, m in zip(PAGE, marks, strict=True) if m == 1),
        tuple(i for i, m in zip(PAGE, marks, strict=True) if m == 2),
    ),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
)


@given(judgements, judgements)
@settings(max_examples=300)
def test_nobody_is_better_than_themselves_or_than_someone_liked(
    new: Judged, earlier: Judged
) -> None:
    """No pair twice, none against what was just said, every loser not liked now."""
    pairs = preferences(PAGE, new, earlier)
    assert len(set(pairs)) == len(pairs)
    assert not stated(new, earlier) or pairs
    for winner, loser in pairs:
        assert winner != loser
        assert (loser, winner) not in pairs
        assert loser not in new.liked
        assert winner not in new.disliked


def test_a_wrong_among_thirty_right_is_in_a_handful_of_pairs() -> None:
    """One ✕ teaches no more than any other mark: at most `EACH` pairs, with its neighbours."""
    page = tuple(f"{i:02}" for i in range(30))
    pairs = preferences(page, Judged(page[:20] + page[21:], page[20:21]), Judged())
    assert len(pairs) == EACH
    assert {winner for winner, _ in pairs} == {"17", "18", "19", "21", "22"}


@pytest.mark.parametrize("kind", ["liked", "disliked"])
def test_a_mark_alone_reads_only_a_handful_into_a_long_page(kind: str) -> None:
    """A lone ✕ on a page of a hundred is `ALONE` pairs, with its neighbours, and not 99."""
    page = tuple(str(i) for i in range(100))
    pairs = preferences(page, Judged(**{kind: ("50",)}), Judged())
    near = {"49", "48", "47"} if kind == "liked" else {"51", "52", "53"}
    assert len(pairs) == ALONE
    assert {image for pair in pairs for image in pair} == {"50", *near}


def test_in_very_many_judgements_everyone_takes_part_and_nobody_rules() -> None:
    """Two hundred of each kind in turns: each is in some pairs, none in more than `EACH`."""
    page = tuple(f"{i:03}" for i in range(400))
    pairs = preferences(page, Judged(page[::2], page[1::2]), Judged())
    count = Counter(image for pair in pairs for image in pair)
    assert set(count) == set(page)
    assert max(count.values()) == EACH
    assert len(pairs) > 0.9 * EACH * 200

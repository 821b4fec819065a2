from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.feedback.preferences import MOST, Judged, preferences

PAGE = tuple("abcdef")


@pytest.mark.parametrize(
    ("new", "earlier", "expected"),
    [
        (Judged(("c",), ("a",)), Judged(), {"ca"}),
        (Judged(("c", "d"), ("a", "b")), Judged(), {"ca", "cb", "da", "db"}),
        (Judged(liked=("a",)), Judged(), set()),
        (Judged(liked=("c",)), Judged(), {"ca", "cb"}),
        (Judged(disliked=("f",)), Judged(), set()),
        (Judged(disliked=("d",)), Judged(), {"ed", "fd"}),
        (Judged(liked=("c",)), Judged(disliked=("x",)), {"cx"}),
        (Judged(disliked=("c",)), Judged(liked=("x",)), {"xc"}),
        (Judged(liked=("c",)), Judged(liked=("a",)), {"cb"}),
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
@settings(derandomize=True, max_examples=300)
def test_nobody_is_better_than_themselves_or_than_someone_liked(
    new: Judged, earlier: Judged
) -> None:
    """No pair twice, none against what was just said, every loser not liked now."""
    pairs = preferences(PAGE, new, earlier)
    assert len(set(pairs)) == len(pairs)
    for winner, loser in pairs:
        assert winner != loser
        assert (loser, winner) not in pairs
        assert loser not in new.liked
        assert winner not in new.disliked


def test_very_many_judgements_are_thinned_evenly() -> None:
    """Everyone who was judged still takes part."""
    page = tuple(str(i) for i in range(400))
    pairs = preferences(page, Judged(page[:200], page[200:]), Judged())
    assert len(pairs) == MOST == len(set(pairs))
    assert {winner for winner, _ in pairs} == set(page[:200])
    assert len({loser for _, loser in pairs}) > 20

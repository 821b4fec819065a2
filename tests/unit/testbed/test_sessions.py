"""Simulated sessions, measured on orders that can be counted by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from saccade.testbed.sessions import answering, measured, played

IDS = [f"{i:02d}" for i in range(40)]
RELEVANT = set(IDS[1::2])


class Listening:
    """Puts what was liked first and what was disliked last; the rest stays."""

    def __init__(self) -> None:
        self.heard: list[tuple[list[str], list[str]]] = []

    def begin(self) -> Sequence[str]:
        return IDS

    def judge(self, liked: Sequence[str], disliked: Sequence[str]) -> Sequence[str]:
        self.heard.append((list(liked), list(disliked)))
        up = [i for likes, _ in self.heard for i in likes]
        down = [i for _, dislikes in self.heard for i in dislikes]
        rest = [i for i in IDS if i not in up and i not in down]
        return [*up, *rest, *down]


def test_each_round_judges_the_best_that_are_not_judged() -> None:
    """Ten at a time, from the top of the newest order, each once."""
    system = Listening()
    rounds = played(system, RELEVANT, answering(0.0, np.random.default_rng(0)), rounds=3, each=10)
    judged = [sorted([*likes, *dislikes]) for likes, dislikes in system.heard]
    assert judged == [IDS[:10], IDS[10:20], IDS[20:30]]
    assert [r.judged for r in rounds] == [10, 20, 30]
    assert all(set(likes) <= RELEVANT for likes, _ in system.heard)
    assert not any(set(dislikes) & RELEVANT for _, dislikes in system.heard)


def test_a_session_ends_when_everything_is_judged() -> None:
    """Forty pictures are four rounds, whatever was asked for."""
    rounds = played(Listening(), RELEVANT, answering(0.0, np.random.default_rng(0)), rounds=9)
    assert len(rounds) == 4
    assert rounds[-1].whole == 1.0


def test_marks_alone_leave_the_rest_as_it_was() -> None:
    """The whole gains from what was said; the unjudged rest is compared with itself."""
    rounds = played(Listening(), RELEVANT, answering(0.0, np.random.default_rng(0)), rounds=2)
    assert rounds[0].whole > rounds[0].whole_start
    assert all(r.gain == 0.0 and r.new == 0 for r in rounds)
    assert all(r.first == r.first_start for r in rounds)


def test_the_rest_leaves_the_judged_out_of_both_orders() -> None:
    """Worked by hand: after `b` is judged, `a c` becomes `c a`."""
    found = measured("abc", "bca", {"b"}, {"c"})
    assert (found.rest_start, found.rest) == (0.5, 1.0)
    assert (found.whole_start, found.whole) == (pytest.approx(1 / 3), 0.5)
    assert found.gain == 0.5


def test_new_pictures_among_the_first_twenty_are_counted() -> None:
    """Three from below the fold replace three."""
    order = [*IDS[30:33], *[i for i in IDS if i not in IDS[30:33]]]
    assert measured(IDS, order, set(), RELEVANT).new == 3


def test_wrong_answers_come_as_often_as_said() -> None:
    """A share of one is always wrong; a third is about a third, and seeded."""
    always = answering(1.0, np.random.default_rng(0))
    assert always("a", True) is False
    said = [answering(0.3, np.random.default_rng(i))("a", True) for i in range(1000)]
    assert 0.25 < said.count(False) / 1000 < 0.35

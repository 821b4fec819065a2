"""Choosers as a fold over the log: stopped and taken up anywhere, the same bits."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.engine.configurations.fold import ChooserFold, fresh
from saccade.engine.configurations.records import AUTO, NAME, VOTE, Reward
from saccade.engine.events import Attached, Entry, Lesson, Reacted
from saccade.engine.learning.axis import Axis
from saccade.engine.recipe import Recipe

RECIPE = Recipe(("lbp",))
FAMILY = ("a", "b", "c")
NOTHING = Lesson((), (), (), np.zeros((0, 0), np.float32), np.zeros((0, 2), np.int32), stated=False)
LOSS = st.floats(0, 1)
LED = st.builds(
    lambda served, loss: Reward(AUTO, FAMILY, (0, 1, 2), tuple(loss), served),
    st.integers(-1, 3),  # some of which cannot be
    st.lists(LOSS, min_size=3, max_size=3),
)
EXPERTS = st.builds(
    lambda asked, loss: Reward(VOTE, FAMILY, tuple(asked), tuple(loss[: len(asked)])),
    st.lists(st.integers(0, 2), min_size=1, unique=True),
    st.lists(LOSS, min_size=3, max_size=3),
)
REWARDS = st.lists(
    st.tuples(st.sampled_from("stuvwxyz"), st.one_of(st.none(), LED, EXPERTS)), max_size=30
)


def attached(reward: Reward | None) -> Attached:
    return {} if reward is None else {NAME: reward.encode()}


def entries(rewards: list[tuple[str, Reward | None]]) -> list[Entry]:
    return [
        Entry(number, 0.0, "ana", session, "", Reacted((), (), NOTHING, attached=attached(reward)))
        for number, (session, reward) in enumerate(rewards, 1)
    ]


def folded(fold: ChooserFold, some: list[Entry]) -> ChooserFold:
    for one in some:
        fold.apply(one, Axis())
    return fold


def digest(fold: ChooserFold) -> str:
    body, arrays = fold.dump()
    mark = hashlib.sha256(json.dumps(body, sort_keys=True).encode())
    for name in sorted(arrays):
        mark.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return mark.hexdigest()


@given(REWARDS, st.integers(0, 30))
def test_taken_up_from_a_snapshot_it_goes_on_with_the_same_bits(
    rewards: list[tuple[str, Reward | None]], at: int
) -> None:
    """Dumped, loaded and continued equals never stopped; a copy in between changes nothing."""
    log = entries(rewards)
    whole = folded(ChooserFold(RECIPE), log)
    first = folded(ChooserFold(RECIPE), log[:at])
    before = digest(first)
    second = ChooserFold(RECIPE)
    second.load(*first.dump())
    assert digest(folded(first.copy(), log[at:])) == digest(folded(second, log[at:]))
    assert digest(second) == digest(whole)
    assert digest(first) == before


@given(REWARDS)
def test_a_session_is_paid_once(rewards: list[tuple[str, Reward | None]]) -> None:
    """What a session's first sound reward taught is all that it teaches."""
    log = entries(rewards)
    first: dict[str, Entry] = {}
    for one in log:
        assert isinstance(one.record, Reacted)
        held = one.record.attached.get(NAME)
        if held is not None and Reward.decode(*held).sound:
            first.setdefault(one.session_id, one)
    few = [one for one in log if first.get(one.session_id) is one]
    assert digest(folded(ChooserFold(RECIPE), log)) == digest(folded(ChooserFold(RECIPE), few))
    doubled = [replace(one, event_id=one.event_id + 100) for one in log]
    twice = folded(ChooserFold(RECIPE), log + doubled)
    assert digest(twice) == digest(folded(ChooserFold(RECIPE), few))


@given(st.lists(st.lists(LOSS, min_size=3, max_size=3), max_size=60))
def test_auto_is_behind_the_usual_ranking_by_its_bound_at_most(lost: list[list[float]]) -> None:
    """On any stream, and one search more."""
    standing, everyone = fresh(AUTO, FAMILY), np.ones(3, np.bool_)
    behind = 0.0
    for losses in lost:
        served = standing.leader(everyone)
        standing = standing.paid(Reward(AUTO, FAMILY, (0, 1, 2), tuple(losses), served))
        behind += losses[served] - losses[0]
    assert standing.excess == pytest.approx(behind)
    assert behind <= standing.allowed + 1.0


def test_a_fresh_auto_serves_the_usual_ranking_and_learns_better() -> None:
    """It stays with it while nothing is better, and leaves it when another loses much less."""
    everyone = np.ones(3, np.bool_)
    for better, wanted in ((0, 0), (2, 2)):
        standing = fresh(AUTO, FAMILY)
        assert standing.leader(everyone) == 0
        for _ in range(20):
            losses = tuple(0.05 if place == better else 0.5 for place in range(3))
            served = standing.leader(everyone)
            standing = standing.paid(Reward(AUTO, FAMILY, (0, 1, 2), losses, served))
        assert standing.leader(everyone) == wanted

"""Choosers as a fold over the log: stopped and taken up anywhere, the same bits."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saccade.engine.choice import BANDIT, EXPERT, Reward
from saccade.engine.events import Entry, Lesson, Reacted
from saccade.engine.learning.axis import Axis
from saccade.engine.learning.choosing import Choosers
from saccade.engine.recipe import Recipe

RECIPE = Recipe(("lbp",))
FAMILY = ("a", "b", "c")
NOTHING = Lesson((), (), (), np.zeros((0, 0), np.float32), np.zeros((0, 2), np.int32), stated=False)
LOSS = st.floats(0, 1)
CHANCE = st.floats(0, 1)  # zero among them
BANDITS = st.builds(
    lambda arm, loss, chance: Reward(BANDIT, FAMILY, (arm,), (loss,), chance),
    st.integers(0, 2), LOSS, CHANCE,
)  # fmt: skip
EXPERTS = st.builds(
    lambda asked, loss: Reward(EXPERT, FAMILY, tuple(asked), tuple(loss[: len(asked)]), 1.0),
    st.lists(st.integers(0, 2), min_size=1, unique=True),
    st.lists(LOSS, min_size=3, max_size=3),
)
REWARDS = st.lists(
    st.tuples(st.sampled_from("stuvwxyz"), st.one_of(st.none(), BANDITS, EXPERTS)), max_size=30
)


def entries(rewards: list[tuple[str, Reward | None]]) -> list[Entry]:
    return [
        Entry(number, 0.0, "ana", session, "", Reacted((), (), NOTHING, reward=reward))
        for number, (session, reward) in enumerate(rewards, 1)
    ]


def folded(fold: Choosers, some: list[Entry]) -> Choosers:
    for one in some:
        fold.apply(one, Axis())
    return fold


def digest(fold: Choosers) -> str:
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
    whole = folded(Choosers(RECIPE), log)
    first = folded(Choosers(RECIPE), log[:at])
    before = digest(first)
    second = Choosers(RECIPE)
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
        if one.record.reward is not None and one.record.reward.sound:
            first.setdefault(one.session_id, one)
    few = [one for one in log if first.get(one.session_id) is one]
    assert digest(folded(Choosers(RECIPE), log)) == digest(folded(Choosers(RECIPE), few))
    doubled = [replace(one, event_id=one.event_id + 100) for one in log]
    assert digest(folded(Choosers(RECIPE), log + doubled)) == digest(folded(Choosers(RECIPE), few))

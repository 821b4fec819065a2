"""The choosers of a collection: which configuration its people are served best by.

Each reaction to a page that a chooser ranked carries what the page lost and the chance it had. Of
one search the first reaction that stands counts, and no other: a session is one draw. A chooser
learns among one family of configurations; with other vocabularies there is another, fresh one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import choosers
from saccade.engine.choice import BANDIT, Reward
from saccade.engine.events import Entry, Reacted
from saccade.engine.learning.axis import Axis
from saccade.engine.recipe import Recipe
from saccade.types import State

Family = tuple[str, ...]


class Choosers:
    """One bandit and one expert chooser a family, for everybody."""

    kinds = frozenset(["reacted"])

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._held: dict[tuple[str, Family], Any] = {}
        self._rewarded: frozenset[str] = frozenset()

    def of(self, chooser: str, family: Family) -> Any:
        """The chooser among a family; a fresh one where nothing was learned. Do not change it."""
        found = self._held.get((chooser, family))
        return choosers.make(chooser, experts=len(family)) if found is None else found

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Pay the chooser of a page, once a session."""
        assert isinstance(entry.record, Reacted)
        reward = entry.record.reward
        if reward is None or not reward.sound or entry.session_id in self._rewarded:
            return
        # A copy: whoever ranks a page now keeps the chooser they began with.
        chooser = self.of(reward.chooser, reward.family).copy()
        _pay(chooser, reward)
        self._held[reward.chooser, reward.family] = chooser
        self._rewarded |= {entry.session_id}

    def copy(self) -> Choosers:
        """An independent copy; choosers are replaced and not changed, so it is cheap."""
        twin = Choosers(self._recipe)
        twin._held, twin._rewarded = dict(self._held), self._rewarded
        return twin

    def dump(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The whole state; nothing where nothing was learned."""
        if not self._held:
            return {}, {}
        body: list[dict[str, Any]] = []
        arrays: dict[str, NDArray[Any]] = {
            "choosers/rewarded": np.array(sorted(self._rewarded), np.bytes_)
        }
        for number, (name, family) in enumerate(sorted(self._held)):
            state = self._held[name, family].dump()
            body.append({"kind": name, "family": list(family), "spec": dict(state.spec)})
            arrays |= {f"choosers/{number}/{key}": a for key, a in state.arrays.items()}
        return {"choosers": body}, arrays

    def load(self, body: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take on what `dump` gave."""
        if "choosers" not in body:
            return
        rewarded = arrays["choosers/rewarded"].tolist()
        self._rewarded = frozenset(session.decode() for session in rewarded)
        for number, one in enumerate(body["choosers"]):
            start = f"choosers/{number}/"
            mine = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
            state = State(one["kind"], one["spec"], mine)
            self._held[one["kind"], tuple(one["family"])] = choosers.load(state)


def _pay(chooser: Any, reward: Reward) -> None:
    if reward.chooser == BANDIT:
        chooser.update(reward.asked[0], reward.losses[0], probability=reward.probability)
        return
    losses, present = np.zeros(len(reward.family)), np.zeros(len(reward.family), np.bool_)
    losses[list(reward.asked)], present[list(reward.asked)] = reward.losses, True
    chooser.update(losses, present=present)

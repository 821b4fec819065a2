"""The choosers of a collection: which configuration its people are served best by.

Each reaction to a page that a chooser ranked says what every configuration would have lost on the
pictures that were marked. Of one search the first reaction that stands counts, and no other. A
chooser learns among one family of configurations; with other vocabularies there is another, fresh
one. There is one for everybody, and one for each person who taught it often enough: who looks for
the same thing again is not who looks for things of a kind.

The usual ranking is the first of every family, and the one that is served while nothing is known.
Another is served only while it leads by Hedge's weights, and while what that has cost so far is
within a bound:

    Σ loss(served) − Σ loss(usual) ≤ ALLOWED · (1 + √T) + 1        on any stream, by construction
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from saccade import choosers
from saccade.choosers import heaviest
from saccade.choosers.hedge import Hedge
from saccade.engine.configurations.records import AUTO, NAME, VOTE, Reward
from saccade.engine.events import Entry, Reacted
from saccade.engine.learning.axis import Axis
from saccade.engine.names import visits
from saccade.engine.recipe import Recipe
from saccade.engine.request import GUEST
from saccade.types import Array, Arrays, Encoded, Spec, State

Family = tuple[str, ...]
EVERYBODY = ""
KIND: Final = "hedge"
FIRST = 0.5
"""The weight of the usual ranking at first, where one is served; all others share the rest."""
OWN = 5
"""Searches after which a person is served by what they alone have taught."""
ALLOWED = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class ChooserStanding:
    """What one chooser knows."""

    weights: Hedge  # do not change it
    excess: float = 0.0  # what was served has lost so much more than the usual ranking would have

    @property
    def rounds(self) -> int:
        """Searches that taught it."""
        return int(self.weights.rounds)

    @property
    def allowed(self) -> float:
        """What it may lose before it serves the usual ranking alone."""
        return ALLOWED * (1.0 + math.sqrt(self.rounds))

    def leader(self, present: NDArray[np.bool_]) -> int:
        """The configuration to serve, among those present; the usual ranking always is."""
        return 0 if self.excess >= self.allowed else heaviest(self.weights.among(present))

    def paid(self, reward: Reward) -> ChooserStanding:
        """After one more search."""
        losses, present = np.zeros(len(reward.family)), np.zeros(len(reward.family), np.bool_)
        losses[list(reward.asked)], present[list(reward.asked)] = reward.losses, True
        weights = self.weights.copy()
        weights.update(losses, present=present)
        compared = reward.served > 0 and present[0]
        excess = float(losses[reward.served] - losses[0]) if compared else 0.0
        return ChooserStanding(weights, self.excess + excess)


def fresh(chooser: str, family: Family) -> ChooserStanding:
    """A chooser that knows nothing: it serves the usual ranking, and lets all vote alike."""
    prior = None
    if chooser == AUTO and len(family) > 1:
        prior = [FIRST] + [(1.0 - FIRST) / (len(family) - 1)] * (len(family) - 1)
    return ChooserStanding(choosers.make(KIND, experts=len(family), prior=prior))


class ChooserFold:
    """Who serves the best configuration and who weighs a vote, a family; for all, and for each."""

    kinds = frozenset((Reacted.kind,))

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._standings: dict[tuple[str, Family, str], ChooserStanding] = {}
        self._rewarded: frozenset[str] = frozenset()

    def of(self, chooser: str, family: Family, user: str = EVERYBODY) -> ChooserStanding:
        """The chooser that serves a person among a family: their own, or everybody's."""
        own = self._standings.get((chooser, family, user))
        if own is not None and own.rounds >= OWN:
            return own
        everybody = self._standings.get((chooser, family, EVERYBODY))
        return fresh(chooser, family) if everybody is None else everybody

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Pay the chooser of a page, once a session."""
        assert isinstance(entry.record, Reacted)
        attached = entry.record.attached.get(NAME)
        if attached is None or entry.session_id in self._rewarded or visits(entry.user):
            return
        reward = Reward.decode(*attached)
        if not reward.sound:
            return
        for user in {EVERYBODY, EVERYBODY if entry.user == GUEST else entry.user}:
            key = reward.chooser, reward.family, user
            self._standings[key] = (self._standings.get(key) or fresh(*key[:2])).paid(reward)
        self._rewarded |= {entry.session_id}

    def copy(self) -> ChooserFold:
        """An independent copy; what choosers know is replaced and not changed, so it is cheap."""
        twin = ChooserFold(self._recipe)
        twin._standings, twin._rewarded = dict(self._standings), self._rewarded
        return twin

    def dump(self) -> Encoded:
        """The whole state; nothing where nothing was learned."""
        if not self._standings:
            return {}, {}
        body: list[dict[str, Any]] = []
        arrays: dict[str, Array] = {
            "choosers/rewarded": np.array(sorted(self._rewarded), np.bytes_)
        }
        for number, (name, family, user) in enumerate(sorted(self._standings)):
            standing = self._standings[name, family, user]
            state = standing.weights.dump()
            one = {"chooser": name, "family": list(family), "user": user}
            body.append({**one, "spec": dict(state.spec)})
            arrays |= {f"choosers/{number}/{key}": a for key, a in state.arrays.items()}
            arrays[f"choosers/{number}/excess"] = np.array([standing.excess])
        return {"choosers": body}, arrays

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        if "choosers" not in body:
            return
        rewarded = arrays["choosers/rewarded"].tolist()
        self._rewarded = frozenset(session.decode() for session in rewarded)
        for number, one in enumerate(body["choosers"]):
            start = f"choosers/{number}/"
            mine = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
            excess = float(mine.pop("excess")[0])
            weights = Hedge.load(State(KIND, one["spec"], mine))
            self._standings[one["chooser"], tuple(one["family"]), one["user"]] = ChooserStanding(
                weights, excess
            )


__all__ = ["AUTO", "VOTE", "ChooserFold", "ChooserStanding", "fresh"]

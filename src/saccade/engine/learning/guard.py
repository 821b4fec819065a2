"""The guard of each person, and of all together: how far what is learned may be served.

Each event that carries what the experts said before it is charged to them: the share of its pairs
that each had in the wrong order. A person's own guard says how their pages are mixed; the one of
all together is there to be looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.choosers.guard import Guard, losses
from saccade.engine.events import Entry, Preferred, Reacted
from saccade.engine.learning.axis import Axis
from saccade.engine.recipe import Recipe
from saccade.types import ExpertStanding, GuardReport, State

EVERYBODY = ""
"""Nobody's name: names of people are not empty."""


class Guards:
    """One guard a person, and one for everybody."""

    kinds = frozenset(["reacted", "preferred"])

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._guards: dict[str, Guard] = {}

    def of(self, user: str) -> Guard:
        """A person's guard; someone who said nothing has a fresh one. It must not be changed."""
        return self._guards.get(user, Guard())

    @property
    def everybody(self) -> Guard:
        """The guard over all events."""
        return self.of(EVERYBODY)

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Charge the experts with one event."""
        assert isinstance(entry.record, Reacted | Preferred)
        proof = entry.record.evidence
        if proof is None:
            return
        told = proof.opinions
        lost = losses(np.column_stack([told.scores, told.served]), proof.liked, proof.new)
        if lost is None:
            return
        *each, served = lost.tolist()
        for user in (entry.user, EVERYBODY):
            # A copy: whoever ranks a page now keeps the guard they began with.
            guard = Guard.load(self._guards[user].dump()) if user in self._guards else Guard()
            guard.learn(told.stage, dict(zip(told.experts, each, strict=True)), served)
            self._guards[user] = guard

    def copy(self) -> Guards:
        """An independent copy; guards are replaced and not changed, so it is cheap."""
        twin = Guards(self._recipe)
        twin._guards = dict(self._guards)
        return twin

    def dump(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The whole state; nothing where nothing was learned."""
        if not self._guards:
            return {}, {}
        body: dict[str, Any] = {}
        arrays: dict[str, NDArray[Any]] = {}
        for number, user in enumerate(sorted(self._guards)):
            state = self._guards[user].dump()
            body[user] = dict(state.spec)
            arrays |= {f"guard/{number}/{name}": a for name, a in state.arrays.items()}
        return {"guard": body}, arrays

    def load(self, body: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take on what `dump` gave."""
        for number, user in enumerate(sorted(body.get("guard", {}))):
            start = f"guard/{number}/"
            mine = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
            self._guards[user] = Guard.load(State("guard", body["guard"][user], mine))


def report(guard: Guard) -> GuardReport:
    """A guard's numbers, for people."""
    verdict, shares, margins = guard.verdict(), guard.shares(), guard.margins()
    events = max(1, verdict.events)
    return GuardReport(
        events=verdict.events,
        served=verdict.served / events,
        plain=verdict.plain / events,
        margin=verdict.gain,
        deviation=verdict.deviation,
        pays=verdict.pays,
        trusted=verdict.trusted,
        experts=tuple(
            ExpertStanding(name, there, lost / there, shares[name], *margins[name])
            for name, (lost, there) in guard.standing().items()
        ),
    )

"""The guard of each person, and of all together: how far what is learned may be served.

Each event that carries what the experts said before it is charged to them: the share of its pairs
that each had in the wrong order. A person's own guard says how their pages are mixed; the one of
all together is there to be looked at.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from saccade.choosers.guard import Guard, losses
from saccade.engine.events import Entry, Feedback, Preferred, Reacted
from saccade.engine.learning.axis import Axis
from saccade.engine.names import visits
from saccade.engine.recipe import Recipe
from saccade.types import Array, Arrays, Encoded, ExpertStanding, GuardReport, Spec, State

EVERYBODY = ""
"""Nobody's name: names of people are not empty."""


class GuardFold:
    """One guard a person, and one for everybody."""

    kinds: frozenset[str] = frozenset((Reacted.kind, Preferred.kind))
    name: ClassVar[str] = "guard"
    """Under which it is kept: there may be one for events of another kind."""

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
        assert isinstance(entry.record, Feedback)
        judged = entry.record.heard()
        if judged is None:
            return
        opinions = judged.opinions
        lost = losses(np.column_stack([opinions.scores, opinions.served]), judged.liked, judged.new)
        if lost is None:
            return
        *each, served = (entry.record.counts() * lost).tolist()
        for user in (entry.user,) if visits(entry.user) else (entry.user, EVERYBODY):
            # A copy: whoever ranks a page now keeps the guard they began with.
            guard = Guard.load(self._guards[user].dump()) if user in self._guards else Guard()
            guard.learn(opinions.stage, dict(zip(opinions.experts, each, strict=True)), served)
            self._guards[user] = guard

    def copy(self) -> Self:
        """An independent copy; guards are replaced and not changed, so it is cheap."""
        twin = type(self)(self._recipe)
        twin._guards = dict(self._guards)
        return twin

    def dump(self) -> Encoded:
        """The whole state; nothing where nothing was learned."""
        if not self._guards:
            return {}, {}
        body: dict[str, Any] = {}
        arrays: dict[str, Array] = {}
        for number, user in enumerate(sorted(self._guards)):
            state = self._guards[user].dump()
            body[user] = dict(state.spec)
            arrays |= {f"{self.name}/{number}/{name}": a for name, a in state.arrays.items()}
        return {self.name: body}, arrays

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        for number, user in enumerate(sorted(body.get(self.name, {}))):
            start = f"{self.name}/{number}/"
            mine = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
            self._guards[user] = Guard.load(State("guard", body[self.name][user], mine))


def report(guard: Guard) -> GuardReport:
    """A guard's numbers, for people; shares are among the experts that had something to say."""
    verdict, shares, margins = guard.verdict(), guard.shares(), guard.margins()
    standing, events = guard.standing(), max(1, verdict.events)
    together = sum(shares[name] for name in standing) or 1.0
    return GuardReport(
        events=verdict.events,
        served=verdict.served / events,
        plain=verdict.plain / events,
        margin=verdict.gain,
        deviation=verdict.deviation,
        pays=verdict.pays,
        trusted=verdict.trusted,
        experts=tuple(
            ExpertStanding(name, there, lost / there, shares[name] / together, *margins[name])
            for name, (lost, there) in standing.items()
        ),
    )

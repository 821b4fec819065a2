"""Which schemes count, learned so that it cannot hurt: small steps, bounds, no negative weight.

    δ_u        what person u taught: the mean weights of an online learner over their pairs, less
               the start it began with (`scale` is the sum of the start's weights there)
    shared     start + (1 − 1 / people) Σ_u δ_u / (people + crowd)        of one person: nothing
    served_u   start + (n δ_u + trust δ_shared) / (n + trust)       n events of u
    all of them clipped at 0

Nobody's learner sees another's, so forgetting someone takes away just their δ, and the personal
part does not learn again what everybody's has. The numbers are in the recipe (`lasting`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from saccade import rankers
from saccade.engine.events import Entry, Preferred, Reacted
from saccade.engine.learning.axis import Axis, lesson_of, padded
from saccade.engine.learning.counts import Counts, Vector
from saccade.engine.names import visits
from saccade.engine.recipe import Recipe
from saccade.types import Array, Arrays, Encoded, Spec, State


@dataclass(frozen=True, slots=True)
class PersonWeights(Counts):
    """What one person taught: their learner at rest, and what it has moved."""

    learner: State | None = None
    moved: Vector = field(default_factory=lambda: np.zeros(0, np.float32))


class WeightFold:
    """Weights over the schemes of the axis, within bounds."""

    kinds = frozenset((Reacted.kind, Preferred.kind))

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self.own: dict[str, PersonWeights] = {}
        self._axis = Axis()
        self._scale = 1.0  # from the axis' prior to what the learners start with
        self._sum: Vector = np.zeros(0, np.float32)  # of what everybody moved, visitors apart
        self._people = 0  # who that is, in number

    @property
    def _options(self) -> Spec:
        return self._recipe.lasting

    # -- serving -------------------------------------------------------------------------------

    @property
    def shared(self) -> Vector:
        """Everybody's weights over the axis."""
        return self._clipped(self._crowd())

    def served(self, user: str) -> Vector:
        """The weights over the axis that rank a user's pages."""
        own, crowd = self.own.get(user), self._crowd()
        if own is None:
            return self._clipped(crowd)
        trust, events = np.float32(self._options["trust"]), np.float32(own.events)
        mine = events * padded(own.moved, len(crowd)) + trust * crowd
        return self._clipped(np.asarray(mine / (events + trust), np.float32))

    def personal(self, user: str) -> Vector:
        """What sets a user's weights apart from everybody's."""
        return self.served(user) - self.shared

    def _crowd(self) -> Vector:
        """What strangers are served beyond the start: nothing before a second person taught."""
        people = self._people
        share = np.float32(
            (people - 1) / (people * (people + self._options["crowd"])) if people else 0.0
        )
        return np.asarray(padded(self._sum, len(self._axis.schemes)) * share, np.float32)

    def _clipped(self, moved: Vector) -> Vector:
        scale = np.float32(self._scale)
        weights = np.maximum(self._axis.prior * scale + moved, np.float32(0.0))
        return np.asarray(weights / scale, np.float32)

    # -- learning ------------------------------------------------------------------------------

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Learn from one event; whether learning pays is measured before it."""
        lesson = lesson_of(entry)
        if lesson is None:
            return
        if not self.own:
            # Summed exactly, so that every machine has the same.
            total = math.fsum(axis.prior.tolist())
            self._scale = self._options["scale"] / total if total > 0.0 else 1.0
        self._axis = axis
        winners, losers = axis.pairs(lesson)
        own = self.own.get(entry.user, PersonWeights())
        measured = own.measured(winners - losers, self.served(entry.user), axis.prior, lesson)
        learner = self._learner(own, axis.prior * np.float32(self._scale))
        learner.learn(winners, losers)
        moved = learner.weights - axis.prior * np.float32(self._scale)
        if not visits(entry.user):
            self._sum = padded(self._sum, len(moved)) + (moved - padded(own.moved, len(moved)))
            self._people += entry.user not in self.own
        self.own[entry.user] = replace(measured, learner=learner.dump(), moved=moved)

    def _learner(self, own: PersonWeights, start: Vector) -> Any:
        if own.learner is None:
            options = {"C": self._options["C"], "average": True}
            return rankers.make(self._recipe.learner, **options, prior=start)
        learner = rankers.as_online(rankers.load(own.learner))
        learner.grow(start[len(learner.weights) :])
        return learner

    # -- at rest -------------------------------------------------------------------------------

    def copy(self) -> WeightFold:
        """An independent copy; what people taught is immutable, so it is cheap."""
        twin = WeightFold(self._recipe)
        twin.own, twin._axis = dict(self.own), self._axis
        twin._scale, twin._sum, twin._people = self._scale, self._sum, self._people
        return twin

    def dump(self) -> Encoded:
        """The whole state as a JSON body and named arrays."""
        if not self.own:
            return {}, {}
        lines, arrays = {}, {"lasting/sum": self._sum}
        for number, user in enumerate(sorted(self.own)):
            own = self.own[user]
            assert own.learner is not None
            spec = {"kind": own.learner.kind, "spec": dict(own.learner.spec)}
            lines[user] = {"counts": list(own.counts), "learner": spec}
            start = f"lasting/{number}/"
            arrays |= {f"{start}learner/{n}": array for n, array in own.learner.arrays.items()}
            arrays[f"{start}moved"] = own.moved
        return {"lasting": {"scale": self._scale, "people": lines}}, arrays

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        if "lasting" not in body:
            return
        self._axis = Axis.load(body, arrays)
        self._scale, self._sum = body["lasting"]["scale"], arrays["lasting/sum"]
        people = body["lasting"]["people"]
        for number, user in enumerate(sorted(people)):
            line, start = people[user], f"lasting/{number}/"
            mine = _under(arrays, f"{start}learner/")
            learner = State(line["learner"]["kind"], line["learner"]["spec"], mine)
            counts = Counts.named(line["counts"])
            self.own[user] = PersonWeights(**counts, learner=learner, moved=arrays[f"{start}moved"])
            self._people += not visits(user)


def _under(arrays: Arrays, start: str) -> dict[str, Array]:
    return {n.removeprefix(start): array for n, array in arrays.items() if n.startswith(start)}

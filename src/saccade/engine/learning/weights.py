"""Which schemes count, as the first version learned it; stores made by it go on with it.

    shared    learns from everybody; the mean of its weights over time is served
    own[u]    learns, from user u alone, what the shared model still gets wrong for them
    served    shared + own[u]

Both serve averages: the last weights lean towards the last query.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.engine.events import FEEDBACK, Entry
from saccade.engine.learning.axis import Axis, lesson_of, padded
from saccade.engine.learning.counts import Counts, Vector
from saccade.engine.recipe import Recipe
from saccade.types import Phi, State


@dataclass(frozen=True, slots=True)
class Own(Counts):
    """What one user taught, and whether it paid."""

    last: Vector = field(default_factory=lambda: np.zeros(0, np.float32))
    total: Vector = field(default_factory=lambda: np.zeros(0, np.float32))

    @property
    def weights(self) -> Vector:
        """The mean of the user's part after each of their events."""
        mean: Vector = self.total / np.float32(max(1, self.events))
        return mean


class Weights:
    """Weights over the schemes of the axis."""

    kinds = frozenset(FEEDBACK)

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self.own: dict[str, Own] = {}
        self._shared: Any = None  # an online linear learner, made when the first pair comes

    # -- serving -------------------------------------------------------------------------------

    @property
    def shared(self) -> Vector:
        """Everybody's weights over the axis."""
        if self._shared is None:
            return np.zeros(0, np.float32)
        weights: Vector = self._shared.weights
        return weights

    def served(self, user: str) -> Vector:
        """The weights over the axis that rank a user's pages."""
        shared, own = self.shared, self.own.get(user)
        return shared if own is None else shared + padded(own.weights, len(shared))

    def personal(self, user: str) -> Vector:
        """What sets a user's weights apart from everybody's."""
        return self.served(user) - self.shared

    # -- learning ------------------------------------------------------------------------------

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Learn from one event; whether learning pays is measured before it."""
        lesson = lesson_of(entry)
        if lesson is None:
            return
        winners, losers = axis.pairs(lesson)
        self._widen(axis)
        own = self.own.get(entry.user, Own())
        gap, served = winners - losers, self.served(entry.user)
        measured = own.measured(gap, served, axis.prior, lesson)
        self._shared.learn(winners, losers)
        last = self._corrected(own, winners, losers)
        total = padded(own.total, len(last)) + last
        self.own[entry.user] = replace(measured, last=last, total=total)

    def _corrected(self, own: Own, winners: Phi, losers: Phi) -> Vector:
        """The user's part after learning what the shared model, now updated, still gets wrong."""
        base = self.shared
        # The first words are heard at once; later ones refine. Steps that stay large would chase
        # whatever was said last.
        patience = math.sqrt(1.0 + own.events)
        steps = {k: v / patience if k in ("C", "rate") else v for k, v in self._recipe.own.items()}
        prior = base + padded(own.last, len(base))
        learner = rankers.make(self._recipe.learner, **steps, prior=prior)
        learner.learn(winners, losers)
        corrected: Vector = learner.weights - base
        return corrected

    def _widen(self, axis: Axis) -> None:
        if self._shared is None:
            options = self._recipe.shared
            self._shared = rankers.make(self._recipe.learner, **options, prior=axis.prior)
        else:
            self._shared.grow(axis.prior[len(self.shared) :])

    # -- at rest -------------------------------------------------------------------------------

    def copy(self) -> Weights:
        """An independent copy; records are immutable, so it is cheap."""
        twin = Weights(self._recipe)
        twin.own = dict(self.own)
        twin._shared = None if self._shared is None else rankers.load(self._shared.dump())
        return twin

    def dump(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The whole state as a JSON body and named arrays."""
        arrays: dict[str, NDArray[Any]] = {}
        body: dict[str, Any] = {"own": {}}
        if self._shared is not None:
            state = self._shared.dump()
            body["shared"] = {"kind": state.kind, "spec": dict(state.spec)}
            arrays = {f"shared/{name}": array for name, array in state.arrays.items()}
        for number, user in enumerate(sorted(self.own)):
            own = self.own[user]
            body["own"][user] = list(own.counts)
            arrays[f"own/{number}"] = np.stack([own.last, own.total])
        return body, arrays

    def load(self, body: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take on what `dump` gave."""
        if "shared" in body:
            mine = {n.partition("/")[2]: a for n, a in arrays.items() if n.startswith("shared/")}
            self._shared = rankers.load(State(body["shared"]["kind"], body["shared"]["spec"], mine))
        for number, user in enumerate(sorted(body["own"])):
            last, total = arrays[f"own/{number}"]
            self.own[user] = Own(**Counts.named(body["own"][user]), last=last, total=total)

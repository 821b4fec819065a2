"""What all choosers share: the draw, the bookkeeping, the state at rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from saccade.choosers import checked
from saccade.choosers.checked import Present
from saccade.choosers.history import History
from saccade.choosers.steady import Floats
from saccade.errors import InvalidInput
from saccade.types import State


class ChooserBase(ABC):
    """`settings` names the constructor's arguments; `columns` the sums kept, one an expert each."""

    name: ClassVar[str]
    sees: ClassVar[Literal["all", "one"]]  # "all" losses, or that of the chosen "one"
    settings: ClassVar[tuple[str, ...]]
    columns: ClassVar[tuple[str, ...]]

    def __init__(self, *, experts: int, history: int) -> None:
        self.experts = checked.count(experts)
        if isinstance(history, bool) or not isinstance(history, int) or history < 0 or history == 1:
            raise InvalidInput(f"history is {history!r}: expected 0 (none) or 2 moments or more")
        self.history = History(limit=history, experts=self.experts)
        self.rounds = 0
        """How many updates it took in."""
        self.served = 0.0
        """Cumulative loss of what it served."""
        self._sums = {column: np.zeros(self.experts) for column in self.columns}
        self._current: Floats | None = None  # weights, computed once between two updates

    @abstractmethod
    def _chances(self, present: Present | None) -> Floats:
        """The chance to serve each of those present."""

    @property
    def weights(self) -> Floats:
        """The chance to serve each expert, [experts], sum 1."""
        return self.among(None)

    def among(self, present: ArrayLike | None) -> Floats:
        """The weights where only those `present` [experts] have an answer; the others' are 0."""
        mask = checked.present(present, self.experts)
        if mask is not None and not mask.any():
            raise InvalidInput(f"none of the {self.experts} experts is present")
        if mask is not None:
            return self._chances(mask)
        if self._current is None:
            self._current = self._chances(None)
        return self._current.copy()

    @property
    def losses(self) -> Floats:
        """Cumulative loss of each expert, [experts]; what a bandit did not see, it estimates."""
        return self._sums["losses"].copy()

    @property
    def regret(self) -> float:
        """What was served lost that much more than the best single expert."""
        return self.served - float(self._sums["losses"].min())

    def choose(
        self, *, rng: np.random.Generator, present: ArrayLike | None = None, exploring: float = 1.0
    ) -> tuple[int, float]:
        """An expert drawn by its weight, and the chance it had; changes nothing but `rng`.

        `exploring` bounds the chance of any other than the heaviest: 0 always serves that one.
        """
        if not isinstance(rng, np.random.Generator):
            raise InvalidInput(f"rng is {rng!r}: expected numpy.random.default_rng(seed)")
        weights = bounded(self.among(present), exploring)
        steps = np.cumsum(weights)
        arm = int(np.searchsorted(steps, rng.random() * steps[-1], side="right"))
        while arm == self.experts or weights[arm] == 0.0:  # the draw fell on the very last edge
            arm -= 1
        return arm, float(weights[arm])

    def _served(self, loss: float) -> None:
        """Close a round."""
        self._current = None
        self.rounds += 1
        self.served += loss
        if self.history.due(self.rounds):
            self.history.note(self.rounds, self.weights, self.served, self.regret)

    @abstractmethod
    def bound(self) -> float:
        """What the regret stays under."""

    def copy(self) -> Self:
        """An independent twin."""
        twin = copy(self)
        twin._sums = {column: values.copy() for column, values in self._sums.items()}
        twin.history = self.history.copy()
        return twin

    def dump(self) -> State:
        """Settings, sums and history: all that it takes to go on."""
        settings = {key: getattr(self, key) for key in self.settings}
        spec = {
            "settings": settings | {"experts": self.experts, "history": self.history.limit},
            "rounds": self.rounds,
            "served": self.served,
        }
        sums = {column: values.copy() for column, values in self._sums.items()}
        return State(self.name, spec, sums | self.history.dump())

    @classmethod
    def load(cls, state: State) -> Self:
        """The chooser that was dumped."""
        chooser = cls(**dict(state.spec["settings"]))
        chooser.rounds = int(state.spec["rounds"])
        chooser.served = float(state.spec["served"])
        for column in cls.columns:
            values = np.array(state.arrays[column], np.float64)
            if values.shape != (chooser.experts,):
                raise InvalidInput(
                    f"state of chooser {cls.name!r}: {column} has shape {values.shape}, "
                    f"expected [{chooser.experts}]"
                )
            chooser._sums[column] = values
        chooser.history.restore(state.arrays)
        return chooser


def bounded(weights: Floats, exploring: float) -> Floats:
    """Chances in which all but the heaviest have `exploring` together at most; sum 1.

    >>> bounded(np.array([0.5, 0.3, 0.2]), 0.1)
    array([0.9 , 0.06, 0.04])
    """
    if not 0.0 <= exploring <= 1.0:
        raise InvalidInput(f"exploring is {exploring!r}: expected 0 (never) to 1 (as it likes)")
    best = int(weights.argmax())
    others = 1.0 - float(weights[best])
    if others <= exploring:
        return weights
    chances = weights * (exploring / others)
    chances[best] = 1.0 - exploring
    return chances


class Bandit(ChooserBase):
    """Learns from the loss of what was served alone, each weighed with the chance it had.

    `losses` are estimates, Σ l / p over the rounds an expert was served: right on average for each
    expert, however seldom it was. `pulls` and `seen` say what was really observed.
    """

    sees: ClassVar[Literal["one"]] = "one"
    columns: ClassVar[tuple[str, ...]] = ("losses", "pulls", "seen")

    @property
    def pulls(self) -> Floats:
        """How often each was served and reacted to, [experts]."""
        return self._sums["pulls"].copy()

    @property
    def seen(self) -> Floats:
        """Sum of the losses observed of each, [experts]."""
        return self._sums["seen"].copy()

    def update(self, arm: int, loss: float, *, probability: float) -> None:
        """Take in the loss of `arm`, which was served with `probability`, now or long ago."""
        arm, loss, chance = checked.reaction(arm, loss, probability, self.experts)
        self._learn(arm, loss, chance)
        self._sums["losses"][arm] += loss / chance
        self._sums["pulls"][arm] += 1.0
        self._sums["seen"][arm] += loss
        self._served(loss)

    def _learn(self, arm: int, loss: float, chance: float) -> None:
        """What a kind of bandit keeps beside the common sums."""

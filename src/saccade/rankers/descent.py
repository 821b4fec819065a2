"""Rankers that minimise a smooth loss of the scores: what ranknet, listnet and listmle share.

    minimise  loss(s(x_1), …, s(x_n)) + l2 / 2 * |parameters|^2

by L-BFGS on all queries at once, s being linear or a network with one hidden layer. With validation
rows the iterate that ranks them best is kept, and `patience` iterations without a gain end it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from saccade.contracts import Training
from saccade.errors import InvalidInput
from saccade.rankers import checked
from saccade.rankers.batch import Floats, Standard, Watch, linear_scores, settings_of
from saccade.rankers.checked import Queries
from saccade.rankers.network import Loss, Network, minimise
from saccade.rankers.objective import Measure
from saccade.types import Phi, Scores, State


class NetworkSettings(TypedDict, total=False):
    """What every learner by descent takes, whatever its loss."""

    hidden: int
    measure: str
    seed: int


class DescentSettings(NetworkSettings, total=False):
    """And how long it goes on."""

    iterations: int
    patience: int


class Descent(ABC):
    """Fit, score, dump and load; a subclass gives the loss.

    Args:
        hidden: units of the hidden layer; 0 is a linear ranker.
        l2: weight of the penalty on long parameters, on standard scores of the features.
        iterations: of L-BFGS, at most.
        measure, patience: what validation rows are judged by, and for how long without a gain.
        seed: of the hidden layer's start, and of whatever the loss draws.
    """

    name: ClassVar[str]
    own: ClassVar[tuple[str, ...]] = ()  # constructor arguments of the subclass

    def __init__(
        self,
        *,
        l2: float,
        hidden: int = 0,
        iterations: int = 300,
        measure: str = "ndcg@10",
        patience: int = 20,
        seed: int = 0,
    ) -> None:
        if hidden < 0 or iterations < 1 or patience < 1 or not l2 >= 0:
            raise InvalidInput(
                f"{self.name}: hidden and l2 must be 0 or more, iterations and patience 1 or more"
            )
        self.hidden, self.l2, self.iterations = int(hidden), float(l2), int(iterations)
        self.measure, self.patience = str(Measure.parse(measure)), int(patience)
        self.seed = int(seed)
        self.skipped = 0  # queries of the last fit that ordered nothing
        self._network: Network | None = None
        self._parameters: Floats | None = None

    @abstractmethod
    def loss(self, rows: Queries) -> Loss:
        """The loss of these rows' scores, with its gradient."""

    @property
    def weights(self) -> Floats:
        """Weights on the features; there are none with a hidden layer or before learning."""
        if self._parameters is None or self.hidden:
            raise InvalidInput(f"{self.name} has no weights: it is not linear or has not learned")
        return self._parameters.copy()

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Start afresh and minimise the loss."""
        rows = checked.training(phi, grades, groups)
        standard = Standard.of(rows.phi)
        network = Network(rows.phi.shape[1], self.hidden)
        watch = Watch[Floats](
            validation, measure=self.measure, patience=self.patience, width=network.width
        )
        best = minimise(
            network, standard.apply(rows.phi), self.loss(rows),
            l2=self.l2, iterations=self.iterations, seed=self.seed, watch=watch,
            seen=None if watch.phi is None else standard.apply(watch.phi),
        )  # fmt: skip
        self._network, self._parameters = network, network.fold(best, standard)
        self.skipped = rows.skipped
        return self

    def score(self, phi: Phi) -> Scores:
        """The function's value for each row; the mean of φ before any learning."""
        if self._network is None or self._parameters is None or self.hidden == 0:
            return linear_scores(phi, self._parameters)
        rows = checked.finite(phi, self._network.width).astype(np.float64)
        layer, offset, out = self._network.parts(self._parameters)
        # Not a matrix product: a row's score must not depend on how many others come with it.
        units = np.tanh(np.einsum("ij,kj->ik", rows, layer) + offset)
        scores: Scores = (units * out).sum(axis=1).astype(np.float32)
        return scores

    def dump(self) -> State:
        """Settings and parameters."""
        shared = ("hidden", "l2", "iterations", "measure", "patience", "seed")
        spec = {"settings": settings_of(self, *self.own, *shared), "skipped": self.skipped}
        if self._network is None or self._parameters is None:
            return State(self.name, spec, {})
        return State(
            self.name,
            spec | {"width": self._network.width},
            {"parameters": self._parameters.copy()},
        )

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = cls(**dict(state.spec["settings"]))
        model.skipped = int(state.spec["skipped"])
        if "parameters" in state.arrays:
            model._network = Network(int(state.spec["width"]), model.hidden)
            model._parameters = np.array(state.arrays["parameters"], np.float64)
        return model

"""What the rankers by labels share that end as one weight a column, and thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from saccade.contracts import Given
from saccade.errors import InvalidInput, need
from saccade.rankers.batch import settings_of
from saccade.rankers.labels import KINDS, Floats, Labels, attribute_scores, labels
from saccade.types import Array, Phi, Scores, State


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Weights [m], thresholds between the grades [levels − 1], and the value reached."""

    weights: Floats
    thresholds: Floats
    objective: float


class LinearAttribute:
    """Fits at once and scores by a weighted sum; `settings` names the constructor's arguments."""

    name: ClassVar[str]
    packages: ClassVar[tuple[str, ...]] = ()
    hears: ClassVar[frozenset[str]]
    settings: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        self.skipped = 0  # pairs of equal rows in the last fit
        self._learned: Learned | None = None

    def _solve(self, label_set: Labels) -> Learned:
        """Learn from labels of the kinds it hears; there is at least one."""
        raise TypeError(f"{type(self).__name__} has no rule")

    def _width(self) -> int | None:
        """Number of columns that a fit must have, where that is fixed beforehand."""
        return None

    def fit_labels(
        self, points: Given = None, ordered: Given = None, similar: Given = None
    ) -> Self:
        """Start afresh and learn all labels at once; without any it knows nothing."""
        need("rank", *self.packages, part=self.name)
        label_set = labels(points, ordered, similar, width=self._width())
        heard = label_set.only([kind for kind, name in enumerate(KINDS) if name in self.hears])
        self._learned = self._solve(heard) if len(heard) else None
        self.skipped = label_set.skipped
        return self

    @property
    def weights(self) -> Floats:
        """Weights on the columns; there are none before learning."""
        if self._learned is None:
            raise InvalidInput(f"{self.name} has no weights yet: fit it")
        return self._learned.weights.copy()

    @property
    def thresholds(self) -> Floats:
        """Where one grade ends and the next begins, on the scale of the scores."""
        return np.empty(0) if self._learned is None else self._learned.thresholds.copy()

    @property
    def objective(self) -> float:
        """The value that the last fit minimised; 0 before any."""
        return 0.0 if self._learned is None else self._learned.objective

    def score(self, phi: Phi) -> Scores:
        """w·x for each row; zero for all before anything is known."""
        return attribute_scores(phi, None if self._learned is None else self._learned.weights)

    def dump(self) -> State:
        """Settings, weights and thresholds."""
        spec: dict[str, object] = {
            "settings": settings_of(self, *self.settings),
            "skipped": self.skipped, "objective": self.objective,
        }  # fmt: skip
        arrays: dict[str, Array] = {}
        if self._learned is not None:
            arrays = {"weights": self.weights, "thresholds": self.thresholds}
        return State(self.name, spec, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = cls(**dict(state.spec["settings"]))
        model.skipped = int(state.spec["skipped"])
        if "weights" in state.arrays:
            weights, thresholds = (
                np.array(state.arrays[key], np.float64) for key in ("weights", "thresholds")
            )
            model._learned = Learned(weights, thresholds, float(state.spec["objective"]))
        return model

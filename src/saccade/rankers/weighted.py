"""What rankers share that end as one weight per feature."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from saccade.errors import InvalidInput
from saccade.rankers.batch import Floats, linear_scores, settings_of
from saccade.types import Phi, Scores, State


class Weighted:
    """Scores by a weighted sum. `settings` names the constructor's arguments, each kept as is."""

    name: ClassVar[str]
    settings: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        self.skipped = 0
        self._weights: Floats | None = None

    @property
    def weights(self) -> Floats:
        """Weights on the features; there are none before learning."""
        if self._weights is None:
            raise InvalidInput(f"{self.name} has no weights yet: fit it")
        return self._weights.copy()

    def score(self, phi: Phi) -> Scores:
        """Weighted sum of each row; the mean of φ before any learning."""
        return linear_scores(phi, self._weights)

    def dump(self) -> State:
        """Settings and weights."""
        spec = {"settings": settings_of(self, *self.settings), "skipped": self.skipped}
        arrays = {} if self._weights is None else {"weights": self._weights.copy()}
        return State(self.name, spec, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = cls(**dict(state.spec["settings"]))
        model.skipped = int(state.spec["skipped"])
        if "weights" in state.arrays:
            model._weights = np.array(state.arrays["weights"], np.float64)
        return model

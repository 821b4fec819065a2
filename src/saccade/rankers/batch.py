"""What batch rankers share: standard scores, early stopping, and the weighted sum.

A linear ranker learns on standard scores, so that its settings mean the same for every scale of the
features, and is kept as weights on the features themselves: the model at rest knows no scaling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.contracts import Training
from saccade.rankers import checked
from saccade.rankers.objective import Measure
from saccade.types import Phi, Scores

Floats = NDArray[np.float64]
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, eq=False)
class Standard:
    """Standard scores (x - mean) / spread; a constant feature becomes 0.

    >>> standard = Standard.of(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> standard.apply(np.array([[5.0, 5.0]])).tolist()
    [[3.0, 0.0]]
    """

    mean: Floats
    spread: Floats  # inf for a constant feature, so that it divides to 0

    @classmethod
    def of(cls, phi: Phi | Floats) -> Standard:
        """Mean and spread of the columns."""
        exact = phi.astype(np.float64)
        mean, spread = exact.mean(axis=0), exact.std(axis=0)
        # A constant column may show a spread of rounding errors.
        flat = spread <= 1e-7 * np.maximum(1e-30, np.abs(mean))
        return cls(mean, np.where(flat, np.inf, spread))

    def apply(self, phi: Phi | Floats) -> Floats:
        """Standard scores of rows."""
        out: Floats = (phi.astype(np.float64) - self.mean) / self.spread
        return out

    def fold(self, weights: Floats) -> Floats:
        """Weights on the features that order rows as `weights` on standard scores do."""
        out: Floats = weights / self.spread
        return out


class Watch(Generic[Kept]):
    """Keeps the best state seen on validation rows, and says when to give up.

    Without validation rows it never gives up and keeps the last state.
    """

    def __init__(
        self, validation: Training | None, *, measure: str, patience: int, width: int
    ) -> None:
        self.patience = patience
        self._best: Kept | None = None
        self.value = -np.inf
        self.phi: Phi | None = None
        self._since = 0
        self._judge = None
        aim = Measure.parse(measure)
        if validation is None:
            return
        # Queries that order nothing have the same value whatever the scores: they are left out.
        rows = checked.queries(*validation, width=width)
        if len(rows):
            self.phi = rows.phi
            self._judge = aim.judge(rows.grades, rows.starts)

    @property
    def best(self) -> Kept:
        """The best state seen so far; there is one once `stop` was asked."""
        assert self._best is not None
        return self._best

    @best.setter
    def best(self, state: Kept) -> None:
        self._best = state

    def stop(self, scores: Scores | Floats | None, state: Kept) -> bool:
        """Take in the scores of the validation rows by `state`; True when it is time to stop."""
        if self._judge is None or scores is None:
            self.best = state
            return False
        value = self._judge.mean(scores)
        if value > self.value:
            self.value, self._best, self._since = value, state, 0
            return False
        self._since += 1
        return self._since >= self.patience


def linear_scores(phi: ArrayLike, weights: Floats | None) -> Scores:
    """Weighted sum of the features; before any learning their mean, as `uniform` has it."""
    from saccade.kernels.online import scores

    rows = checked.finite(phi, None if weights is None else len(weights))
    width = rows.shape[1]
    used = np.full(width, 1.0 / width) if weights is None else weights
    out = np.empty(len(rows), np.float32)
    scores(used.astype(np.float32), rows, out)
    return out


def settings_of(model: object, *names: str) -> dict[str, object]:
    """Constructor arguments of a ranker that keeps each under its own name."""
    return {name: getattr(model, name) for name in names}

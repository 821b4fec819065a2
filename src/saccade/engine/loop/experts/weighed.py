"""Experts that weigh φ: by what was learned, or without learning. WEIGHERS is the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.engine.learning.fold import Models

Prior = Mapping[str, float]  # scheme -> weight before learning
RawWeights = Callable[[Models, str, Prior], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Weigher:
    """Weights over the schemes."""

    raw: RawWeights

    def weights(self, models: Models, user: str, prior: Prior) -> NDArray[np.float64]:
        """The weight of each scheme, scaled so that their magnitudes sum to 1."""
        raw = self.raw(models, user, prior)
        total = np.abs(raw).sum()
        return raw / total if total > 0 else np.full(len(raw), 1.0 / max(1, len(raw)))


def _uniform(models: Models, user: str, prior: Prior) -> NDArray[np.float64]:
    return np.ones(len(prior))


def _plain(models: Models, user: str, prior: Prior) -> NDArray[np.float64]:
    return np.array(list(prior.values()))


def _best_scheme(models: Models, user: str, prior: Prior) -> NDArray[np.float64]:
    best = models.wins.best(tuple(prior), models.axis) if prior else ""
    return np.array([float(scheme == best) for scheme in prior])


def _shared(models: Models, user: str, prior: Prior) -> NDArray[np.float64]:
    return _over(models, models.weights.shared, prior)


def _learned(models: Models, user: str, prior: Prior) -> NDArray[np.float64]:
    return _over(models, models.weights.served(user), prior)


def _over(models: Models, learned: NDArray[np.float32], prior: Prior) -> NDArray[np.float64]:
    """Weights over the axis of everything learned, as some schemes have them."""
    by_scheme = dict(zip(models.axis.schemes, learned.tolist(), strict=True))
    return np.array([by_scheme.get(scheme, weight) for scheme, weight in prior.items()])


WEIGHERS: Mapping[str, Weigher] = {
    "plain": Weigher(_plain),
    "learned": Weigher(_learned),
    "shared": Weigher(_shared),
    "best-scheme": Weigher(_best_scheme),
    "uniform": Weigher(_uniform),
}

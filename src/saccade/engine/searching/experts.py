"""Ways to score the whole collection for one session. EXPERTS is the table.

An expert gives a score to every row, and says of any row what its score is made of: the parts add
up to the score. Weighing φ is one way to score; an expert may have any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.engine.learning.fold import Models
from saccade.engine.searching.session import Session
from saccade.errors import UnknownName
from saccade.types import Rows, Scores

Prior = Mapping[str, float]  # scheme -> weight before learning
RawWeights = Callable[[Models, str, Prior], NDArray[np.float64]]


class Ranking(Protocol):
    """One expert's word on one session."""

    @property
    def scores(self) -> Scores:
        """A score for every row of the collection, higher is better."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the parts of a score are called."""

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What the scores of some rows are made of, [rows, names]."""


class Expert(Protocol):
    """Scores a session with what is learned."""

    def rank(self, session: Session, models: Models) -> Ranking:
        """Scores over the collection, and their parts."""


@dataclass(frozen=True, slots=True)
class WeighedPhi:
    """score = Σ w_s φ_s: each scheme's share is a part."""

    session: Session
    weights: NDArray[np.float64]  # magnitudes sum to 1, so that scores compare from page to page

    @property
    def scores(self) -> Scores:
        """w·φ of every row."""
        return self.session.weighed(self.weights)

    @property
    def names(self) -> tuple[str, ...]:
        """The schemes."""
        return self.session.names

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """The share of each scheme."""
        return self.session.phi_of(rows).astype(np.float64) * self.weights


@dataclass(frozen=True, slots=True)
class Weigher:
    """An expert that weighs φ."""

    raw: RawWeights

    def rank(self, session: Session, models: Models) -> WeighedPhi:
        """φ weighed."""
        return WeighedPhi(session, self.weights(models, session.user, session.prior))

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
    known = dict(zip(models.axis.schemes, learned.tolist(), strict=True))
    return np.array([known.get(scheme, weight) for scheme, weight in prior.items()])


LEARNED = Weigher(_learned)

EXPERTS: Mapping[str, Expert] = {
    "learned": LEARNED,
    "shared": Weigher(_shared),
    "plain": Weigher(_plain),
    "uniform": Weigher(_uniform),
    "best-scheme": Weigher(_best_scheme),
}
"""By the person's model, by everybody's, without learning (as a new collection starts, or every
scheme alike), or by the one best scheme."""


def expert(name: str) -> Expert:
    """The expert with this name; an unknown one is an error."""
    if name not in EXPERTS:
        raise UnknownName("ranker", name, EXPERTS)
    return EXPERTS[name]

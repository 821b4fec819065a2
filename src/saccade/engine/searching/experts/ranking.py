"""What an expert gives: a score for every picture, and what each score is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.engine.evidence import Opinions
from saccade.engine.searching.experts.round import Round
from saccade.types import Rows, Scores

MARK = "your mark"
APART = 25.0
"""What a mark adds or takes: more than any two scores can differ by."""


class Ranking(Protocol):
    """One expert's word on one round."""

    @property
    def scores(self) -> Scores:
        """A score for every row of the collection, higher is better."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the parts of a score are called."""

    @property
    def leading(self) -> str:
        """The expert that has the largest say."""

    @property
    def dropped(self) -> tuple[str, ...]:
        """Experts that failed and were left out."""

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What the scores of some rows are made of, [rows, names]."""

    def opinions(self, rows: Rows) -> Opinions | None:
        """What each of several experts says of some rows."""


class Expert(Protocol):
    """Scores a round with what is learned."""

    def rank(self, round: Round) -> Ranking:
        """Scores over the collection, and their parts."""


def add_marks(round: Round, scores: Scores) -> Scores:
    """Scores of every row with what marks add, in place."""
    scores[round.liked] += np.float32(APART)
    scores[round.disliked] -= np.float32(APART)
    return scores


def marks_at(round: Round, rows: Rows) -> NDArray[np.float64]:
    """What marks add to the scores of some rows."""
    return APART * (np.isin(rows, round.liked) - 1.0 * np.isin(rows, round.disliked))


@dataclass(frozen=True, slots=True)
class WeighedPhi:
    """score = Σ w_s φ_s + your mark: each scheme's share is a part."""

    round: Round
    name: str
    weights: NDArray[np.float64]  # magnitudes sum to 1, so that scores compare from page to page

    @property
    def scores(self) -> Scores:
        """w·φ of every row."""
        return add_marks(self.round, self.round.session.weighed(self.weights))

    @property
    def names(self) -> tuple[str, ...]:
        """The schemes, and marks once there are some."""
        schemes = self.round.session.names
        return (*schemes, MARK) if self.round.marked else schemes

    @property
    def leading(self) -> str:
        """There is no other."""
        return self.name

    @property
    def dropped(self) -> tuple[str, ...]:
        """There is no other."""
        return ()

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """The share of each scheme."""
        shares = self.round.session.phi_of(rows).astype(np.float64) * self.weights
        if not self.round.marked:
            return shares
        return np.concatenate([shares, marks_at(self.round, rows)[:, None]], axis=1)

    def opinions(self, rows: Rows) -> None:
        """Only one was asked."""

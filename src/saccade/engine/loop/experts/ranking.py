"""What an expert gives: a score for every picture, and what each score is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.engine.cache import once
from saccade.engine.loop.experts.moment import Moment
from saccade.engine.opinions import Opinions
from saccade.types import Rows, Scores

MARK = "your mark"
APART = 0.5
"""How far what is marked stands from everything else, at least."""


class Ranking(Protocol):
    """One expert's word on one moment."""

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

    @property
    def believed(self) -> float:
        """How far what was called wrong counted, 0..1; 1 where nobody looked."""

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What the scores of some rows are made of, [rows, names]."""

    def opinions(self, rows: Rows) -> Opinions | None:
        """What each of several experts says of some rows."""


class Expert(Protocol):
    """Scores a moment with what is learned."""

    def rank(self, moment: Moment) -> Ranking:
        """Scores over the collection, and their parts."""


@dataclass(frozen=True, slots=True)
class MarkMoves:
    """What marks add to scores: what is right stands above everything else, what is wrong below.

    As much as that takes and no more, so that scores stay on the scale that people read; all that
    is right moves by the same, and keeps its own order.
    """

    up: float
    down: float
    liked: Rows
    disliked: Rows

    @classmethod
    def of(cls, moment: Moment, scores: Scores) -> MarkMoves:
        """The moves of a moment, given the scores of every row without them."""
        there = np.ones(len(scores), np.bool_)
        there[moment.session.excluded] = False
        others, up = there.copy(), 0.0
        others[moment.liked] = False
        if len(moment.liked) and others.any():
            up = max(0.0, float(scores[others].max() - scores[moment.liked].min())) + APART
        others, down = there, 0.0
        others[moment.disliked] = False
        if len(moment.disliked) and others.any():
            down = max(0.0, float(scores[moment.disliked].max() - scores[others].min())) + APART
        return cls(up, down, moment.liked, moment.disliked)

    def added(self, scores: Scores) -> Scores:
        """A copy of the scores of every row, with what marks add."""
        out = scores.copy()
        out[self.liked] += np.float32(self.up)
        out[self.disliked] -= np.float32(self.down)
        return out

    def at(self, rows: Rows) -> NDArray[np.float64]:
        """What marks add to the scores of some rows."""
        up, down = np.isin(rows, self.liked), np.isin(rows, self.disliked)
        return np.asarray(self.up * up - self.down * down, np.float64)


@dataclass(frozen=True)
class WeighedPhi:
    """score = Σ w_s φ_s + your mark: each scheme's share is a part."""

    moment: Moment
    name: str
    weights: NDArray[np.float64]  # magnitudes sum to 1, so that scores compare from page to page

    @once
    def _weighed(self) -> Scores:
        return self.moment.session.weighed(self.weights, self.moment.length)

    @once
    def _marks(self) -> MarkMoves:
        return MarkMoves.of(self.moment, self._weighed)

    @property
    def scores(self) -> Scores:
        """w·φ of every row, and marks."""
        return self._marks.added(self._weighed)

    @property
    def names(self) -> tuple[str, ...]:
        """The schemes, and marks once there are some."""
        schemes = self.moment.session.names
        return (*schemes, MARK) if self.moment.marked else schemes

    @property
    def leading(self) -> str:
        """There is no other."""
        return self.name

    @property
    def dropped(self) -> tuple[str, ...]:
        """There is no other."""
        return ()

    @property
    def believed(self) -> float:
        """Nobody looked."""
        return 1.0

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """The share of each scheme."""
        phi = self.moment.session.phi_of(rows, length=self.moment.length)
        shares = phi.astype(np.float64) * self.weights
        if not self.moment.marked:
            return shares
        return np.concatenate([shares, self._marks.at(rows)[:, None]], axis=1)

    def opinions(self, rows: Rows) -> None:
        """Only one was asked."""

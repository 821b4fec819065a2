"""Rankers that hardly learn: what every learner must beat.

uniform       mean of φ                                   (Wan et al. 2015: "Uni-Con")
best-scheme   the one column that ordered most pairs      (Wan et al. 2015: "Best-Fea")
vsm           one column named beforehand                 (Li et al. 2012: the best single model)
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.contracts import Training
from saccade.errors import InvalidInput
from saccade.rankers.checked import finite, matrix, queries, refuse, training
from saccade.rankers.objective import Measure
from saccade.types import Phi, Scores, State


def _finite(scores: Scores, rows: Phi) -> Scores:
    if not np.isfinite(scores).all():
        refuse(rows, "phi")
    return scores


class Uniform:
    """Every scheme counts the same; nothing is learned.

    >>> Uniform().score([[0.0, 1.0], [1.0, 1.0]])
    array([0.5, 1. ], dtype=float32)
    """

    name: ClassVar[str] = "uniform"

    def score(self, phi: Phi) -> Scores:
        """Mean of the row."""
        from saccade.kernels.online import scores

        rows = matrix(phi, None)
        out = np.empty(len(rows), np.float32)
        scores(np.full(rows.shape[1], 1.0 / rows.shape[1], np.float32), rows, out)
        return _finite(out, rows)

    def learn(self, winners: Phi, losers: Phi) -> None:
        """Check the pairs and learn nothing."""
        _pairs(winners, losers, None)

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Check the rows and learn nothing."""
        queries(phi, grades, groups)
        return self

    def dump(self) -> State:
        """Nothing but the name."""
        return State(kind=self.name, spec={}, arrays={})

    @classmethod
    def load(cls, state: State) -> Self:
        """Another one."""
        return cls()


def _pairs(winners: Phi, losers: Phi, width: int | None) -> tuple[Phi, Phi]:
    better = finite(winners, width, "winners")
    worse = finite(losers, better.shape[1], "losers")
    if len(better) != len(worse):
        raise InvalidInput(f"{len(better)} winners and {len(worse)} losers: pair them row by row")
    return better, worse


def wins_of(winners: Phi, losers: Phi) -> NDArray[np.float64]:
    """For each column how many of the pairs it orders rightly, a tie counting half, [m].

    Halves add up exactly, so any order of adding gives the same bits.

    >>> wins_of(np.array([[1.0, 0.0, 2.0]]), np.array([[0.0, 0.0, 3.0]])).tolist()
    [1.0, 0.5, 0.0]
    """
    earned: NDArray[np.float64] = (winners > losers).sum(0) + 0.5 * (winners == losers).sum(0)
    return earned


def best_column(wins: ArrayLike) -> int:
    """The column that earned most; ties go to the lower one.

    >>> best_column([1.0, 2.5, 2.5])
    1
    """
    return int(np.argmax(wins))


class BestScheme:
    """The one scheme that has done best so far; ties go to the lower column.

    `learn` counts for each column how many pairs it orders rightly (a tie counts half); `fit` takes
    the column with the best `measure` over all queries. Before either it scores as `uniform` does.
    """

    name: ClassVar[str] = "best-scheme"

    def __init__(self, *, measure: str = "map") -> None:
        self.measure = str(Measure.parse(measure))
        self.seen = 0
        self._wins: NDArray[np.float64] | None = None

    @property
    def wins(self) -> NDArray[np.float64]:
        """What each column has earned; the highest one ranks."""
        return np.zeros(0) if self._wins is None else self._wins.copy()

    @property
    def column(self) -> int | None:
        """The column that ranks, or None before any learning."""
        return None if self._wins is None or not self._wins.any() else best_column(self._wins)

    def score(self, phi: Phi) -> Scores:
        """The best column of each row."""
        rows = matrix(phi, None if self._wins is None else len(self._wins))
        if self.column is None:
            return Uniform().score(rows)
        return _finite(rows[:, self.column].copy(), rows)

    def learn(self, winners: Phi, losers: Phi) -> None:
        """Count the columns that put each winner first; a pair of equal rows is not counted."""
        better, worse = _pairs(winners, losers, None if self._wins is None else len(self._wins))
        differ = (better != worse).any(axis=1)
        better, worse = better[differ], worse[differ]
        if len(better):
            earned = wins_of(better, worse)
            self._wins = earned if self._wins is None else self._wins + earned
            self.seen += len(better)

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Start afresh with the column that ranks best, on the validation rows where given."""
        graded = training(*(validation or (phi, grades, groups)))
        judge = Measure.parse(self.measure).judge(graded.grades, graded.starts)
        self._wins = np.array([judge.mean(column) for column in graded.phi.T])
        self.seen = 0
        return self

    def dump(self) -> State:
        """What each column has earned."""
        arrays = {} if self._wins is None else {"wins": self._wins.copy()}
        return State(self.name, {"measure": self.measure, "seen": self.seen}, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = cls(measure=state.spec["measure"])
        model.seen = int(state.spec["seen"])
        if "wins" in state.arrays:
            model._wins = np.array(state.arrays["wins"], np.float64)
        return model


class VSM:
    """One column, chosen beforehand: a single retrieval model such as tf-idf with cosine."""

    name: ClassVar[str] = "vsm"

    def __init__(self, *, column: int = 0) -> None:
        if column < 0:
            raise InvalidInput(f"vsm: column {column} is below 0")
        self.column = int(column)

    def score(self, phi: Phi) -> Scores:
        """That column of each row."""
        rows = matrix(phi, None)
        if self.column >= rows.shape[1]:
            raise InvalidInput(f"vsm: column {self.column}, but phi has {rows.shape[1]} columns")
        return _finite(rows[:, self.column].copy(), rows)

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Check the rows and learn nothing."""
        self.score(phi)
        queries(phi, grades, groups)
        return self

    def dump(self) -> State:
        """The column."""
        return State(self.name, {"column": self.column}, {})

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        return cls(column=state.spec["column"])

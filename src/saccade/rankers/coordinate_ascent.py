"""Coordinate ascent: move one weight at a time to wherever the measure itself is best.

    w_c ← w_c + argmax_t measure(scores + t * x_c)        for c in a random order, again and again

Metzler & Croft, "Linear Feature-Based Models for Information Retrieval" (2007). Steps grow by
doubling on both sides, and one step sets the weight to 0. The measure needs no gradient, so any one
can be named. Several starts (the first uniform, the others random) guard against a poor hill.
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from saccade.contracts import Training
from saccade.errors import InvalidInput
from saccade.rankers import checked
from saccade.rankers.batch import Floats, Standard, Watch
from saccade.rankers.objective import Judge, Measure
from saccade.rankers.weighted import Weighted
from saccade.types import Phi


class CoordinateAscent(Weighted):
    """Linear weights that make a measure of the training queries as high as it gets.

    Args:
        measure: what is raised, and what validation rows are judged by.
        starts: hills climbed; the best one wins.
        rounds: times over all features, at most.
        step, doublings: steps are ± step * 2^0 … 2^doublings, the weights' sizes adding up to 1.
        tolerance: a round that gains less than this is the last one.
        patience: with validation rows, rounds without a better value there before stopping.
    """

    name: ClassVar[str] = "coordinate-ascent"
    settings: ClassVar[tuple[str, ...]] = (
        "measure",
        "starts",
        "rounds",
        "step",
        "doublings",
        "tolerance",
        "patience",
        "seed",
    )

    def __init__(
        self,
        *,
        measure: str = "ndcg@10",
        starts: int = 3,
        rounds: int = 25,
        step: float = 0.01,
        doublings: int = 7,
        tolerance: float = 0.0005,
        patience: int = 5,
        seed: int = 0,
    ) -> None:
        if starts < 1 or rounds < 1 or not step > 0 or doublings < 0 or patience < 1:
            raise InvalidInput(
                "coordinate-ascent: starts, rounds and patience must be 1 or more, step above 0"
            )
        self.measure, self.starts, self.rounds = str(Measure.parse(measure)), starts, rounds
        self.step, self.doublings, self.tolerance = float(step), int(doublings), float(tolerance)
        self.patience, self.seed = int(patience), int(seed)
        super().__init__()

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Start afresh and climb."""
        rows = checked.training(phi, grades, groups)
        standard = Standard.of(rows.phi)
        # Columns are read one at a time: each lies together in memory.
        columns = np.ascontiguousarray(standard.apply(rows.phi).T)
        judge = Measure.parse(self.measure).judge(rows.grades, rows.starts)
        rng = np.random.default_rng(self.seed)
        best, best_value = None, -np.inf
        for number in range(self.starts):
            watch = Watch[Floats](
                validation, measure=self.measure, patience=self.patience, width=len(columns)
            )
            seen = None if watch.phi is None else standard.apply(watch.phi)
            begin = np.ones(len(columns)) if number == 0 else rng.standard_normal(len(columns))
            value = self._climb(columns, judge, begin, watch, seen, rng)
            if value > best_value:
                best, best_value = watch.best, value
        assert best is not None
        self._weights, self.skipped = standard.fold(best), rows.skipped
        return self

    def _climb(
        self,
        columns: Floats,
        judge: Judge,
        weights: Floats,
        watch: Watch[Floats],
        seen: Floats | None,
        rng: np.random.Generator,
    ) -> float:
        """One hill from `weights`; the value of the state that `watch` keeps."""
        sizes = self.step * 2.0 ** np.arange(self.doublings + 1)
        weights = weights / np.abs(weights).sum()
        scores = weights @ columns
        value = judge.mean(scores)
        for _ in range(self.rounds):
            before = value
            for column in rng.permutation(len(columns)):
                steps = np.concatenate([sizes, -sizes, [-weights[column]]])
                reached = judge.along(scores, columns[column], steps)
                top = int(reached.argmax())
                if reached[top] > value:
                    value = float(reached[top])
                    weights[column] += steps[top]
                    weights /= np.abs(weights).sum() or 1.0
                    scores = weights @ columns
            if watch.stop(None if seen is None else seen @ weights, weights.copy()):
                break
            if value - before < self.tolerance:
                break
        return value if seen is None else watch.value

"""PRank: a direction and ordered thresholds, so that the score falls between those of its grade.

    grade(x) = number of thresholds b_1 <= b_2 <= … at or below w · x
    at a mistake: for each threshold on the wrong side, w moves by ± x and the threshold by ∓ 1

Crammer & Singer, "Pranking with Ranking" (NIPS 2001). Pointwise: it looks at one row at a time, on
standard scores of the features. The mean of the state over all steps ranks (averaging, as in
Freund & Schapire's perceptron), because the last state of a perceptron depends on the last rows.
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.contracts import Training
from saccade.errors import InvalidInput
from saccade.rankers import checked
from saccade.rankers.batch import Floats, Standard, Watch, linear_scores, settings_of
from saccade.rankers.objective import Measure
from saccade.types import Array, Phi, Scores, State

_SETTINGS = ("passes", "average", "measure", "patience", "seed")


class PRank:
    """Pointwise ordinal perceptron; `predict` gives grades, `score` the value that is cut.

    Args:
        passes: times over all rows, in a new order each time.
        average: rank by the mean state over all steps instead of the last one.
    """

    name: ClassVar[str] = "prank"

    def __init__(
        self,
        *,
        passes: int = 5,
        average: bool = True,
        measure: str = "ndcg@10",
        patience: int = 5,
        seed: int = 0,
    ) -> None:
        if passes < 1 or patience < 1:
            raise InvalidInput("prank: passes and patience must be 1 or more")
        self.passes, self.average = int(passes), bool(average)
        self.measure, self.patience = str(Measure.parse(measure)), int(patience)
        self.seed = int(seed)
        self.skipped = 0
        self._weights: Floats | None = None
        self._thresholds: Floats = np.zeros(0)
        self._levels: NDArray[np.int64] = np.zeros(1, np.int64)

    @property
    def weights(self) -> Floats:
        """Weights on the features; there are none before learning."""
        if self._weights is None:
            raise InvalidInput("prank has no weights yet: fit it")
        return self._weights.copy()

    @property
    def thresholds(self) -> Floats:
        """Where the score changes grade, in rising order."""
        return self._thresholds.copy()

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Start afresh and pass over the rows."""
        from saccade.kernels.prank import pass_over

        rows = checked.training(phi, grades, groups)
        standard = Standard.of(rows.phi)
        features = standard.apply(rows.phi)
        # Grades that never occur need no threshold.
        grades_there, levels = np.unique(rows.grades, return_inverse=True)
        watch = Watch[tuple[Floats, Floats]](
            validation, measure=self.measure, patience=self.patience, width=features.shape[1]
        )
        seen = None if watch.phi is None else standard.apply(watch.phi)
        weights, thresholds = np.zeros(features.shape[1]), np.zeros(len(grades_there) - 1)
        sums = np.zeros(features.shape[1]), np.zeros(len(grades_there) - 1)
        rng = np.random.default_rng(self.seed)
        steps = 0
        for _ in range(self.passes):
            order = rng.permutation(len(features))
            mistakes = pass_over(features, levels, order, weights, thresholds, *sums)
            steps += len(order)
            state = (weights.copy(), thresholds.copy())
            if self.average and mistakes:
                state = (sums[0] / steps, sums[1] / steps)
            if watch.stop(None if seen is None else seen @ state[0], state) or not mistakes:
                break
        folded = standard.fold(watch.best[0])
        self._weights = folded
        self._thresholds = watch.best[1] + folded @ standard.mean
        self._levels, self.skipped = grades_there, rows.skipped
        return self

    def score(self, phi: Phi) -> Scores:
        """Weighted sum of each row; the mean of φ before any learning."""
        return linear_scores(phi, self._weights)

    def predict(self, phi: Phi) -> NDArray[np.int64]:
        """The grade of each row: how many thresholds its score has passed."""
        passed = np.searchsorted(self._thresholds, self.score(phi), side="right")
        grades: NDArray[np.int64] = self._levels[passed]
        return grades

    def dump(self) -> State:
        """Settings, weights, thresholds and the grades between them."""
        spec = {"settings": settings_of(self, *_SETTINGS), "skipped": self.skipped}
        if self._weights is None:
            return State(self.name, spec, {})
        arrays: dict[str, Array] = {
            "weights": self._weights.copy(),
            "thresholds": self._thresholds.copy(),
            "levels": self._levels.copy(),
        }
        return State(self.name, spec, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = cls(**dict(state.spec["settings"]))
        model.skipped = int(state.spec["skipped"])
        if "weights" in state.arrays:
            model._weights = np.array(state.arrays["weights"], np.float64)
            model._thresholds = np.array(state.arrays["thresholds"], np.float64)
            model._levels = np.array(state.arrays["levels"], np.int64)
        return model

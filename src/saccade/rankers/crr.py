"""Combined regression and ranking: one linear function for the labels of points and of pairs.

    min ½|w|² + C [ α / n₁ Σ_points ½(y − w·x − b)² + (1 − α) / n₂ Σ_pairs ½(t − w·(x_p − x_q))² ]

(Sculley 2010, eq. 1, with the squared loss.) t is 1 for an ordered pair and 0 for an alike one. A
kind that is missing leaves all the weight to the other. The minimum is that of a ridge regression
and is found in closed form, in the smaller of the two spaces, labels or columns; the paper samples.
"""

from __future__ import annotations

import numpy as np

from saccade.errors import InvalidInput
from saccade.kernels import hybrid as kernel
from saccade.rankers.attribute import Learned, LinearAttribute
from saccade.rankers.labels import Floats, Labels


class CRR(LinearAttribute):
    """Ridge regression on points and pairs together; `alpha` is the share of the points.

    >>> points, pair = ([[0.0, 0.0], [4.0, 0.0]], [-1, 1]), ([[0.0, 2.0]], [[0.0, 0.0]])
    >>> model = CRR(C=1e9).fit_labels(points=points, ordered=pair)
    >>> model.weights.round(3), model.thresholds.round(3)
    (array([0.5, 0.5]), array([1.]))
    """

    name = "crr"
    hears = frozenset({"points", "ordered", "similar"})
    settings = ("C", "alpha")

    def __init__(self, *, C: float = 30.0, alpha: float = 0.5) -> None:
        super().__init__()
        if not (np.isfinite(C) and C > 0 and 0 < alpha < 1):
            raise InvalidInput("crr: C must be a number above 0, and alpha between 0 and 1")
        self.C, self.alpha = float(C), float(alpha)

    def _solve(self, label_set: Labels) -> Learned:
        points = label_set.kind == kernel.POINT
        share = np.where(points, self.alpha / max(1, points.sum()), 0.0)
        share += np.where(~points, (1 - self.alpha) / max(1, (~points).sum()), 0.0)
        root = np.sqrt(self.C * share / share.sum())
        target = np.where(points, label_set.grade, label_set.kind == kernel.ORDERED) * root
        rows = label_set.vectors() * root[:, None]
        # The constant column of the points has no penalty: take its direction out of everything.
        constant = root * points
        length = float(constant @ constant)
        if length:
            inner = constant / length
            left, aim = (
                rows - np.outer(constant, inner @ rows),
                target - constant * (inner @ target),
            )
        else:
            left, aim = rows, target
        weights = _ridge(left, aim)
        offset = float(constant @ (target - rows @ weights)) / length if length else 0.0
        gaps = target - rows @ weights - constant * offset
        value = 0.5 * weights @ weights + 0.5 * gaps @ gaps
        return Learned(weights, np.full(int(points.any()), -offset), float(value))


def _ridge(rows: Floats, target: Floats) -> Floats:
    """Argmin ½|w|² + ½|target − rows·w|²."""
    from scipy.linalg import solve

    n, m = rows.shape
    if n <= m:
        weights: Floats = rows.T @ solve(rows @ rows.T + np.eye(n), target, assume_a="pos")
    else:
        weights = solve(rows.T @ rows + np.eye(m), rows.T @ target, assume_a="pos")
    return weights

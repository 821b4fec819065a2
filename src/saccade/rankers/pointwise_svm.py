"""A support vector machine on points alone, by libsvm.

    two grades     min ½|w|² + C Σ max(0, 1 − y (w·x + b))                      a classifier
    more of them   min ½|w|² + C Σ max(0, |y − w·x − b| − ε)                    a regression

(Cortes & Vapnik 1995; Drucker et al. 1997.) What a person would try first, and the floor that a
learner from comparisons has to rise above.
"""

from __future__ import annotations

import numpy as np

from saccade.errors import InvalidInput
from saccade.rankers.attribute import Learned, LinearAttribute
from saccade.rankers.labels import Labels


class PointwiseSVM(LinearAttribute):
    """libsvm's linear SVC on two grades, its SVR on more.

    >>> model = PointwiseSVM(C=10.0)
    >>> _ = model.fit_labels(([[0.0], [1.0]], [-1, 1]))
    >>> model.weights.round(3), model.thresholds.round(3)
    (array([2.]), array([1.]))
    """

    name = "pointwise-svm"
    packages = ("sklearn",)
    hears = frozenset({"points"})
    settings = ("C", "epsilon")

    def __init__(self, *, C: float = 1.0, epsilon: float = 0.1) -> None:
        super().__init__()
        if not (np.isfinite(C) and C > 0 and np.isfinite(epsilon) and epsilon >= 0):
            raise InvalidInput("pointwise-svm: C must be above 0, epsilon 0 or more")
        self.C, self.epsilon = float(C), float(epsilon)

    def _solve(self, label_set: Labels) -> Learned:
        from sklearn.svm import SVC, SVR

        rows = label_set.vectors().astype(np.float64)
        grades = np.unique(label_set.grade)
        if len(grades) == 1:  # one side alone has no other to be told from
            return Learned(np.zeros(label_set.width), np.empty(0), 0.0)
        if len(grades) == 2:
            signs = np.where(label_set.grade == grades[1], 1.0, -1.0)
            machine = SVC(kernel="linear", C=self.C, tol=1e-6).fit(rows, signs)
        else:
            signs = label_set.grade.astype(np.float64)
            machine = SVR(kernel="linear", C=self.C, epsilon=self.epsilon, tol=1e-6)
            machine.fit(rows, signs)
        weights, offset = np.array(machine.coef_[0]), float(machine.intercept_[0])
        values = rows @ weights + offset
        losses = (
            np.maximum(0.0, 1.0 - signs * values)
            if len(grades) == 2
            else np.maximum(0.0, np.abs(signs - values) - self.epsilon)
        )
        value = 0.5 * weights @ weights + self.C * losses.sum()
        return Learned(weights, np.array([-offset]), float(value))

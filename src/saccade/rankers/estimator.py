"""Rankers for scikit-learn: put them in a Pipeline or a GridSearchCV.

    with sklearn.config_context(enable_metadata_routing=True):
        ranker = RankerEstimator("ranksvm").set_fit_request(groups=True)
        ranker.set_score_request(groups=True)
        search = GridSearchCV(ranker, {"C": [0.1, 1, 10]}, cv=GroupKFold(5))
        search.fit(X, grades, groups=queries)

`groups` are query numbers, and scikit-learn hands them on only where metadata routing is on;
without it, `pipeline.fit(X, grades, rankerestimator__groups=queries)` does. GroupKFold keeps the
rows of a query in one fold. This module imports scikit-learn, so import it by name when needed.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from saccade import rankers
from saccade.rankers.checked import queries
from saccade.rankers.objective import Measure


class RankerEstimator(BaseEstimator):  # type: ignore[misc]
    """A ranker of the table as a scikit-learn estimator.

    `score` gives the mean of `judged_by` over the queries: a search maximises that measure.

    >>> model = RankerEstimator("opar1", C=0.5)
    >>> model.get_params()["C"], model.get_params()["judged_by"]
    (0.5, 'ndcg@10')
    """

    def __init__(self, ranker: str = "ranksvm", *, judged_by: str = "ndcg@10", **settings: Any):
        self.ranker = ranker
        self.judged_by = judged_by
        self.settings = settings

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Name, measure to be judged by and every parameter of the ranker."""
        own = {"ranker": self.ranker, "judged_by": self.judged_by}
        return own | rankers.parameters(self.ranker) | self.settings

    def set_params(self, **params: Any) -> Self:
        """Change some; a new `ranker` starts from its own parameters."""
        if params.get("ranker", self.ranker) != self.ranker:
            self.settings = {}
        self.ranker = params.pop("ranker", self.ranker)
        self.judged_by = params.pop("judged_by", self.judged_by)
        self.settings = self.settings | params
        rankers.make(self.ranker, **self.settings)  # an unknown parameter is refused here
        return self

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Fit on rows `X` with grades `y`; without `groups` all rows are one query."""
        model = rankers.make(self.ranker, **self.settings)
        model.fit(X, y, _groups(X, groups))
        self.ranker_ = model
        self.n_features_in_ = np.shape(X)[1]
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ranker_")

    def predict(self, X: Any) -> NDArray[np.float32]:
        """Score of each row; higher is better."""
        if not hasattr(self, "ranker_"):
            raise NotFittedError(f"this RankerEstimator of {self.ranker!r} is not fitted yet")
        scores: NDArray[np.float32] = self.ranker_.score(X)
        return scores

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """Mean `judged_by` over the queries that have something to order."""
        graded = queries(X, y, _groups(X, groups))
        judge = Measure.parse(self.judged_by).judge(graded.grades, graded.starts)
        return judge.mean(self.predict(graded.phi))


def _groups(X: Any, groups: Any) -> Any:
    return np.zeros(len(X), np.int64) if groups is None else groups

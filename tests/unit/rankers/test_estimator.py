"""Rankers inside scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from saccade.errors import UnknownName
from saccade.rankers.estimator import RankerEstimator


@pytest.fixture
def graded():
    rng = np.random.default_rng(0)
    phi = rng.normal(size=(120, 5))
    groups = np.repeat(np.arange(12), 10)
    grades = (phi[:, 2] - 0.5 * phi[:, 4] > 0.3).astype(int)
    return phi, grades, groups


def test_a_clone_has_the_same_parameters_and_is_not_fitted(graded):
    """clone() copies the parameters and nothing that was learned."""
    phi, grades, groups = graded
    model = RankerEstimator("opar1", C=0.25).fit(phi, grades, groups)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError, match="opar1"):
        copy.predict(phi)


def test_a_grid_search_over_queries_finds_the_better_parameter(graded):
    """GridSearchCV with folds by query tries each value and refits the best."""
    phi, grades, groups = graded
    with sklearn.config_context(enable_metadata_routing=True):
        model = RankerEstimator("vsm").set_fit_request(groups=True).set_score_request(groups=True)
        search = GridSearchCV(model, {"column": [0, 1, 2]}, cv=GroupKFold(3))
        search.fit(phi, grades, groups=groups)
    assert search.best_params_ == {"column": 2}
    assert search.predict(phi) == pytest.approx(phi[:, 2], abs=1e-6)


def test_a_search_may_range_over_rankers(graded):
    """The ranker itself is a parameter: a learner beats the mean of the features."""
    phi, grades, groups = graded
    with sklearn.config_context(enable_metadata_routing=True):
        model = RankerEstimator().set_fit_request(groups=True).set_score_request(groups=True)
        search = GridSearchCV(model, {"ranker": ["uniform", "ranksvm"]}, cv=GroupKFold(3))
        search.fit(phi, grades, groups=groups)
    assert search.best_params_ == {"ranker": "ranksvm"}


def test_it_ends_a_pipeline(graded):
    """A Pipeline scales the rows, then ranks them."""
    phi, grades, groups = graded
    pipeline = make_pipeline(StandardScaler(), RankerEstimator("ranksvm"))
    pipeline.fit(1000.0 + 50.0 * phi, grades, rankerestimator__groups=groups)
    assert pipeline.score(1000.0 + 50.0 * phi, grades) > 0.9


def test_an_unknown_parameter_is_named_with_the_nearest_one():
    """set_params refuses what the ranker does not take."""
    with pytest.raises(UnknownName, match="did you mean 'passes'"):
        RankerEstimator("opar1").set_params(pases=3)


def test_a_new_ranker_starts_from_its_own_parameters():
    """Parameters of the ranker before it are not carried over."""
    model = RankerEstimator("ranksvm", tolerance=1e-3).set_params(ranker="opar1", C=2.0)
    assert model.settings == {"C": 2.0}

"""C and gamma of multiple-instance rankers by cross-validation on one kernel matrix a width."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import rankers
from saccade.errors import InvalidInput
from saccade.rankers import bag_tuning
from saccade.rankers.bag_tuning import COSTS, tune_bags
from saccade.rankers.bags import graded_pairs
from saccade.testbed import measures


def planted(seed=0, count=40):
    rng = np.random.default_rng(seed)
    grades, bags = rng.permutation(np.arange(count) % 3), []
    for grade in grades:
        bag = rng.standard_normal((int(rng.integers(3, 7)), 5)).astype(np.float32)
        bag[0, :2] += np.float32(1.5 * grade)
        bags.append(bag)
    return bags, grades


@pytest.mark.parametrize("name", ["mi-average", "mi-max", "mi-softmax"])
def test_each_value_is_that_of_rankers_fitted_fold_by_fold(name):
    """Two folds, each learned from and judged by the other: no bag is on both sides."""
    bags, grades = planted()
    found = tune_bags(name, bags, grades, costs=(5.0, 50.0), widths=(0.1, 1.0), standardise=False)
    assert len(found.trials) == 4
    trial = found.trials[2]
    assert trial.settings == {"C": 5.0, "gamma": 1.0 / 5}
    rng = np.random.default_rng(0)
    order = np.concatenate([rng.permutation(np.flatnonzero(grades == g)) for g in range(3)])
    values = []
    for fold in (0, 1):
        judged = np.sort(order[fold::2])
        train = np.setdiff1d(order, judged)
        model = rankers.make(name, C=5.0, gamma=1.0 / 5, standardise=False)
        model.fit_bags([bags[i] for i in train], graded_pairs(grades[train]))
        scores = model.score_bags([bags[i] for i in judged])
        values.append(measures.value("map", scores, (grades[judged] == 2).astype(int)))
    assert trial.value == pytest.approx(np.mean(values), abs=1e-6)
    assert found.value == max(t.value for t in found.trials)


def test_the_kernel_is_computed_once_a_width(monkeypatch):
    """However many costs and sharpnesses are tried on it."""
    widths = []
    honest = bag_tuning._gram
    monkeypatch.setattr(bag_tuning, "_gram", lambda d, g: widths.append(g) or honest(d, g))
    bags, grades = planted(5)
    tune_bags("mi-softmax", bags, grades, costs=(1.0, 10.0), widths=(0.1, 1.0), etas=(0.5, 4.0))
    assert widths == [0.1 / 5, 1.0 / 5]


def test_the_sharpness_of_a_softmax_can_be_chosen_as_well():
    """Each η is a trial of its own, with the value that it has when it is the only one."""
    bags, grades = planted(2)
    some = {"costs": (10.0, 100.0), "widths": (0.3,)}
    found = tune_bags("mi-softmax", bags, grades, etas=(0.25, 4.0), **some)
    assert [trial.settings["eta"] for trial in found.trials] == [0.25, 4.0, 0.25, 4.0]
    for eta in (0.25, 4.0):
        alone = tune_bags("mi-softmax", bags, grades, eta=eta, **some)
        mine = [trial.value for trial in found.trials if trial.settings["eta"] == eta]
        assert mine == [trial.value for trial in alone.trials]
    assert len({trial.value for trial in found.trials}) > 1


def test_the_least_cost_ranks_as_the_average_does():
    """The grid reaches from where softmax is the mean to where it is not."""
    bags, grades = planted(3)
    pairs = graded_pairs(grades)
    near = {
        C: np.corrcoef(
            *(
                rankers.make(name, C=C, gamma=0.06).fit_bags(bags, pairs).score_bags(bags)
                for name in ("mi-average", "mi-softmax")
            )
        )[0, 1]
        for C in (COSTS[0], COSTS[-1])
    }
    assert near[COSTS[0]] > 0.99
    assert near[COSTS[-1]] < 0.95


def test_another_measure_sees_all_grades():
    """NDCG counts the middle grade as well."""
    bags, grades = planted(1)
    found = tune_bags("mi-average", bags, grades, costs=(10.0,), widths=(0.1,), measure="ndcg@5")
    assert found.measure == "ndcg@5"
    assert 0.0 < found.value <= 1.0


def test_every_fold_must_order_something():
    """Too few grades to learn from or to judge by are refused before anything is computed."""
    bags, _ = planted(count=6)
    with pytest.raises(InvalidInput, match="two different grades"):
        tune_bags("mi-average", bags, [1, 1, 1, 1, 1, 2])
    with pytest.raises(InvalidInput, match="one per bag"):
        tune_bags("mi-average", bags, [1, 2])
    with pytest.raises(InvalidInput, match="0 bags in 2 folds"):
        tune_bags("mi-average", [], [])

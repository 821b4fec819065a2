"""Which split tunes, fits and judges: φ carries the pair it belongs to, and a spy reads it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from saccade import rankers
from saccade.errors import InvalidInput
from saccade.rankers.baselines import Uniform
from saccade.rankers.tuning import GRIDS
from saccade.studies.protocol import LEAST, Sizes, fold_of, queries_of, split
from saccade.studies.wan2015 import table2

SIZES = Sizes(validation=8, test=6, instances=900)
LABELS = np.concatenate([np.repeat(np.arange(4), 15), [9], [-1] * 10])  # one alone, ten distractors


def told(query: int) -> np.ndarray:
    """φ(q, p) = (q, p, same class): whoever sees a row knows where it comes from."""
    n = len(LABELS)
    same = (LABELS[query] == LABELS) & (LABELS >= 0)
    return np.stack([np.full(n, query), np.arange(n), same], axis=1).astype(np.float32)


def seen(graded: tuple[Any, ...]) -> tuple[set[int], set[int]]:
    """The queries and the images of rows."""
    return set(graded[0][:, 0].astype(int)), set(graded[0][:, 1].astype(int))


@pytest.mark.parametrize("fold", range(1, 6))
@pytest.mark.parametrize("counted", ["pairs", "rows"])
def test_training_knows_only_training_images(fold: int, counted: str) -> None:
    """Queries, relevant and irrelevant images of training are all of the fold's three parts."""
    sizes = Sizes(validation=8, test=6, instances=900, counted=counted)
    parts = fold_of(LABELS, sizes, seed=1, fold=fold)
    train, validate, test = (
        set(part.tolist()) for part in (parts.train, parts.validate, parts.test)
    )
    assert not train & validate
    assert not train & test
    assert not validate & test
    found = split(LABELS, told, sizes, seed=1, fold=fold)
    queries, images = seen(found.train)
    assert queries | images <= train
    assert seen(found.validate)[0] <= validate
    assert seen(found.test)[0] <= test
    assert set(found.queries.tolist()) == seen(found.test)[0]


def test_every_image_with_a_companion_is_tested_in_one_fold() -> None:
    """The folds turn: over five of them each possible query is in the test part exactly once."""
    tested = np.concatenate([fold_of(LABELS, SIZES, seed=2, fold=k).test for k in range(1, 6)])
    assert np.sort(tested).tolist() == queries_of(LABELS).tolist() == list(range(60))


def test_the_same_seed_gives_every_system_the_same_fold() -> None:
    """And another seed another one; how instances are counted does not move the queries."""
    one, two = (split(LABELS, told, SIZES, seed=4, fold=2) for _ in range(2))
    for part in ("train", "validate", "test"):
        np.testing.assert_array_equal(getattr(one, part)[0], getattr(two, part)[0])
    rows = split(LABELS, told, Sizes(8 and 5, 8, 6, 900, "rows"), seed=4, fold=2)
    assert rows.queries.tolist() == one.queries.tolist()
    other = split(LABELS, told, SIZES, seed=5, fold=2)
    assert other.queries.tolist() != one.queries.tolist()


def test_lists_hold_everything_but_the_query() -> None:
    """Validation and test queries rank the whole collection, distractors included."""
    found = split(LABELS, told, SIZES, seed=1, fold=1)
    for graded, count in ((found.validate, 8), (found.test, 6)):
        phi, grades, groups = graded
        assert len(np.unique(groups)) == count
        for query in np.unique(groups):
            mine = phi[groups == query]
            assert sorted(mine[:, 1].astype(int)) == [i for i in range(len(LABELS)) if i != query]
            assert grades[groups == query].sum() == 14
            np.testing.assert_array_equal(grades[groups == query], mine[:, 2])


def test_all_relevant_and_sampled_irrelevant_images_are_learned_from() -> None:
    """A training query has every relevant training image; its pairs add up to the instances."""
    parts = fold_of(LABELS, SIZES, seed=1, fold=1)
    found = split(LABELS, told, SIZES, seed=1, fold=1)
    phi, grades, groups = found.train
    for query in np.unique(groups):
        mine = phi[groups == query]
        relevant = {int(p) for p in mine[:, 1][grades[groups == query] == 1]}
        assert relevant == {
            int(p) for p in parts.train if LABELS[p] == LABELS[query] and p != query
        }
        assert (grades[groups == query] == 0).sum() >= LEAST
    assert found.sizes()["training_pairs"] == pytest.approx(900, rel=0.15)
    rows = split(LABELS, told, Sizes(5, 8, 6, 500, "rows"), seed=1, fold=1)
    assert rows.sizes()["training_rows"] == pytest.approx(500, rel=0.15)


def test_few_instances_mean_fewer_queries() -> None:
    """When even the relevant images are too many, training queries are drawn."""
    found = split(LABELS, told, Sizes(5, 5, 5, 200), seed=0, fold=1)
    assert found.sizes()["training_pairs"] <= 260
    assert 2 <= found.sizes()["training_queries"] < 10


def test_sets_without_pairs_are_refused() -> None:
    """One class, or classes of one image, have nothing to learn from; nor is there a sixth fold."""
    for labels in (np.zeros(20, np.int64), np.arange(20), np.full(20, -1)):
        with pytest.raises(InvalidInput, match="two classes"):
            fold_of(labels, SIZES, seed=0, fold=1)
    with pytest.raises(InvalidInput, match="expected 1 to 5"):
        fold_of(LABELS, SIZES, seed=0, fold=6)


class Spy(Uniform):
    """Stands for a ranker: scores by the third column and writes down what it was given."""

    def __init__(self, log: list[tuple[str, dict[str, Any], set[int]]], settings: Any) -> None:
        self.log, self.settings = log, settings

    def fit(self, phi: Any, grades: Any, groups: Any, *, validation: Any = None) -> None:
        self.log.append(("fit", self.settings, set(phi[:, 0].astype(int))))
        if validation is not None:
            self.log.append(("choose", self.settings, set(validation[0][:, 0].astype(int))))

    def score(self, phi: Any) -> Any:
        self.log.append(("score", self.settings, set(phi[:, 0].astype(int))))
        # The third setting of the grid is the best one; the last fit must use it.
        good = 1.0 if self.settings.get("C") == GRIDS["opar1"]["C"][2] else -1.0
        return good * phi[:, 2] + 1e-6 * phi[:, 1]


@pytest.fixture
def spied(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    log: list[Any] = []
    monkeypatch.setattr(rankers, "make", lambda name, **settings: Spy(log, settings))
    fold = split(LABELS, told, SIZES, seed=1, fold=3)
    return SimpleNamespace(log=log, fold=fold)


def test_settings_are_chosen_on_validation_and_judged_on_test(spied: SimpleNamespace) -> None:
    """Every setting of the grid fits training and scores validation; the best alone sees test."""
    values, notes = table2.one("opar1", spied.fold)
    train, validate, test = (seen(getattr(spied.fold, p))[0] for p in ("train", "validate", "test"))
    grid = GRIDS["opar1"]["C"]
    fixed = {"passes": 1, "average": False}
    expected = []
    for C in grid:
        expected += [("fit", {**fixed, "C": C}, train), ("score", {**fixed, "C": C}, validate)]
    best = {**fixed, "C": grid[2]}
    expected += [("fit", best, train), ("score", best, test)]
    assert spied.log == expected
    assert notes["settings"] == best
    assert len(values) == 6
    assert (values == 1.0).all()


def test_the_best_scheme_is_chosen_on_validation(spied: SimpleNamespace) -> None:
    """It has no grid: the validation queries choose its column."""
    table2.one("best-scheme", spied.fold)
    assert [(what, queries) for what, _, queries in spied.log] == [
        ("fit", seen(spied.fold.train)[0]),
        ("choose", seen(spied.fold.validate)[0]),
        ("score", seen(spied.fold.test)[0]),
    ]


def test_the_papers_form_and_ours_are_as_the_page_says() -> None:
    """One pass and last weights, a hidden layer, the hinge; ours with the rankers' defaults."""
    for name in ("opr", "opar1", "opar2", "ogdr"):
        assert table2.fixed_settings(name) == {"passes": 1, "average": False}
        assert table2.fixed_settings(name + "*") == {}
    assert table2.fixed_settings("ranknet") == {"hidden": 10}
    assert table2.fixed_settings("ranksvm") == {"loss": "hinge"}
    assert table2.fixed_settings("ranksvm*") == {}

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.rankers import make, parameters
from saccade.rankers.tuning import GRIDS, tune


class Column:
    """Ranks by one column: its setting is its value."""

    fitted: ClassVar[list[set[int]]] = []

    def __init__(self, *, column: int) -> None:
        self.column = column

    def fit(self, phi: Any, grades: Any, groups: Any) -> None:
        Column.fitted.append(set(np.asarray(groups).tolist()))

    def score(self, phi: Any) -> np.ndarray:
        return np.asarray(phi)[:, self.column]


def _rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    phi = rng.random((60, 3)).astype(np.float32)
    return phi, (phi[:, 1] > 0.5).astype(int), np.repeat(np.arange(12), 5)


def test_the_settings_that_rank_best_win() -> None:
    """Column 1 makes the grades, so it is chosen, and all that was tried is kept."""
    found = tune(Column, {"column": [0, 1, 2]}, _rows(), measure="ap", folds=4)
    assert found.best == {"column": 1}
    assert found.value == 1.0
    assert found.measure == "map"
    assert [trial.settings["column"] for trial in found.trials] == [0, 1, 2]


def test_folds_never_learn_from_the_queries_they_judge() -> None:
    """Each query is left out of exactly one of the fits."""
    Column.fitted.clear()
    tune(Column, {"column": [0]}, _rows(), measure="map", folds=4)
    assert len(Column.fitted) == 4
    left_out = [set(range(12)) - seen for seen in Column.fitted]
    assert sorted(query for part in left_out for query in part) == list(range(12))


def test_given_validation_rows_are_the_judge() -> None:
    """With rows to validate on there is one fit a trial, on the training rows alone."""
    Column.fitted.clear()
    phi, _, groups = _rows()
    other = (phi, (phi[:, 2] > 0.5).astype(int), groups)
    found = tune(Column, {"column": [0, 1, 2]}, _rows(), validation=other, measure="map")
    assert found.best == {"column": 2}
    assert len(Column.fitted) == 3


def test_random_search_draws_some_of_the_grid_by_its_seed() -> None:
    """The same seed tries the same settings; none is tried twice."""
    grid = {"column": [0, 1, 2]}
    one, two = (
        tune(Column, grid, _rows(), measure="map", folds=2, search="random", trials=2, seed=3)
        for _ in range(2)
    )
    tried = [trial.settings["column"] for trial in one.trials]
    assert len(set(tried)) == 2
    assert one == two


def test_folds_and_searches_that_cannot_be_are_refused() -> None:
    """More folds than queries, and an unknown search."""
    with pytest.raises(InvalidInput, match="13 folds of 12 queries"):
        tune(Column, {"column": [0]}, _rows(), measure="map", folds=13)
    with pytest.raises(InvalidInput, match="'grid' or 'random'"):
        tune(Column, {"column": [0]}, _rows(), measure="map", search="bayes")


@pytest.mark.parametrize("name", sorted(GRIDS))
def test_every_grid_names_settings_that_its_ranker_takes(name: str) -> None:
    """Each value of each setting makes a ranker."""
    for key, values in GRIDS[name].items():
        assert key in parameters(name)
        for value in values:
            make(name, **{key: value})

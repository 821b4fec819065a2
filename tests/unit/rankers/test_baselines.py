"""The rankers every learner must beat."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import rankers
from saccade.errors import InvalidInput


def test_uniform_is_the_mean_of_the_row():
    """Every column counts the same."""
    phi = np.random.default_rng(0).random((5, 7))
    assert rankers.make("uniform").score(phi) == pytest.approx(phi.mean(axis=1))


def test_best_scheme_follows_the_column_that_orders_most_pairs():
    """Column 2 orders three of four pairs, the others fewer."""
    winners = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]], float)
    losers = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    model = rankers.make("best-scheme")
    model.learn(winners, losers)
    assert model.wins.tolist() == [2.0, 2.0, 3.0]
    assert model.column == 2
    assert model.score(winners).tolist() == [1, 1, 1, 0]


def test_a_tie_earns_half_and_equal_columns_go_to_the_lower():
    """Columns 0 and 1 both earn half a pair: the lower one ranks."""
    model = rankers.make("best-scheme")
    model.learn([[0.5, 0.5, 0.0]], [[0.5, 0.5, 1.0]])
    assert model.wins.tolist() == [0.5, 0.5, 0.0]
    assert model.column == 0


def test_best_scheme_fits_by_map_and_prefers_validation_rows():
    """The column with the best measure on the rows it is judged on."""
    phi = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    groups = np.array([1, 1, 2, 2])
    model = rankers.make("best-scheme")
    model.fit(phi, [0, 1, 0, 1], groups)
    assert model.column == 0
    model.fit(phi, [0, 1, 0, 1], groups, validation=(phi, [1, 0, 1, 0], groups))
    assert model.column == 1


def test_vsm_is_one_column_and_must_be_there():
    """A column beyond the last one is named."""
    phi = np.arange(6.0).reshape(2, 3)
    assert rankers.make("vsm", column=1).score(phi).tolist() == [1.0, 4.0]
    with pytest.raises(InvalidInput, match="column 3, but phi has 3"):
        rankers.make("vsm", column=3).score(phi)

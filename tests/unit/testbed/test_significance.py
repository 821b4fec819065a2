from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from saccade.errors import InvalidInput
from saccade.testbed.significance import compare, randomisation


def test_the_t_test_is_scipys() -> None:
    """The p-value equals a trusted implementation's."""
    rng = np.random.default_rng(0)
    one, two = rng.random(50), rng.random(50)
    assert compare(one, two, seed=0).p_t == pytest.approx(stats.ttest_rel(one, two).pvalue)


def test_the_drawn_randomisation_test_agrees_with_the_listed_one() -> None:
    """Ten thousand drawn flips come within a hundredth of scipy's exact test on twelve pairs."""
    rng = np.random.default_rng(1)
    gaps = rng.normal(0.3, 1.0, 12)

    def mean(values: np.ndarray, axis: int) -> np.ndarray:
        return values.mean(axis=axis)

    exact = stats.permutation_test(
        (gaps,), mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert compare(gaps, np.zeros(12), seed=0).p_randomisation == pytest.approx(exact)
    wide = np.concatenate([gaps, np.zeros(10)])  # zeros flip to themselves: the same distribution
    drawn = compare(wide, np.zeros(22), seed=0).p_randomisation
    assert drawn == pytest.approx(exact, abs=0.015)


def test_a_seed_decides_the_drawn_test() -> None:
    """The same seed gives the same p-value; another may not."""
    rng = np.random.default_rng(2)
    one, two = rng.random(30), rng.random(30)
    first, again, other = (compare(one, two, seed=s).p_randomisation for s in (7, 7, 8))
    assert first == again != other


def test_equal_runs_are_not_different() -> None:
    """Both p-values are 1 and every query is a tie."""
    values = np.linspace(0, 1, 20)
    found = compare(values, values, seed=0)
    assert (found.p_randomisation, found.p_t, found.ties) == (1.0, 1.0, 20)


def test_queries_without_a_value_are_left_out() -> None:
    """A NaN on either side removes the query."""
    found = compare(np.array([1.0, np.nan, 0.5]), np.array([0.5, 0.5, 0.5]), seed=0)
    assert (found.queries, found.wins, found.ties) == (2, 1, 1)


def test_runs_of_different_length_are_refused() -> None:
    """There is no pairing without one value per query on both sides."""
    with pytest.raises(InvalidInput, match="one value per query"):
        compare(np.zeros(3), np.zeros(4), seed=0)


@pytest.mark.parametrize("flips", [9, 99, 1000, 2500])
def test_a_drawn_test_never_says_that_chance_is_impossible(flips: int) -> None:
    """What was observed is one of the flips: of so many drawn, the least is one in one more."""
    assert randomisation(np.ones(60), seed=0, flips=flips) == 1 / (flips + 1)


def test_every_flip_that_reaches_as_far_counts() -> None:
    """Where all do, chance is certain."""
    assert randomisation(np.zeros(30), seed=0, flips=500) == 1.0

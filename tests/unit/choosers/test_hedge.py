"""Hedge against its printed form, and its options."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import choosers
from saccade.errors import InvalidInput


def test_a_fixed_rate_multiplies_each_weight_by_its_own_loss():
    """w_n ← w_n (1 − ε)^l_n, with the expert's own loss and not the chosen one's."""
    rng = np.random.default_rng(0)
    chooser, plain = choosers.make("hedge", experts=6, rate=0.25), np.ones(6)
    for losses in rng.random((40, 6)):
        chooser.update(losses)
        plain *= 0.75**losses
    np.testing.assert_allclose(chooser.weights, plain / plain.sum(), rtol=1e-12)


def test_a_million_losses_do_not_underflow():
    """The ratio of two weights is right where both plain weights would be 0."""
    chooser = choosers.make("hedge", experts=2, rate=0.5)
    state = chooser.dump()
    state.arrays["losses"][:] = 1e6, 1e6 + 1
    loaded = choosers.load(state)
    np.testing.assert_allclose(loaded.weights, [2 / 3, 1 / 3], rtol=1e-9)


def test_a_prior_is_where_it_starts_and_counts_on():
    """Weights are prior · (1 − ε)^L; the prior need not sum to 1."""
    chooser = choosers.make("hedge", experts=3, rate=0.5, prior=[2, 1, 1])
    assert chooser.weights.tolist() == [0.5, 0.25, 0.25]
    chooser.update([1, 0, 0])
    np.testing.assert_allclose(chooser.weights, [1 / 3, 1 / 3, 1 / 3], rtol=1e-12)


def test_a_decreasing_rate_is_two_root_log_over_round():
    """η of round t is 2 √(ln N / t): worked for two rounds."""
    chooser = choosers.make("hedge", experts=2)
    chooser.update([1, 0])
    expected = 1 / (1 + np.exp(-2 * np.sqrt(np.log(2) / 2)))
    np.testing.assert_allclose(chooser.weights[1], expected, rtol=1e-12)
    chooser.update([1, 0])
    expected = 1 / (1 + np.exp(-2 * 2 * np.sqrt(np.log(2) / 3)))
    np.testing.assert_allclose(chooser.weights[1], expected, rtol=1e-12)


def test_a_doubling_rate_starts_afresh_when_the_stretch_doubles():
    """After rounds 1, 3, 7 … the weights are even again, or the prior's."""
    chooser = choosers.make("hedge", experts=3, rate="doubling", prior=[0.5, 0.25, 0.25])
    fresh = []
    for step in range(1, 16):
        chooser.update([1.0, 0.5, 0.0])
        if np.allclose(chooser.weights, [0.5, 0.25, 0.25]):
            fresh.append(step)
    assert fresh == [1, 3, 7, 15]
    chooser.update([0.0, 1.0, 1.0])  # one round into the stretch of sixteen
    eta = np.sqrt(8 * np.log(3) / 16)
    np.testing.assert_allclose(chooser.weights[0], 1 / (1 + np.exp(-eta)), rtol=1e-12)
    assert chooser.losses.tolist() == [15.0, 8.5, 1.0]


def test_absences_are_counted():
    """`own` and `awake` tell what an expert really lost and how often it was there."""
    chooser = choosers.make("hedge", experts=2, rate=0.5)
    chooser.update([1.0, np.nan], present=np.array([True, False]))
    chooser.update([0.0, 1.0])
    assert chooser.own.tolist() == [1.0, 1.0]
    assert chooser.awake.tolist() == [2.0, 1.0]
    assert chooser.losses.tolist() == [1.0, 2.0]
    assert chooser.served == 1.5


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, np.nan, "slow", True, [0.1]])
def test_a_rate_out_of_range_is_refused(rate):
    """ε is above 0 and below 1, or the name of a schedule."""
    with pytest.raises(InvalidInput, match="rate is"):
        choosers.make("hedge", experts=2, rate=rate)


@pytest.mark.parametrize("prior", [[1], [0, 1], [-1, 2], [np.nan, 1], ["a", "b"], [[1, 1]]])
def test_a_prior_that_is_none_is_refused(prior):
    """A prior is one number above 0 an expert."""
    with pytest.raises(InvalidInput, match="prior must be"):
        choosers.make("hedge", experts=2, prior=prior)

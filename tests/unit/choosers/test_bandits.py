"""Exp3, Exp3-IX and Thompson sampling against their printed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from saccade import choosers
from saccade.choosers.thompson import chance_of_best


def test_exp3_is_the_one_of_auer():
    """Chances are (1 − γ) w / Σw + γ/N and w_c ← w_c exp(γ (1 − l) / (p_c N)), in plain weights."""
    rng, gamma = np.random.default_rng(3), 0.25
    bandit, plain = choosers.make("exp3", experts=4, rate=gamma), np.ones(4)
    for _ in range(60):
        chances = (1 - gamma) * plain / plain.sum() + gamma / 4
        np.testing.assert_allclose(bandit.weights, chances, rtol=1e-10)
        arm, chance = bandit.choose(rng=rng)
        loss = rng.random()
        bandit.update(arm, loss, probability=chance)
        plain[arm] *= np.exp(gamma * (1 - loss) / chances[arm] / 4)


def test_exp3_does_not_overflow():
    """Where plain weights would be infinite, chances are still chances."""
    bandit = choosers.make("exp3", experts=3, rate=0.5)
    for _ in range(5000):
        bandit.update(0, 0.0, probability=0.2)
    np.testing.assert_allclose(bandit.weights, [0.5 + 0.5 / 3, 0.5 / 3, 0.5 / 3])


def test_exp3_halves_its_doubling_rate_as_the_gains_grow():
    """Exp3.1: epoch r ends when the best G passes g_r − N / γ_r, g_r = N ln N / (e−1) · 4^r."""
    bandit = choosers.make("exp3", experts=4, rate="doubling")
    base, gains = 4 * math.log(4) / (math.e - 1), 0.0
    epochs = {bandit.epoch}
    for _ in range(400):
        bandit.update(2, 0.0, probability=0.5)
        gains += 2.0
        expected = next(r for r in range(20) if gains <= base * 4**r - 4 * 2**r)
        assert bandit.epoch == expected
        assert bandit.exploration == 0.5**expected
        epochs.add(bandit.epoch)
    assert len(epochs) >= 3


def test_exp3_explores_less_and_less():
    """The decreasing share spread evenly starts at a half and falls like one over a root."""
    bandit = choosers.make("exp3", experts=10)
    assert bandit.exploration == 0.5
    for _ in range(1999):
        bandit.update(0, 0.5, probability=0.5)
    scale = 1 / math.sqrt(2 * (2 * math.e - 3))
    assert bandit.exploration == pytest.approx(scale * math.sqrt(10 * math.log(10) / 2000))


def test_exp3_ix_is_the_one_of_neu():
    """Chances go as exp(−η L) with L_c += l / (p_c + η/2)."""
    rng, eta = np.random.default_rng(4), 0.2
    bandit, sums = choosers.make("exp3-ix", experts=4, rate=eta), np.zeros(4)
    for _ in range(60):
        chances = np.exp(-eta * sums) / np.exp(-eta * sums).sum()
        np.testing.assert_allclose(bandit.weights, chances, rtol=1e-10)
        arm, chance = bandit.choose(rng=rng)
        loss = rng.random()
        bandit.update(arm, loss, probability=chance)
        sums[arm] += loss / (chance + eta / 2)


def test_exp3_ix_doubling_starts_afresh():
    """After rounds 1, 3, 7 all arms are alike again."""
    bandit = choosers.make("exp3-ix", experts=3, rate="doubling")
    fresh = []
    for step in range(1, 9):
        bandit.update(0, 1.0, probability=0.5)
        if np.allclose(bandit.weights, 1 / 3):
            fresh.append(step)
    assert fresh == [1, 3, 7]
    eta = math.sqrt(2 * math.log(3) / (3 * 8))
    estimate = 1 / (0.5 + eta / 2)
    expected = 1 / (1 + 2 * math.exp(eta * estimate))
    assert bandit.weights[0] == pytest.approx(expected, rel=1e-12)


def test_exp3_ix_decreases_with_rounds_and_arms():
    """η of round t is √(ln N / (N t)), in the weights and in the estimate."""
    bandit = choosers.make("exp3-ix", experts=3)
    bandit.update(0, 1.0, probability=0.5)
    first, second = (math.sqrt(math.log(3) / (3 * t)) for t in (1, 2))
    expected = 1 / (1 + 2 * math.exp(second / (0.5 + first / 2)))
    assert bandit.weights[0] == pytest.approx(expected, rel=1e-12)


def test_thompson_chances_are_those_of_many_draws():
    """The computed chance of being best is the share of sampled beliefs in which it is."""
    rng = np.random.default_rng(5)
    for gained, lost in (
        ([1, 1, 1, 1], [1, 1, 1, 1]),
        ([2, 30, 5.5, 1], [9, 10, 1.5, 1]),
        ([4000, 3990, 4], [1000, 1010, 1]),
    ):
        gained, lost = np.array(gained, float), np.array(lost, float)
        drawn = rng.beta(gained, lost, (200_000, len(gained))).argmax(axis=1)
        shares = np.bincount(drawn, minlength=len(gained)) / 200_000
        np.testing.assert_allclose(chance_of_best(gained, lost), shares, atol=0.006)


def test_thompson_stays_sure_after_a_long_run():
    """Beliefs far narrower than any even grid still give chances, and the right one."""
    chances = chance_of_best(np.array([8e5, 7.9e5]), np.array([2e5, 2.1e5]))
    np.testing.assert_allclose(chances, [1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(chance_of_best(np.full(3, 5e6), np.full(3, 5e6)), 1 / 3, atol=2e-3)


def test_losses_in_between_count_in_parts():
    """Two losses of a half are believed like one of 1 and one of 0."""
    halves, whole = (choosers.make("thompson", experts=2) for _ in range(2))
    for loss in (0.5, 0.5):
        halves.update(0, loss, probability=0.5)
    for loss in (1.0, 0.0):
        whole.update(0, loss, probability=0.5)
    assert halves.weights.tolist() == whole.weights.tolist()
    assert halves.pulls.tolist() == [2.0, 0.0]
    assert halves.seen.tolist() == [1.0, 0.0]

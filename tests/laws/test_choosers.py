"""Regret bounds of choosers, on streams drawn, built against them, and worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import choosers
from saccade.checks.choosers import play

RATES = [None, "doubling", 0.05, 0.5]


@pytest.mark.parametrize("rate", RATES)
@given(
    experts=st.integers(1, 9),
    rounds=st.integers(1, 80),
    seed=st.integers(0, 2**32 - 1),
    levels=st.sampled_from([2, 3, 11]),
    absent=st.sampled_from([0.0, 0.4]),
    tilted=st.booleans(),
)
@settings(max_examples=30)
def test_hedge_regret_stays_under_its_bound(rate, experts, rounds, seed, levels, absent, tilted):
    """On any stream, with any prior, with experts that come and go."""
    rng = np.random.default_rng(seed)
    prior = 0.01 + rng.random(experts) if tilted else None
    chooser = choosers.make("hedge", experts=experts, rate=rate, prior=prior)
    easy = rng.random(experts)
    for _ in range(rounds):
        losses = np.round(rng.random(experts) ** (4 * easy) * (levels - 1)) / (levels - 1)
        chooser.update(losses, present=rng.random(experts) >= absent)
    assert chooser.regret <= chooser.bound() + 1e-9


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("experts", [2, 20])
def test_hedge_survives_an_adversary(rate, experts):
    """Losses laid on the heavier half, or on the leader alone, round after round."""
    for victims in (experts // 2, 1):
        chooser = choosers.make("hedge", experts=experts, rate=rate)
        for _ in range(1500):
            losses = np.zeros(experts)
            losses[np.argsort(-chooser.weights, kind="stable")[:victims]] = 1.0
            chooser.update(losses)
        assert 0.0 <= chooser.regret <= chooser.bound() + 1e-9


def test_hedge_regret_has_its_known_value():
    """Two experts, one always wrong: the regret of ε = 1/2 is Σ 2^−t / (1 + 2^−t), to the digit."""
    chooser = choosers.make("hedge", experts=2, rate=0.5)
    for _ in range(60):
        chooser.update([0.0, 1.0])
    expected = math.fsum(2.0**-t / (1 + 2.0**-t) for t in range(60))
    assert chooser.regret == pytest.approx(expected, rel=1e-12)
    assert chooser.regret > 0.9 * math.log(2) / 0.5  # and the bound, ln 2 / ε, is nearly reached


def test_hedge_suffers_where_anyone_must():
    """On fair coins no learner gains, so regret grows like √(T ln N / 2): within a factor."""
    rng = np.random.default_rng(12)
    ratios = []
    for _ in range(12):
        chooser = choosers.make("hedge", experts=16, history=0)
        for losses in rng.integers(0, 2, (600, 16)).astype(float):
            chooser.update(losses)
        ratios.append(chooser.regret / math.sqrt(600 * math.log(16) / 2))
    assert 0.5 < np.mean(ratios) < 1.3


def stream(kind: str, rounds: int, experts: int, rng: np.random.Generator) -> np.ndarray:
    """Stochastic: one arm is better by 0.3. Shifting: the best arm loses most at first."""
    chance = np.full((rounds, experts), 0.6)
    chance[:, experts - 1] = 0.3
    if kind == "shifting":
        chance[: rounds // 5, experts - 1] = 0.9
        chance[: rounds // 5, 0] = 0.2
    return (rng.random((rounds, experts)) < chance).astype(float)


@pytest.mark.parametrize("kind", ["stochastic", "shifting"])
@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("exp3", None),
        ("exp3", "doubling"),
        ("exp3", 0.1),
        ("exp3-ix", None),
        ("exp3-ix", "doubling"),
    ],
)
def test_bandit_regret_stays_under_its_bound(name, rate, kind):
    """The mean over runs is below the bound."""
    regrets, _, bound = regrets_of(name, rate, kind)
    assert np.mean(regrets) <= bound


@pytest.mark.parametrize(("name", "rate"), [("exp3", None), ("exp3", 0.1), ("exp3-ix", None)])
def test_a_bandit_beats_chance_where_an_arm_is_better(name, rate):
    """It loses less than four fifths of what drawing an arm at random loses."""
    regrets, alone, _ = regrets_of(name, rate, "stochastic")
    assert np.mean(regrets) < 0.8 * np.mean(alone)


def regrets_of(name, rate, kind):
    """The regrets over some runs, those of drawing an arm at random, and the bound."""
    regrets, alone = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        losses = stream(kind, 1000, 5, rng)
        bandit = choosers.make(name, experts=5, rate=rate, history=0)
        lost = play(bandit, losses, rng)
        regrets.append(lost - losses.sum(axis=0).min())
        alone.append(losses.mean(axis=1).sum() - losses.sum(axis=0).min())
    return regrets, alone, bandit.bound()


@pytest.mark.parametrize("name", ["exp3", "exp3-ix", "thompson"])
def test_estimated_losses_are_right_on_average(name):
    """Σ l / p estimates what each arm would have lost, the seldom served ones too."""
    runs, truth = [], np.array([0.2, 0.5, 0.8])
    for seed in range(150):
        rng = np.random.default_rng(seed)
        bandit = choosers.make(name, experts=3, history=0)
        for _ in range(12):
            arm, chance = bandit.choose(rng=rng)
            bandit.update(arm, truth[arm], probability=chance)
        runs.append(bandit.losses / 12)
    error = np.std(runs, axis=0) / math.sqrt(len(runs))
    assert (np.abs(np.mean(runs, axis=0) - truth) < 4 * error + 1e-3).all()


def test_late_reactions_still_find_the_best():
    """Each weighed with the chance of its page, reactions fifty pages late teach the same arm."""
    rng = np.random.default_rng(2)
    for name in ("exp3", "exp3-ix", "thompson"):
        bandit, waiting = choosers.make(name, experts=4, history=0), []
        for _ in range(2500):
            arm, chance = bandit.choose(rng=rng)
            waiting.append((arm, float(rng.random() < (0.1 if arm == 1 else 0.7)), chance))
            if len(waiting) > 50:
                arm, loss, chance = waiting.pop(0)
                bandit.update(arm, loss, probability=chance)
        assert bandit.weights[1] > 0.6, name
        assert bandit.pulls.argmax() == 1


def test_thompson_learns_faster_than_exp3_where_its_belief_holds():
    """On independent losses the practical peer loses less: that is what it is there for."""
    lost = {}
    for name in ("exp3", "thompson"):
        runs = []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            losses = stream("stochastic", 600, 5, rng)
            runs.append(play(choosers.make(name, experts=5, history=0), losses, rng))
        lost[name] = np.mean(runs)
    assert lost["thompson"] < 0.85 * lost["exp3"]

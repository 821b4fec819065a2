"""Choosing among experts: offline and online, on answers whose right choice is known."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.studies.aly2011.selection import Answers, Online, Way, offline, online, teach


def answers(accuracy, probes=200, seed=0, k=5) -> Answers:
    """Experts that put the model first with these chances; wrong ones show different things."""
    rng = np.random.default_rng(seed)
    experts = len(accuracy)
    truth = rng.integers(0, 50, probes)
    right = rng.random((probes, experts)) < accuracy
    ranks = np.where(right, 1, rng.integers(2, 4, (probes, experts)))
    rows = np.empty((probes, experts, k), np.int64)
    for probe in range(probes):
        for expert in range(experts):
            others = rng.permutation(np.setdiff1d(np.arange(50, 90), [truth[probe]]))[: k - 1]
            rows[probe, expert] = np.insert(others, ranks[probe, expert] - 1, truth[probe])
    scores = np.broadcast_to(np.linspace(1, 0.2, k, dtype=np.float32), rows.shape)
    return Answers(tuple(f"e{n}" for n in range(experts)), ranks, rows, scores, truth)


GOOD = [0.3, 0.9, 0.3, 0.3]


@pytest.mark.parametrize("loss", ["binary", "rank"])
def test_hedge_learns_the_best_expert_offline(loss):
    """The heaviest expert is the best one, and the weights go with performance."""
    found = offline(answers(GOOD), Way("hedge", "0.5", loss), seed=3)
    assert found.chosen == 1
    assert found.heaviest == 1.0
    assert found.correlation > 0.9
    assert found.best == pytest.approx(found.performance[1])


def test_a_vote_of_equals_beats_the_best_of_them():
    """Experts that err independently are right together: more than any single one."""
    found = offline(answers([0.6] * 9), None, seed=0)
    assert found.votes["first"] > 1.2
    assert found.weights.tolist() == [1 / 9] * 9
    assert np.isnan(found.correlation)


def test_the_split_is_sixty_forty_and_follows_the_seed():
    """Test probes are 40%, other seeds draw others."""
    given = answers(GOOD, probes=50)
    shares = {offline(given, None, seed=seed).performance[0] * 20 for seed in range(6)}
    assert all(abs(share - round(share)) < 1e-9 for share in shares)
    assert len(shares) > 1


def test_training_probes_are_not_judged():
    """Nor are test probes learned from: the expert that is better on the others is chosen."""
    given = answers([0.5, 0.5], probes=100)
    order = np.random.default_rng([7, 0]).permutation(100)
    ranks = np.full_like(given.ranks, 2)
    ranks[order[:25], 0] = ranks[order[60:], 0] = 1  # 65 right in all, 25 of those that teach
    ranks[order[:40], 1] = 1
    turned = Answers(given.experts, ranks, given.rows, given.scores, given.truth)
    found = offline(turned, Way("hedge", "0.5", "binary"), seed=7)
    assert found.chosen == 1
    assert found.performance.tolist() == [1.0, 0.0]
    assert found.heaviest == 0.0


def test_online_hedge_comes_close_to_the_best_and_exp3_less_so():
    """With every loss known the best expert is found soon; from the chosen one's alone, later."""
    given = answers(GOOD, probes=300)
    hedge = np.mean(
        [online(given, Way("hedge", "0.5", "binary"), seed=s).relative for s in range(4)]
    )
    exp3 = np.mean([online(given, Way("exp3", "0.1", "binary"), seed=s).relative for s in range(4)])
    assert 0.93 < hedge <= 1.05
    assert 0.4 < exp3 < hedge


def test_online_regret_is_what_was_served_less_the_best():
    """Regret counts losses, performance counts right answers; binary losses make them one."""
    given = answers(GOOD, probes=120)
    found = online(given, Way("exp3", "0.1", "binary"), seed=2)
    assert found.loss == 120 - found.right.sum()
    assert found.regret == found.best.sum() - found.right.sum()
    assert found.bound > 0


def test_the_course_of_a_pass_is_cumulative():
    """After T probes: right so far over what the best expert had right so far."""
    right, best = np.array([0, 1, 1, 0], bool), np.array([0, 1, 1, 1], bool)
    found = Online(right, best, 0.0, 0.0, 0.0).along(np.array([1, 2, 4]))
    np.testing.assert_allclose(found, [np.nan, 1.0, 2 / 3])


def test_a_bandit_is_told_what_it_chose_and_no_more():
    """Losses of experts that were not chosen may be anything."""
    losses = answers(GOOD, probes=80).losses("binary")
    way = Way("exp3", "0.2", "binary")
    first, second = way.make(4), way.make(4)
    chosen = teach(first, losses, np.random.default_rng(1))
    hidden = np.full_like(losses, np.nan)
    hidden[np.arange(80), chosen] = losses[np.arange(80), chosen]
    assert (teach(second, hidden, np.random.default_rng(1)) == chosen).all()


@pytest.mark.parametrize("text", ["hedge(0.1) rank", "exp3(decreasing) binary", "thompson binary"])
def test_a_way_prints_as_it_parses(text):
    """And makes the chooser it names."""
    way = Way.parse(text)
    assert str(way) == text
    assert way.make(3).name == way.chooser

"""The paper's bounds: where they hold, and where the printed ones do not."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import rankers
from saccade.errors import InvalidInput
from saccade.rankers.online import pair_losses


def stream(count=2000, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    hidden = np.array([2.0, 1.0, 0.0, -1.0])
    winners, losers = rng.random((2, count, 4)).astype(np.float32)
    wrong = (winners - losers) @ hidden < rng.normal(size=count) * noise
    winners[wrong], losers[wrong] = losers[wrong], winners[wrong].copy()
    return winners, losers, hidden


@pytest.mark.parametrize("name", ["opr", "opar1", "opar2", "ogdr"])
def test_the_bound_holds_for_the_maker_of_the_stream(name):
    """Mean AP over pairs lies between the bound and 1."""
    winners, losers, hidden = stream()
    model = rankers.make(name)
    model.learn(winners, losers)
    precision = 1.0 - 0.5 * model.mistakes / model.seen
    assert model.bound(4 * hidden, pair_losses(winners, losers, 4 * hidden)) <= precision <= 1.0


def test_the_bound_of_gradient_descent_says_something():
    """On a long stream without noise the bound is far above nothing."""
    winners, losers, hidden = stream(count=20_000, noise=0.0)
    model = rankers.make("ogdr", rate=0.1)
    model.learn(winners, losers)
    comparator = 8 * hidden
    assert model.bound(comparator, pair_losses(winners, losers, comparator)) > 0.5


def test_theorem_1_as_printed_fails_over_all_pairs():
    """A perceptron content with a small margin pays for ever; over mistaken pairs it holds."""
    z = np.full((4000, 1), 0.1, np.float32)
    model = rankers.make("opr")
    model.learn_differences(z)
    comparator = np.array([10.0])
    losses = pair_losses(z, np.zeros_like(z), comparator)
    printed = 0.5 * 100.0 + losses.sum() + 0.5 * float(z[0, 0] ** 2) * len(z)
    assert model.loss > printed
    assert model.mistakes <= model.loss_bound(comparator, losses) < printed


def test_lemma_1_as_printed_fails_for_a_long_list():
    """One relevant image at rank 2 of 101: AP is 1/2 and one pair in a hundred is wrong."""
    precision, wrong, pairs = 0.5, 1.0, 100
    assert precision < 1.0 - wrong / pairs
    assert precision >= 1.0 - wrong


def test_average_precision_is_bounded_by_the_wrong_pairs():
    """1 − AP ≤ wrong pairs / relevant, on every order of a small list."""
    from itertools import permutations

    for ranked in set(permutations([1, 1, 1, 0, 0, 0])):
        hits = np.flatnonzero(ranked)
        precision = np.mean([(k + 1) / (rank + 1) for k, rank in enumerate(hits)])
        wrong = sum(ranked[:rank].count(0) for rank in hits)
        assert 1.0 - precision <= wrong / 3 + 1e-12


def test_nothing_learned_means_nothing_lost():
    """Before any pair the bound is 1."""
    assert rankers.make("opar1").bound([1.0], []) == 1.0
    content = rankers.make("opar1", prior=[5.0])
    content.learn_differences(np.ones((3, 1), np.float32))
    assert content.bound([5.0], [0.0, 0.0, 0.0]) == 1.0


def test_a_run_with_a_jump_has_no_bound():
    """Weights set in the middle of a run break the argument, and the learner says so."""
    winners, losers, hidden = stream(count=10)
    model = rankers.make("opar1")
    model.learn(winners, losers)
    model.weights = np.zeros(4)
    with pytest.raises(InvalidInput, match="one whole run"):
        model.bound(hidden, np.zeros(10))


def test_losses_must_be_one_a_pair():
    """A comparator judged on another stream is refused."""
    winners, losers, hidden = stream(count=10)
    model = rankers.make("opar1")
    model.learn(winners, losers)
    with pytest.raises(InvalidInput, match=r"expected \[10\]"):
        model.bound(hidden, np.zeros(9))

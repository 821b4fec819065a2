from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import norm

from saccade import rankers
from saccade.rankers.suggestion import information, suggest, uncertainty


def unit(rng, n, d):
    rows = rng.normal(size=(n, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (0.7, 2.0), (-1.5, 0.5), (0.2, 20.0)])
def test_information_is_what_an_answer_tells(mean, variance):
    """The closed form is within 0.02 bits of the mutual information by integration."""

    def entropy(p):
        return 0.0 if p in (0.0, 1.0) else -(p * np.log2(p) + (1 - p) * np.log2(1 - p))

    spread = np.sqrt(variance)
    inner, _ = integrate.quad(
        lambda z: norm.pdf(z) * entropy(norm.cdf(mean + spread * z)), -8, 8, limit=200
    )
    exact = entropy(norm.cdf(mean / np.sqrt(1 + variance))) - inner
    assert information([mean], [variance])[0] == pytest.approx(exact, abs=0.02)


def test_uncertainty_is_a_gaussian_posterior():
    """It is the covariance of X w given V w + noise, by the formula with the whole of w."""
    rng = np.random.default_rng(0)
    X, V = unit(rng, 5, 7), unit(rng, 4, 7)
    posterior = np.linalg.inv(np.eye(7) + V.T.astype(float) @ V / 0.1)
    np.testing.assert_allclose(uncertainty(X, V), X @ posterior @ X.T, atol=1e-6)


def test_a_question_just_answered_is_not_asked_again():
    """With equal scores the widest pair is asked first; once answered, another is."""
    rng = np.random.default_rng(1)
    X = unit(rng, 12, 40)
    scores = np.zeros(12)
    (first,) = suggest(X, scores, np.empty((0, 40)))
    vector = X[first.first] - X[first.second]
    (second,) = suggest(X, scores, vector[None])
    assert (second.first, second.second) != (first.first, first.second)
    assert second.bits <= first.bits


def test_a_settled_order_is_not_asked_about():
    """Of pairs equally unlike what is known, the one whose scores are near is asked about."""
    X = np.eye(4, dtype=np.float32)
    (found,) = suggest(X, [9.0, 0.2, 0.0, -9.0], np.empty((0, 4)))
    assert (found.first, found.second) == (1, 2)


def test_pictures_are_asked_about_near_a_threshold():
    """Without pairs, the picture nearest to the threshold; skipped ones are passed over."""
    X = np.eye(4, dtype=np.float32)
    scores, nothing = [9.0, 1.2, 0.0, -9.0], np.empty((0, 4))
    ask = {"thresholds": [1.0], "pairs": False}
    (found,) = suggest(X, scores, nothing, **ask)
    assert (found.first, found.second) == (1, None)
    (other,) = suggest(X, scores, nothing, avoid=[(1, None)], **ask)
    assert (other.first, other.second) == (2, None)


def test_as_many_as_wanted_best_first():
    """`count` questions come in falling order of bits; fewer where there are fewer."""
    rng = np.random.default_rng(2)
    X = unit(rng, 4, 9)
    found = suggest(X, rng.normal(size=4), np.empty((0, 9)), thresholds=[0.0], count=99)
    assert len(found) == 6 + 4
    assert (np.diff([one.bits for one in found]) <= 0).all()
    both_ways = [(2, 0), (1, 3)]
    left = suggest(X, np.zeros(4), np.empty((0, 9)), avoid=both_ways, count=99)
    assert {(one.first, one.second) for one in left} == {(0, 1), (0, 3), (1, 2), (2, 3)}
    assert suggest(X, np.zeros(4), np.empty((0, 9)), pairs=False) == ()


def _answers(rule, seed, *, rounds=50):
    """Share of unseen pairs in order after each answer to questions put by a rule."""
    rng = np.random.default_rng(seed)
    X = unit(rng, 300, 30) * np.linspace(1.5, 0.3, 30, dtype=np.float32)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    truth = X @ rng.normal(size=30)
    model = rankers.make("hybrid-online", C=4.0)
    asked, right = np.empty((0, 30), np.float32), []
    for _ in range(rounds):
        pool = rng.choice(200, 48, replace=False)
        if rule == "random":
            one, other = pool[:2]
        else:
            (found,) = suggest(X[pool], model.score(X[pool]), asked)
            one, other = pool[found.first], pool[found.second]
        if truth[one] < truth[other]:
            one, other = other, one
        model.learn_labels(ordered=(X[[one]], X[[other]]))
        asked = np.concatenate([asked, X[[one]] - X[[other]]])
        scores = model.score(X[200:])
        right.append(
            np.mean(np.sign(scores[:, None] - scores) == np.sign(truth[200:, None] - truth[200:]))
        )
    return np.array(right)


def test_asking_well_needs_fewer_answers_than_asking_at_random():
    """Eight people, pairs suggested or drawn: 80% of the order with fewer answers on average."""
    needed = {}
    for rule in ("suggested", "random"):
        mean = np.mean([_answers(rule, seed) for seed in range(8)], axis=0)
        assert mean[-1] >= 0.8
        needed[rule] = np.argmax(mean >= 0.8) + 1
    assert needed["suggested"] <= 0.8 * needed["random"]

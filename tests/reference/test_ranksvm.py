"""The ranking SVM against explicit pairs: scikit-learn's LinearSVC, and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.svm import LinearSVC

from saccade import rankers
from saccade.rankers.checked import training
from saccade.rankers.newton import PairObjective, minimise


def graded(levels, *, seed=0, queries=6, size=14, columns=5):
    rng = np.random.default_rng(seed)
    phi = rng.normal(size=(queries * size, columns)).astype(np.float32)
    hidden = phi @ rng.normal(size=columns) + rng.normal(size=len(phi))
    grades = np.clip(np.round(hidden + (levels - 1) / 2), 0, levels - 1).astype(int)
    return phi, grades, np.repeat(np.arange(queries), size)


def differences(phi, grades, groups):
    """Every preference pair, formed."""
    phi = phi.astype(np.float64)
    return np.array(
        [
            phi[i] - phi[j]
            for i in range(len(phi))
            for j in range(len(phi))
            if groups[i] == groups[j] and grades[i] > grades[j]
        ]
    )


def squared_hinge(w, z, weight):
    return 0.5 * w @ w + weight * (np.maximum(0.0, 1.0 - z @ w) ** 2).sum()


def objective_of(rows, weight):
    queries = training(*rows)
    return PairObjective(queries.phi.astype(np.float64), queries, weight)


@pytest.mark.parametrize("levels", [2, 3, 5])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_objective_agrees_with_linear_svc_on_explicit_pairs(levels, C):
    """Same minimum as LinearSVC on the difference vectors, to a thousandth."""
    rows = graded(levels)
    z = differences(*rows)
    model = rankers.make("ranksvm", C=C, standardise=False)
    model.fit(*rows)
    assert model.pairs == len(z)
    signs = np.where(np.arange(len(z)) % 2 == 0, 1.0, -1.0)  # two classes, as LinearSVC wants
    peer = LinearSVC(C=C / len(z), fit_intercept=False, dual=False, tol=1e-8, max_iter=10_000)
    peer.fit(z * signs[:, None], signs)
    ours = squared_hinge(model.weights, z, C / len(z))
    theirs = squared_hinge(peer.coef_[0], z, C / len(z))
    assert ours == pytest.approx(theirs, rel=1e-3)
    assert model.weights == pytest.approx(peer.coef_[0], rel=1e-2, abs=1e-3)


@pytest.mark.parametrize("levels", [2, 4])
def test_value_and_gradient_are_those_of_the_formed_pairs(levels):
    """The sweeps give the sum over all pairs, and its gradient by finite differences."""
    rows = graded(levels, seed=1)
    z = differences(*rows)
    objective = objective_of(rows, 0.3)
    w = np.random.default_rng(2).normal(size=5) * 0.4
    point = objective.at(w)
    assert point.value == pytest.approx(squared_hinge(w, z, 0.3), rel=1e-10)
    numeric = approx_fprime(w, lambda v: squared_hinge(v, z, 0.3), 1e-7)
    assert point.gradient == pytest.approx(numeric, rel=1e-4, abs=1e-3)


def test_curvature_is_that_of_the_active_pairs():
    """A product with the Hessian equals the one with I + 2c Σ z zᵀ over active pairs."""
    rows = graded(3, seed=3)
    z = differences(*rows)
    objective = objective_of(rows, 0.7)
    rng = np.random.default_rng(4)
    w, direction = rng.normal(size=5) * 0.3, rng.normal(size=5)
    active = z[z @ w < 1.0]
    expected = direction + 2 * 0.7 * active.T @ (active @ direction)
    assert objective.curve(objective.at(w), direction) == pytest.approx(expected, rel=1e-10)


def test_equal_scores_are_active_pairs_too():
    """At w = 0 every pair is active and costs 1."""
    rows = graded(4, seed=5)
    point = objective_of(rows, 1.0).at(np.zeros(5))
    assert point.value == pytest.approx(len(differences(*rows)))


def test_newton_steps_end_at_a_stationary_point():
    """At the minimum the gradient has fallen to the tolerance."""
    objective = objective_of(graded(3, seed=6), 5.0)
    weights, steps = minimise(objective, tolerance=1e-6, steps=100)
    start = np.linalg.norm(objective.at(np.zeros(5)).gradient)
    assert np.linalg.norm(objective.at(weights).gradient) <= 1e-6 * start
    assert steps < 30


def test_the_kernel_form_with_a_linear_kernel_is_the_hinge_loss_svm():
    """(a·b + 1) has the linear pair kernel: the minimum of the hinge loss over formed pairs."""
    rows = graded(2, seed=7, queries=3, size=10)
    z = differences(*rows)
    weight = 2.0 / len(z)
    model = rankers.make(
        "ranksvm", C=2.0, kernel="poly", degree=1, gamma=1.0, standardise=False, limit=10_000
    )
    model.fit(*rows)
    weights = model.score(np.eye(5)) - model.score(np.zeros((1, 5)))  # f is affine here
    signs = np.where(np.arange(len(z)) % 2 == 0, 1.0, -1.0)
    peer = LinearSVC(
        C=weight, loss="hinge", fit_intercept=False, dual=True, tol=1e-8, max_iter=1_000_000
    ).fit(z * signs[:, None], signs)

    def hinge(w):
        return 0.5 * w @ w + weight * np.maximum(0.0, 1.0 - z @ w).sum()

    assert hinge(weights.astype(float)) == pytest.approx(hinge(peer.coef_[0]), rel=1e-3)


def test_without_a_gamma_it_is_one_over_the_number_of_columns():
    """The same machine as with that number given, and another than with 1."""
    rows = graded(2, seed=8, queries=3, size=8)
    given, default, other = (
        rankers.make("ranksvm", kernel="rbf", gamma=gamma).fit(*rows).score(rows[0])
        for gamma in (1.0 / rows[0].shape[1], 0.0, 1.0)
    )
    assert np.array_equal(given, default)
    assert not np.allclose(other, default, atol=0.01)


def test_an_rbf_kernel_orders_what_no_line_can():
    """Grade by distance from the origin: the kernel form orders it, the linear form cannot."""
    rng = np.random.default_rng(8)
    phi = rng.normal(size=(150, 2))
    grades = (np.linalg.norm(phi, axis=1) < 1.0).astype(int)
    groups = np.repeat(np.arange(5), 30)

    def pair_accuracy(model):
        scores = model.score(phi)
        right = [
            scores[i] > scores[j]
            for i in np.flatnonzero(grades == 1)
            for j in np.flatnonzero(grades == 0)
        ]
        return np.mean(right)

    curved, straight = rankers.make("ranksvm", kernel="rbf", C=100.0), rankers.make("ranksvm")
    curved.fit(phi, grades, groups)
    straight.fit(phi, grades, groups)
    assert pair_accuracy(curved) > 0.95
    assert pair_accuracy(straight) < 0.7


def test_the_plain_hinge_is_minimised():
    """No step away from the weights lowers ½|w|² + C · mean hinge loss of the pairs."""
    rng = np.random.default_rng(3)
    phi = rng.normal(size=(60, 3)).astype(np.float32)
    grades = (phi @ [1.0, -0.5, 0.0] + 0.3 * rng.normal(size=60) > 0.4).astype(int)
    groups = np.repeat([1, 2, 3], 20)
    model = rankers.make("ranksvm", loss="hinge", C=20.0, standardise=False).fit(
        phi, grades, groups
    )
    gaps = []
    for query in (1, 2, 3):
        mine, high = phi[groups == query], grades[groups == query] == 1
        gaps.append((mine[high][:, None] - mine[~high]).reshape(-1, 3))
    gaps = np.concatenate(gaps)

    def objective(weights):
        return 0.5 * weights @ weights + 20.0 * np.maximum(0.0, 1.0 - gaps @ weights).mean()

    least = objective(model.weights)
    for _ in range(200):
        step = rng.normal(size=3)
        for size in (1e-2, 1e-1, 1.0):
            assert objective(model.weights + size * step) >= least - 1e-3 * least
    # It is another minimum than that of the squared hinge, which pays less for large margins.
    squared = rankers.make("ranksvm", C=20.0, standardise=False).fit(phi, grades, groups)
    assert objective(squared.weights) > least * 1.001

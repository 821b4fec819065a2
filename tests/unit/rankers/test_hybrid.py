"""The batch learners by labels, each against another way to its optimum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from attribute_labels import problem
from hybrid_program import optimum
from saccade import rankers
from saccade.errors import InvalidInput
from saccade.rankers.hybrid_kernel import HybridKernel
from saccade.types import State

BALANCES = [
    {"C": 1.0, "c1": 1.0, "c2": 3.0, "rho": 4.0},
    {"C": 0.5, "c1": 2.0, "c2": 1.0, "rho": 0.5},
]


@pytest.mark.parametrize(("bias", "grades"), [(None, 2), (0.0, 2), (1.0, 2), (None, 4), (1.0, 4)])
@pytest.mark.parametrize("balance", BALANCES)
def test_hybrid_solves_the_program(balance, bias, grades):
    """The dual by products ends at the optimum of the primal, slack by slack."""
    labels = problem(1, points=20, grades=grades, noise=1.0)
    X, y = labels["points"]
    labels["points"] = (X + np.float32(0.4), y)  # off centre: thresholds have work to do
    model = rankers.make("hybrid", bias=bias, **balance)
    model.fit_labels(**labels)
    w, b, value = optimum(**labels, **balance, bias=bias)
    np.testing.assert_allclose(model.weights, w, atol=1e-4)
    assert model.objective == pytest.approx(value, rel=1e-6)
    if bias is not None:
        np.testing.assert_allclose(model.thresholds, b, atol=1e-4)


@pytest.mark.parametrize("kinds", [("points",), ("ordered",), ("similar",), ("points", "similar")])
def test_hybrid_solves_the_program_of_any_kind(kinds):
    """Shares count only the kinds that are there; a start fills in where labels are silent."""
    labels = {kind: problem(2)[kind] for kind in kinds}
    start = np.linspace(-1.0, 1.0, 6)
    model = rankers.make("hybrid", C=1.0, start=start)
    model.fit_labels(**labels)
    w, _, value = optimum(**labels, C=1.0, c2=3.0, rho=4.0, start=start)
    np.testing.assert_allclose(model.weights, w, atol=1e-4)
    assert model.objective == pytest.approx(value, rel=1e-6)


def test_more_columns_than_labels_changes_nothing():
    """Columns of zeros beside the others leave weights and objective as they are."""
    labels = problem(3)
    wide = {
        key: tuple(np.pad(a, ((0, 0), (0, 500))) if a.ndim == 2 else a for a in given)
        for key, given in labels.items()
    }
    narrow, broad = rankers.make("hybrid"), rankers.make("hybrid")
    narrow.fit_labels(**labels)
    broad.fit_labels(**wide)
    np.testing.assert_allclose(broad.weights[:6], narrow.weights, atol=1e-7)
    assert not broad.weights[6:].any()


def test_points_alone_are_libsvms():
    """Two grades and nothing else: a linear support vector classifier with cost C c₁."""
    X, y = problem(4, points=60)["points"]
    model = rankers.make("hybrid", C=0.7)
    model.fit_labels(points=(X, y))
    machine = SVC(kernel="linear", C=0.7, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.weights, machine.coef_[0], atol=1e-4)
    np.testing.assert_allclose(model.thresholds, -machine.intercept_, atol=1e-3)


@pytest.mark.parametrize("rho", [0.5, 4.0])
def test_an_ordered_pair_is_put_apart_by_its_margin(rho):
    """Where nothing speaks against it, an ordered pair ends ρ apart, and points 1 from theirs."""
    model = rankers.make("hybrid", C=100.0, rho=rho)
    model.fit_labels(points=([[3.0, 0.0], [5.0, 0.0]], [-1, 1]), ordered=([[0, 1.0]], [[0, 0.0]]))
    np.testing.assert_allclose(model.weights, [1.0, rho], atol=1e-5)
    np.testing.assert_allclose(model.thresholds, [4.0], atol=1e-4)


@pytest.mark.parametrize("grades", [2, 5])
def test_ordinal_svm_solves_its_program(grades):
    """Shashua and Levin's fixed margin: k − 1 planes, adjacent grades, no pairs."""
    X, y = problem(6, points=30, grades=grades)["points"]
    model = rankers.make("ordinal-svm", C=0.8)
    model.fit_labels(points=(X, y), ordered=(X[:5], X[5:10]))
    w, _, value = optimum(points=(X, y), C=0.8)
    assert len(model.thresholds) == grades - 1
    np.testing.assert_allclose(model.weights, w, atol=1e-4)
    assert model.objective == pytest.approx(value, rel=1e-6)


def test_relative_attributes_minimises_its_objective():
    """½|w|² + C (Σ max(0, 1 − w·z)² + Σ (w·z)²), against a general minimiser."""
    labels = problem(7)
    model = rankers.make("relative-attributes", C=0.6)
    model.fit_labels(**labels)
    ordered, alike = (np.subtract(*labels[kind]).astype(float) for kind in ("ordered", "similar"))

    def value(w):
        slack = np.maximum(0.0, 1.0 - ordered @ w)
        return 0.5 * w @ w + 0.6 * ((slack**2).sum() + ((alike @ w) ** 2).sum())

    found = minimize(value, np.zeros(6), tol=1e-12)
    assert model.objective == pytest.approx(found.fun, rel=1e-6)
    np.testing.assert_allclose(model.weights, found.x, atol=1e-4)


@pytest.mark.parametrize("columns", [6, 80])
@pytest.mark.parametrize("kinds", [("points", "ordered", "similar"), ("points",), ("ordered",)])
def test_crr_minimises_its_objective(columns, kinds):
    """The mixed squared losses, with fewer columns than labels and with more."""
    labels = {kind: problem(8, columns=columns)[kind] for kind in kinds}
    model = rankers.make("crr", C=5.0, alpha=0.3)
    model.fit_labels(**labels)
    X, y = labels.get("points", (np.empty((0, columns)), np.empty(0)))
    pairs = [
        (np.subtract(*labels[k]), t) for k, t in (("ordered", 1.0), ("similar", 0.0)) if k in labels
    ]
    Z = np.concatenate([z for z, _ in pairs]) if pairs else np.empty((0, columns))
    t = np.concatenate([np.full(len(z), t) for z, t in pairs]) if pairs else np.empty(0)
    alpha = 0.3 if len(X) and len(Z) else float(len(X) > 0)

    def value(w):
        points = ((y - X @ w[1:] - w[0]) ** 2).mean() if len(X) else 0.0
        ranks = ((t - Z @ w[1:]) ** 2).mean() if len(Z) else 0.0
        return 0.5 * w[1:] @ w[1:] + 2.5 * (alpha * points + (1 - alpha) * ranks)

    found = minimize(value, np.zeros(columns + 1), tol=1e-12)
    assert model.objective == pytest.approx(found.fun, rel=1e-5)
    np.testing.assert_allclose(model.weights, found.x[1:], atol=1e-3)


def test_pointwise_svm_regresses_on_grades():
    """More than two grades are regressed on: the objective is that of the ε-insensitive loss."""
    X, y = problem(9, points=40, grades=4)["points"]
    model = rankers.make("pointwise-svm", C=2.0, epsilon=0.2)
    model.fit_labels(points=(X, y))

    def value(w):
        return 0.5 * w[1:] @ w[1:] + 2.0 * np.maximum(0, abs(y - X @ w[1:] - w[0]) - 0.2).sum()

    own = np.concatenate([-model.thresholds, model.weights])
    assert model.objective == pytest.approx(value(own), rel=1e-6)
    rng = np.random.default_rng(0)
    assert all(value(own + 0.01 * rng.normal(size=7)) > value(own) for _ in range(50))


@pytest.mark.parametrize("kernel", ["linear", lambda a, b: a.astype(float) @ b.T.astype(float)])
def test_the_linear_kernel_is_no_kernel(kernel):
    """hybrid-kernel with K(a, b) = a·b scores as hybrid does, by name and by function."""
    labels = problem(10, points=30, grades=3)
    plain = rankers.make("hybrid", C=1.0, rho=2.0)
    curved = rankers.make("hybrid-kernel", kernel=kernel, C=1.0, rho=2.0)
    for model in (plain, curved):
        model.fit_labels(**labels)
    rows = labels["points"][0]
    np.testing.assert_allclose(curved.score(rows), plain.score(rows), atol=1e-4)
    assert curved.objective == pytest.approx(plain.objective, rel=1e-6)


def test_a_pair_is_a_difference_in_feature_space():
    """With features written out, the kernel of those features gives the same scores."""
    labels = problem(11, columns=3)

    def features(rows):
        rows = np.asarray(rows, float)
        squares = [rows[:, i] * rows[:, j] for i in range(3) for j in range(i, 3)]
        return np.column_stack([rows, *squares]).astype(np.float32)

    def kernel(a, b):
        return features(a).astype(float) @ features(b).astype(float).T

    curved = rankers.make("hybrid-kernel", kernel=kernel)
    curved.fit_labels(**labels)
    plain = rankers.make("hybrid", C=curved.C, rho=curved.rho)
    plain.fit_labels(
        points=(features(labels["points"][0]), labels["points"][1]),
        ordered=tuple(map(features, labels["ordered"])),
        similar=tuple(map(features, labels["similar"])),
    )
    rows = labels["points"][0]
    np.testing.assert_allclose(curved.score(rows), plain.score(features(rows)), atol=1e-3)


def test_a_gaussian_learns_what_no_line_orders():
    """More is nearer to the centre: pairs that a direction cannot order are ordered."""
    rng = np.random.default_rng(12)
    A, B = rng.normal(size=(2, 80, 3)).astype(np.float32)
    near = np.linalg.norm(A, axis=1) < np.linalg.norm(B, axis=1)
    more, less = np.where(near[:, None], A, B), np.where(near[:, None], B, A)
    right = {}
    for name in ("hybrid", "hybrid-kernel"):
        model = rankers.make(name)
        model.fit_labels(ordered=(more[:60], less[:60]))
        right[name] = (model.score(more[60:]) > model.score(less[60:])).mean()
    assert right["hybrid-kernel"] >= 0.9
    assert right["hybrid"] < 0.75


def test_a_kernel_function_must_be_given_again():
    """A state holds no function: loading says how to hand it over, and then scores the same."""

    def kernel(a, b):
        return (1.0 + a.astype(float) @ b.T.astype(float)) ** 2

    labels = problem(13)
    model = rankers.make("hybrid-kernel", kernel=kernel)
    model.fit_labels(**labels)
    state = model.dump()
    with pytest.raises(InvalidInput, match="kernel function"):
        rankers.load(state)
    again = HybridKernel.load(state, kernel=kernel)
    rows = labels["points"][0]
    assert np.array_equal(again.score(rows), model.score(rows))


def test_a_kernel_of_the_wrong_shape_is_refused():
    """A function that does not give one value a pair of rows is named as the culprit."""
    model = rankers.make("hybrid-kernel", kernel=lambda a, b: np.ones(len(a)))
    with pytest.raises(InvalidInput, match="kernel gave shape"):
        model.fit_labels(**problem(14))


@pytest.mark.parametrize(
    ("name", "settings"),
    [("hybrid", {"C": 0.0}), ("hybrid", {"rho": np.inf}), ("hybrid", {"bias": -1.0}),
     ("hybrid", {"start": [[1.0]]}), ("ordinal-svm", {"C": -1.0}), ("crr", {"alpha": 1.0}),
     ("relative-attributes", {"C": np.nan}), ("pointwise-svm", {"epsilon": -0.1}),
     ("hybrid-kernel", {"gamma": -1.0}), ("hybrid-kernel", {"kernel": "cubic"})],
)  # fmt: skip
def test_senseless_settings_are_refused(name, settings):
    """A setting that means nothing is refused by name."""
    with pytest.raises(InvalidInput, match=next(iter(settings))):
        rankers.make(name, **settings)


def test_a_broken_state_is_refused():
    """A state without its arrays says so instead of failing later."""
    with pytest.raises(InvalidInput, match="hybrid"):
        rankers.load(State("hybrid", {"settings": {}}, {}))


@pytest.mark.parametrize("seed", [27, 28, 29])
def test_a_large_weight_on_standard_scores_is_solved(seed):
    """512 columns of deviation one and C = 16: no error, and nothing found that is lower."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(60 + seed, 20)) @ rng.normal(size=(20, 512))
    strength = np.round(rows[:, 0] / 3)
    rows = ((rows - rows.mean(0)) / rows.std(0)).astype(np.float32)
    first, second = rng.integers(len(rows), size=(2, 100))
    more = np.where(strength[first] >= strength[second], first, second)
    less = first + second - more
    equal = strength[more] == strength[less]
    labels = {
        "points": (rows, np.where(strength > 0, 1, -1)),
        "ordered": (rows[more[~equal]], rows[less[~equal]]),
        "similar": (rows[more[equal]], rows[less[equal]]),
    }
    settings = {"C": 16.0, "c2": 4.0, "rho": 1.0}
    free = rankers.make("hybrid", **settings).fit_labels(**labels)
    held = rankers.make("hybrid", bias=1.0, **settings).fit_labels(**labels)
    online = rankers.make("hybrid-online", **settings).fit_labels(**labels)
    assert free.objective <= held.objective * (1 + 1e-6)
    assert held.objective <= online.objective * (1 + 1e-6)

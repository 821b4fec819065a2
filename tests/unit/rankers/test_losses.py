"""The smooth losses: gradients, exact values, and agreement of the exact with the drawn form."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from saccade.rankers import make
from saccade.rankers.checked import queries
from saccade.rankers.listmle import true_orders
from saccade.rankers.listnet import drawn_orders
from saccade.rankers.network import Network


def _world(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    groups = np.repeat([5, 2, 9], [4, 6, 3])
    return rng.standard_normal((13, 3)), np.array([0, 1, 2, 0, 1, 1, 0, 2, 0, 0, 1, 0, 2]), groups


@pytest.mark.parametrize("hidden", [0, 4])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("ranknet", {}), ("listnet", {}), ("listnet", {"k": 2}), ("listnet", {"k": 3}),
        ("listmle", {}), ("listmle", {"k": 2}),
    ],
)  # fmt: skip
def test_gradients_equal_finite_differences(
    name: str, settings: dict[str, int], hidden: int
) -> None:
    """Each loss, through a linear function and through a hidden layer, has the gradient it says."""
    rows = queries(*_world())
    loss = make(name, **settings).loss(rows)
    network = Network(3, hidden)
    features = rows.phi.astype(np.float64)
    parameters = np.random.default_rng(1).standard_normal(
        len(network.start(np.random.default_rng(0)))
    )
    _, gradient = network.loss(parameters, features, loss)
    for at in range(len(parameters)):
        step = np.zeros_like(parameters)
        step[at] = 1e-5
        above, below = (network.loss(parameters + s, features, loss)[0] for s in (step, -step))
        assert gradient[at] == pytest.approx((above - below) / 2e-5, abs=1e-7)


def _luce(scores: np.ndarray, places: tuple[int, ...]) -> float:
    """Chance that the first places are these, by its definition."""
    chance, left = 1.0, list(range(len(scores)))
    for place in places:
        chance *= np.exp(scores[place]) / np.exp(scores[left]).sum()
        left.remove(place)
    return chance


@pytest.mark.parametrize("k", [1, 2])
def test_listnet_is_the_cross_entropy_over_all_first_places(k: int) -> None:
    """The closed forms equal the sum over every ordered k-tuple."""
    rng = np.random.default_rng(2)
    scores, grades = rng.standard_normal(6), np.array([0, 2, 1, 0, 0, 1])
    rows = queries(np.eye(6), grades, np.zeros(6))
    expected = -sum(
        _luce(grades.astype(float), places) * np.log(_luce(scores, places))
        for places in permutations(range(6), k)
    )
    found = make("listnet", k=k).loss(rows)(scores, np.zeros(6))
    assert found == pytest.approx(expected)


def test_drawn_listnet_comes_near_the_exact_one() -> None:
    """The mean over many draws of the first two places is the exact top-2 loss."""
    from saccade.kernels import losses

    rng = np.random.default_rng(3)
    scores, targets = rng.standard_normal(6), np.array([0.0, 2, 1, 0, 0, 1])
    starts = np.array([0, 6])
    exact = losses.listnet_pairs(scores, targets, starts, np.zeros(6))
    orders = drawn_orders(targets, starts, count=20_000, rng=rng)
    drawn = losses.listmle(scores, orders, 2, np.ones(1), starts, np.zeros(6))
    assert drawn == pytest.approx(exact, rel=0.02)


def test_listnet_draws_as_many_orders_as_it_is_told() -> None:
    """From three places on, the loss is the mean over `samples` draws of the seed."""
    from saccade.kernels import losses

    rows = queries(*_world())
    scores = np.random.default_rng(4).standard_normal(13)
    values = []
    for samples in (1, 32):
        rng = np.random.default_rng(7)
        orders = drawn_orders(rows.grades.astype(float), rows.starts, count=samples, rng=rng)
        shares = np.full(3, 1 / 3)
        values.append(losses.listmle(scores, orders, 3, shares, rows.starts, np.zeros(13)))
        loss = make("listnet", k=3, samples=samples, seed=7).loss(rows)
        assert loss(scores, np.zeros(13)) == values[-1]
    assert values[0] != values[1]


def test_a_network_scores_what_its_loss_is_given() -> None:
    """s(x) = u · tanh(Wx + b): the same numbers for the loss and for validation rows."""
    rng = np.random.default_rng(5)
    network, rows = Network(3, 4), rng.standard_normal((7, 3))
    parameters = rng.standard_normal(4 * 3 + 4 + 4)
    given: list[np.ndarray] = []

    def loss(scores: np.ndarray, gradient: np.ndarray) -> float:
        given.append(scores)
        return 0.0

    network.loss(parameters, rows, loss)
    layer, offset, out = parameters[:12].reshape(4, 3), parameters[12:16], parameters[16:]
    expected = np.tanh(rows @ layer.T + offset) @ out
    np.testing.assert_allclose(given[0], expected)
    np.testing.assert_allclose(network.scores(parameters, rows), expected)


def test_listmle_is_the_likelihood_of_the_order() -> None:
    """Its value is minus the log of Luce's chance, a mean over places."""
    scores = np.array([0.3, -1.0, 2.0])
    rows = queries(np.eye(3), [2, 1, 0], [1, 1, 1])
    found = make("listmle").loss(rows)(scores, np.zeros(3))
    assert found == pytest.approx(-np.log(_luce(scores, (0, 1, 2))) / 3)


def test_true_orders_fall_in_grade_and_shuffle_equals() -> None:
    """Each order has the grades falling, and equal grades come in several orders."""
    grades, starts = np.array([0, 1, 1, 0, 2, 2]), np.array([0, 4, 6])
    orders = true_orders(grades, starts, count=30, rng=np.random.default_rng(0))
    assert (np.diff(grades[orders][:, :4], axis=1) <= 0).all()
    assert (np.sort(orders, axis=1) == np.arange(6)).all()
    assert len(np.unique(orders, axis=0)) > 4


def test_ranknet_is_the_mean_cross_entropy_of_pairs() -> None:
    """Two queries count the same, however many pairs they have."""
    scores = np.array([1.0, 0.0, 0.5, 3.0, 1.0])
    rows = queries(np.eye(5), [1, 0, 0, 0, 1], [1, 1, 1, 2, 2])
    pairs = [[1.0 - 0.0, 1.0 - 0.5], [1.0 - 3.0]]
    expected = np.mean([np.mean(np.log1p(np.exp(-np.array(gaps)))) for gaps in pairs])
    assert make("ranknet").loss(rows)(scores, np.zeros(5)) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["ranknet", "listnet", "listmle"])
def test_extreme_scores_keep_the_loss_finite(name: str) -> None:
    """Scores of a thousand neither overflow nor lose the gradient."""
    rows = queries(np.eye(4), [0, 1, 2, 0], [1, 1, 1, 1])
    gradient = np.zeros(4)
    value = make(name).loss(rows)(np.array([1000.0, -1000.0, 0.0, 500.0]), gradient)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert gradient.any()

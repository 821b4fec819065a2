"""The online kernels against ten-line oracles, bit for bit where the bits are promised."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numba import njit

from saccade import rankers
from saccade.kernels import online as kernel
from saccade.kernels import second_order


def lane_sum(terms):
    """The promised order: eight lanes, the rest in pieces of 4, 2 and 1, lanes folded in halves."""
    lanes = np.zeros(8, np.float32)
    whole = len(terms) // 8 * 8
    for at in range(0, whole, 8):
        lanes += terms[at : at + 8]
    for width in (4, 2, 1):
        if len(terms) & width:
            lanes[:width] += terms[whole : whole + width]
            whole += width
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    return lanes[0]


def oracle(rule, rate, winners, losers):
    """Every weight after each pair, in plain numpy."""
    w = np.zeros(winners.shape[1], np.float32)
    after = []
    for z in winners - losers:
        margin = lane_sum(w * z)
        loss, square = 1.0 - float(margin), float(lane_sum(z * z))
        step = {
            "opr": float(margin <= 0),
            "opar1": min(rate, loss / square),
            "opar2": loss / (square + 0.5 / rate),
            "ogdr": rate,
        }[rule]
        if loss > 0 and step > 0:
            w = w + np.float32(step) * z
        after.append(w)
    return np.array(after)


def stream(width, count=300, seed=0):
    rng = np.random.default_rng(seed)
    winners = rng.random((count, width), dtype=np.float32)
    losers = rng.random((count, width), dtype=np.float32)
    winners[:, 0] += np.float32(0.2)
    return winners, losers


RATES = {"opr": {}, "opar1": {"C": 0.1}, "opar2": {"C": 0.3}, "ogdr": {"rate": 0.05}}


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 36])
@pytest.mark.parametrize("name", RATES)
def test_weights_are_those_of_the_oracle_bit_for_bit(name, width):
    """Kernel and oracle agree in every bit, for every width of the last block."""
    winners, losers = stream(width)
    model = rankers.make(name, **RATES[name])
    model.learn(winners, losers)
    rate = next(iter(RATES[name].values()), 1.0)
    assert model.weights.tobytes() == oracle(name, rate, winners, losers)[-1].tobytes()


@pytest.mark.parametrize("name", [*RATES, "arow", "scw"])
def test_differences_teach_what_their_pairs_teach(name):
    """learn_differences(winners − losers) leaves the bits that learn(winners, losers) leaves."""
    winners, losers = stream(13)
    pairs, differences = rankers.make(name), rankers.make(name)
    pairs.learn(winners, losers)
    differences.learn_differences(winners - losers)
    assert pairs.weights.tobytes() == differences.weights.tobytes()


@pytest.mark.parametrize("name", RATES)
def test_averaged_weights_are_the_mean_over_the_pairs(name):
    """The lazy sum equals the mean of the weights after each pair."""
    winners, losers = stream(11)
    model = rankers.make(name, average=True, **RATES[name])
    model.learn(winners, losers)
    rate = next(iter(RATES[name].values()), 1.0)
    mean = oracle(name, rate, winners, losers).mean(axis=0)
    assert model.weights == pytest.approx(mean, abs=2e-6)


@pytest.mark.parametrize("name", [*RATES, "arow", "scw"])
def test_pairs_of_equal_rows_have_no_share_in_the_mean(name):
    """Among pairs learned at once, the mean is over the weights after each pair that counts."""
    winners, losers = stream(11)
    losers[1::3] = winners[1::3]
    model, single = rankers.make(name, average=True), rankers.make(name)
    model.learn(winners, losers)
    after = []
    for winner, loser in zip(winners, losers, strict=True):
        single.learn(winner[None], loser[None])
        if (winner != loser).any():
            after.append(single.last_weights)
    assert model.seen == len(after)
    assert model.weights == pytest.approx(np.mean(after, axis=0), abs=2e-6)


@pytest.mark.parametrize("width", [1, 6, 8, 29])
def test_scores_are_lane_sums(width):
    """A score is the promised sum of weight times value."""
    winners, losers = stream(width)
    model = rankers.make("opar1")
    model.learn(winners, losers)
    expected = np.array([lane_sum(model.weights * row) for row in winners])
    assert model.score(winners).tobytes() == expected.tobytes()


def test_the_four_rules_on_worked_numbers():
    """From w = (0.5, 0) the pair z = (1, 1) has loss 0.5 and |z|² = 2: steps 0, 0.1, 1/6, 0.2."""
    z = np.ones((1, 2), np.float32)
    steps = {}
    for name, settings in {
        "opr": {},
        "opar1": {"C": 0.1},
        "opar2": {"C": 0.5},
        "ogdr": {"rate": 0.2},
    }.items():
        model = rankers.make(name, prior=[0.5, 0.0], **settings)
        model.learn_differences(z)
        steps[name] = float(model.weights[1])
        assert (model.seen, model.mistakes, model.loss) == (1, 0, 0.5)
    assert steps == pytest.approx({"opr": 0.0, "opar1": 0.1, "opar2": 0.5 / 3.0, "ogdr": 0.2})


def second_order_oracle(name, settings, winners, losers):
    """AROW and SCW-I with a full or diagonal covariance, float64."""
    width = winners.shape[1]
    w, S = np.zeros(width), np.eye(width)
    for z in (winners - losers).astype(float):
        m, v = w @ z, z @ S @ z
        if name == "arow":
            if m >= 1:
                continue
            beta = 1 / (v + settings["r"])
            alpha = (1 - m) * beta
        else:
            k = 0.6744897501960817  # normal quantile of 0.75
            if m >= k * np.sqrt(v):
                continue
            psi, zeta = 1 + k**2 / 2, 1 + k**2
            alpha = (-m * psi + np.sqrt(m**2 * k**4 / 4 + v * k**2 * zeta)) / (v * zeta)
            alpha = min(settings["C"], max(0, alpha))
            u = 0.25 * (-alpha * v * k + np.sqrt(alpha**2 * v**2 * k**2 + 4 * v)) ** 2
            beta = alpha * k / (np.sqrt(u) + v * alpha * k)
        w = w + alpha * S @ z
        S = S - beta * np.outer(S @ z, S @ z)
        if settings["covariance"] == "diagonal":
            S = np.diag(np.diag(S))
    return w


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
@pytest.mark.parametrize(
    ("name", "settings"), [("arow", {"r": 2.0}), ("scw", {"C": 0.5, "confidence": 0.75})]
)
def test_second_order_learners_follow_their_papers(name, settings, covariance):
    """Weights agree with the formulas as printed, for both kinds of covariance."""
    winners, losers = stream(10)
    settings = {**settings, "covariance": covariance}
    model = rankers.make(name, **settings)
    model.learn(winners, losers)
    expected = second_order_oracle(name, settings, winners, losers)
    assert model.weights == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("compiled", [kernel.learn, kernel.scores, second_order.learn])
def test_no_multiplication_is_fused_with_an_addition(compiled):
    """A fused multiply-add rounds once instead of twice: other bits on machines without it."""
    for covariance in ("diagonal", "full"):  # compiled when first used
        rankers.make("arow", covariance=covariance).learn(*stream(9))
    fresh = njit(list(compiled.signatures), nogil=True)(compiled.py_func)
    for llvm in fresh.inspect_llvm().values():
        body = "\n".join(line for line in llvm.splitlines() if not line.startswith("declare"))
        assert not re.search(r"llvm\.fma|fmuladd| (fast|reassoc|contract|afn) ", body)
    for assembly in fresh.inspect_asm().values():
        assert not re.search(r"\bv?fn?m(add|sub|la|ls)", assembly)


def test_the_lanes_are_vector_instructions():
    """The dot products are eight floats wide in LLVM's own terms, on any machine."""
    fresh = njit(list(kernel.scores.signatures), nogil=True)(kernel.scores.py_func)
    (llvm,) = fresh.inspect_llvm().values()
    assert re.search(r"fmul <8 x float>", llvm)
    assert re.search(r"fadd <8 x float>", llvm)

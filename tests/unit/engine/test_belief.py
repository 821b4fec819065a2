"""What answers say of a direction when some of them are wrong."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade.engine.attributes.belief import Belief, MainDirections
from saccade.kernels.hybrid import ALIKE, ORDERED, POINT

WIDTH = 40


@pytest.fixture(scope="module")
def pictures() -> NDArray[np.float32]:
    """Pictures that vary along a few directions, and a little along all."""
    rng = np.random.default_rng(0)
    some = rng.standard_normal((300, 6)) @ rng.standard_normal((6, WIDTH))
    return (some + 0.1 * rng.standard_normal((300, WIDTH))).astype(np.float32) / 10


def answered(
    pictures: NDArray[np.float32], truth: NDArray[np.float64], count: int, wrong: float
) -> NDArray[np.float32]:
    """Comparisons of random pairs as more − less, some of them the wrong way round."""
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, len(pictures), (2, count))
    gaps = pictures[one] - pictures[other]
    gaps *= np.sign(gaps @ truth)[:, None].astype(np.float32)
    gaps[rng.random(count) < wrong] *= -1
    return gaps


def of(pictures: NDArray[np.float32], gaps: NDArray[np.float32]) -> Belief:
    directions = MainDirections.of(pictures)
    ones = np.ones(len(gaps), np.int64)
    return Belief.of(directions, gaps, ORDERED * ones, ones)


def right(belief: Belief, pictures: NDArray[np.float32], truth: NDArray[np.float64]) -> float:
    first, second = np.triu_indices(len(pictures), 1)
    had, real = (pictures @ w for w in (belief.weights, truth))
    same = np.sign(had[first] - had[second]) == np.sign(real[first] - real[second])
    return float(same.mean())


@pytest.fixture(scope="module")
def truth(pictures: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.linalg.svd(pictures)[2][1].astype(np.float64)


def test_wrong_answers_are_weighed_and_told(pictures, truth):
    """A third of 60 answers are wrong: most of the order stands, and the rate is noticed."""
    clean, noisy = (of(pictures, answered(pictures, truth, 60, wrong)) for wrong in (0.0, 0.3))
    assert right(clean, pictures, truth) > 0.95
    assert right(noisy, pictures, truth) > 0.8
    assert clean.wrong < 0.05 < noisy.wrong


def test_how_sure_it_is_grows_with_what_is_known(pictures, truth):
    """From a coin's chance to near certainty, and less where answers contradict each other."""
    sure = [of(pictures, answered(pictures, truth, n, 0.0)).sure(pictures[:64]) for n in (4, 60)]
    doubted = of(pictures, answered(pictures, truth, 60, 0.3)).sure(pictures[:64])
    assert 0.5 <= sure[0] < sure[1] <= 1.0
    assert doubted < sure[1]


def test_pictures_that_look_the_same_tell_nothing(pictures, truth):
    """An answer about two that differ tells more than about two that hardly do."""
    belief = of(pictures, answered(pictures, truth, 6, 0.0))
    seen = belief.along(pictures[:3])
    near, far = belief.bits(np.stack([1e-3 * (seen[0] - seen[1]), seen[0] - seen[1]]))
    assert near < 0.01 < far


def test_every_kind_of_answer_is_heard(pictures, truth):
    """Grades set pictures above and below; of two that are alike neither goes first."""
    scores = pictures @ truth
    order = np.argsort(scores)
    chosen = np.concatenate([order[:8], order[-8:], order[140:144]])
    grades = np.repeat([-1, 1, 0], [8, 8, 4])
    kind = np.full(len(chosen), POINT)
    belief = Belief.of(MainDirections.of(pictures), pictures[chosen], kind, grades)
    assert right(belief, pictures, truth) > 0.85
    gap = (pictures[order[-1]] - pictures[order[0]])[None]
    alike = Belief.of(
        MainDirections.of(pictures), np.repeat(gap, 2, 0), np.array([ORDERED, ALIKE]), np.ones(2)
    )
    alone = of(pictures, gap)
    assert abs(float(gap[0] @ alike.weights)) < abs(float(gap[0] @ alone.weights))


def test_what_is_known_before_counts_where_answers_are_silent(pictures, truth):
    """Without an answer the start is the direction; a few against it turn it."""
    directions = MainDirections.of(pictures)
    none = np.zeros((0, WIDTH), np.float32), np.zeros(0, np.int64), np.zeros(0, np.int64)
    before = Belief.of(directions, *none, truth)
    assert right(before, pictures, truth) > 0.95
    against = -answered(pictures, truth, 30, 0.0)
    ones = np.ones(30, np.int64)
    after = Belief.of(directions, against, ORDERED * ones, ones, truth)
    assert right(after, pictures, truth) < 0.3

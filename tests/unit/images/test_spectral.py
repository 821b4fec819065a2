"""The second eigenvector of a graph against LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from saccade.images.spectral import second_eigenvector


def graph(size: int, seed: int) -> np.ndarray:
    """Points tied by nearness, as superpixels are."""
    points = np.random.default_rng(seed).random((size, 2))
    gaps = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    return np.exp(-gaps / 0.05)


@pytest.mark.parametrize("size", [2, 3, 5, 20, 60, 250])
def test_it_is_the_one_lapack_finds(size):
    """The generalised problem (D − W) y = λ D y solved densely, second smallest λ."""
    weights = graph(size, size)
    degrees = np.diag(weights.sum(axis=1))
    _, vectors = eigh(degrees - weights, degrees)
    expected, found = vectors[:, 1], second_eigenvector(weights)
    likeness = expected @ degrees @ found / np.sqrt(found @ degrees @ found)
    assert abs(likeness) == pytest.approx(1, abs=1e-6)


def test_two_clusters_have_two_signs():
    """Weakly tied halves fall on both sides of zero."""
    weights = np.full((10, 10), 1e-4)
    weights[:5, :5] = weights[5:, 5:] = 1.0
    signs = second_eigenvector(weights) > 0
    assert len(set(signs[:5])) == len(set(signs[5:])) == 1
    assert signs[0] != signs[9]


def test_equal_ties_all_round_give_finite_values():
    """A graph without structure has no second eigenvector of its own; any will do."""
    assert np.isfinite(second_eigenvector(np.ones((6, 6)))).all()


def test_the_largest_entry_is_positive():
    """An eigenvector has two signs; one of them is chosen."""
    for seed in range(5):
        found = second_eigenvector(graph(30, seed))
        assert found[np.abs(found).argmax()] > 0

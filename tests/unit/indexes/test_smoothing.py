from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.indexes.graph import Graph
from saccade.indexes.smoothing import ALPHA, Averages, smoothed


def clusters(seed=0, kinds=4, each=20, columns=30):
    rng = np.random.default_rng(seed)
    rows = np.repeat(rng.normal(size=(kinds, columns)), each, axis=0)
    rows = rows + rng.normal(size=rows.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_smoothing_is_the_sum_over_walks():
    """(1 − α)(I − αS)⁻¹ Y, each row of length one, by the whole matrix."""
    vectors = clusters()
    graph = Graph.build(vectors.__getitem__, np.ones(80, bool), k=5)
    links = np.zeros((80, 80))
    for row in range(80):
        here = slice(graph.offsets[row], graph.offsets[row + 1])
        links[row, graph.neighbours[here]] = graph.weights[here]
    root = np.sqrt(links.sum(1))
    links /= root[:, None] * root
    exact = 0.5 * np.linalg.solve(np.eye(80) - 0.5 * links, vectors)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    np.testing.assert_allclose(smoothed(graph, vectors, alpha=0.5), exact, atol=1e-5)


def test_a_kind_moves_together():
    """Pictures of one kind are more alike after smoothing; nothing changes without it."""
    vectors = clusters(1)
    graph = Graph.build(vectors.__getitem__, np.ones(80, bool), k=5)
    found = smoothed(graph, vectors)
    inside = np.repeat(np.arange(4), 20)[:, None] == np.repeat(np.arange(4), 20)
    assert (found @ found.T)[inside].mean() > (vectors @ vectors.T)[inside].mean() + 0.1
    np.testing.assert_allclose(smoothed(graph, vectors, alpha=0.0), vectors, atol=1e-6)


def test_bad_input_is_refused():
    """An α that does not settle, and rows that are not the graph's."""
    vectors = clusters(2)
    graph = Graph.build(vectors.__getitem__, np.ones(80, bool))
    with pytest.raises(InvalidInput, match="α"):
        smoothed(graph, vectors, alpha=1.0)
    with pytest.raises(InvalidInput, match="rows"):
        smoothed(graph, vectors[:5])


def test_means_are_what_the_whole_matrix_gives() -> None:
    """Column by column the solution itself over that of ones; a constant stays what it is."""
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((60, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    graph = Graph.build(vectors.__getitem__, np.arange(60) < 57, k=5)
    averages = Averages.of(graph)
    values = rng.standard_normal(60).astype(np.float32)
    dense = np.eye(60) - ALPHA * averages.links.toarray()
    exact = np.linalg.solve(dense, values) / np.linalg.solve(dense, np.ones(60))
    assert np.allclose(averages.column(values), exact, atol=5e-3)
    assert np.allclose(averages.column(np.full(60, 3.0, np.float32)), 3.0, atol=1e-3)
    assert averages.column(values)[58] == pytest.approx(values[58], abs=1e-3)


def test_some_rows_are_those_of_the_whole() -> None:
    """A picture's own surroundings give its row of the smoothed vectors."""
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((80, 12)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    graph = Graph.build(vectors.__getitem__, np.ones(80, bool), k=5)
    rows = np.array([3, 40, 77])
    found = Averages.of(graph).rows(rows, vectors.__getitem__)
    assert ((found * smoothed(graph, vectors)[rows]).sum(axis=1) > 0.999).all()


def test_values_too_small_to_be_squared_are_smoothed() -> None:
    """Nothing is divided by what has become nothing."""
    averages = Averages.of(Graph.build(clusters().__getitem__, np.ones(80, bool), k=5))
    values = np.random.default_rng(0).normal(size=80)
    for exponent in np.arange(-24.0, -16.0, 0.05):
        found = averages.column((values * 10.0**exponent).astype(np.float32))
        assert np.isfinite(found).all()

from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.indexes.graph import Graph
from saccade.indexes.smoothing import smoothed


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

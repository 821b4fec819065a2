"""A walk along the links finds what a comparison with every row finds, and looks at few of them."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.indexes.graph import NEIGHBOURS, Graph
from saccade.indexes.walk import Walk


def drawn(count: int, seed: int) -> np.ndarray:
    """Unit vectors along curves, as pictures lie."""
    rng = np.random.default_rng(seed)
    ends = np.random.default_rng(9).standard_normal((40, 32))
    which, along = rng.integers(0, 40, count), rng.random((count, 1))
    vectors = along * ends[which] + (1.0 - along) * ends[(which + 7) % 40]
    vectors += 0.3 * rng.standard_normal(vectors.shape)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


class Looking:
    """Vectors by row, and how many were looked at."""

    def __init__(self, vectors: np.ndarray) -> None:
        self._vectors, self.count = vectors, 0

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        self.count += len(rows)
        return self._vectors[rows]


def test_a_walk_finds_the_nearest_and_looks_at_few():
    """Of 6,000 rows the fifteen nearest of pictures from outside, nearly all of them."""
    vectors, outside = drawn(6000, 1), drawn(40, 2)
    take = Looking(vectors)
    walk = Walk.of(Graph.build(take, np.ones(len(vectors), bool)), take)
    found, looked = 0, []
    for query in outside:
        take.count = 0
        rows, products = walk.nearest(query)
        looked.append(take.count)
        assert np.array_equal(np.sort(products)[::-1], products)
        np.testing.assert_allclose(products, vectors[rows] @ query, rtol=1e-5)
        exact = np.argsort(-(vectors @ query), kind="stable")[:NEIGHBOURS]
        found += len(np.intersect1d(exact, rows[:NEIGHBOURS]))
    assert found / (NEIGHBOURS * len(outside)) >= 0.98
    assert np.mean(looked) < len(vectors) / 3


def test_the_same_walk_twice_is_the_same():
    """Nothing in it is left to chance."""
    vectors = drawn(900, 3)
    graph = Graph.build(vectors.__getitem__, np.ones(900, bool))
    query = drawn(1, 4)[0]
    first, second = (Walk.of(graph, vectors.__getitem__).nearest(query) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_graph_with_hardly_a_row_is_walked_too(count: int):
    """What has no link is nowhere to go from, and nothing fails."""
    vectors = drawn(3, 5)
    graph = Graph.build(vectors.__getitem__, np.arange(3) < count)
    rows, products = Walk.of(graph, vectors.__getitem__).nearest(vectors[0])
    assert len(rows) == len(products) == (2 if count == 2 else 0)

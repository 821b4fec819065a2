from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import InvalidInput
from saccade.indexes.graph import Graph
from saccade.indexes.spread import ALPHA, Sources, spread

QUERY, LIKE, DISLIKE = 4.0, 1.0, -0.5  # what sources count for


def world(count: int = 90, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((6, 16))
    vectors = centers[np.arange(count) % 6] + 0.8 * rng.standard_normal((count, 16))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def built(vectors: np.ndarray, k: int = 5) -> Graph:
    return Graph.build(vectors.__getitem__, np.ones(len(vectors), bool), k=k)


def solved(graph: Graph, sources: Sources, alpha: float = ALPHA) -> np.ndarray:
    """The equation solved by elimination."""
    size = len(graph)
    links = np.zeros((size, size))
    for row in range(size):
        part = slice(graph.offsets[row], graph.offsets[row + 1])
        links[row, graph.neighbours[part]] = graph.similarities[part].astype(np.float64) ** 4
    degree = links.sum(1)
    scale = np.divide(1.0, np.sqrt(degree), out=np.zeros(size), where=degree > 0)
    system = np.eye(size) - alpha * scale[:, None] * links * scale
    given = np.zeros(size)
    np.add.at(given, sources.rows, sources.amounts)
    return np.linalg.solve(system, (1 - alpha) * given)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 100), st.sampled_from([0.0, 0.5, 0.9]))
def test_spread_solves_its_equation(seed, alpha):
    """With signed sources, one of them twice, f is the solution of f = α S f + (1 − α) y."""
    graph = built(world(seed=seed))
    sources = Sources.of([3], QUERY) + Sources.of([3, 10, 20], LIKE) + Sources.of([40], DISLIKE)
    found = spread(graph, sources, alpha=alpha, least=1e-12, budget=10**9)
    np.testing.assert_allclose(found.dense(), solved(graph, sources, alpha), atol=1e-6)


def test_a_budget_keeps_the_first_places():
    """Far fewer links give nearly the same first places, and the budget is felt."""
    graph = built(world(600))
    exact = solved(graph, Sources.of([5]))
    some = spread(graph, Sources.of([5]), budget=20_000)
    assert 0 < np.abs(some.dense() - exact).max() < 0.01 * exact.max()
    first, other = (set(np.argsort(-f)[:50].tolist()) for f in (exact, some.dense()))
    assert len(first & other) >= 45
    few = spread(graph, Sources.of([5]), budget=200)
    assert len(few.rows) < len(some.rows)


def test_what_spreads_from_two_adds_up():
    """Two spreads added are the spread of all their sources, rows ascending."""
    graph = built(world())
    some, more = Sources.of([3, 10], LIKE), Sources.of([10, 40], DISLIKE)
    apart, both = (spread(graph, one, least=1e-12, budget=10**9) for one in (some, more))
    together = spread(graph, some + more, least=1e-12, budget=10**9)
    added = apart + both
    np.testing.assert_allclose(added.dense(), together.dense(), atol=1e-9)
    assert (np.diff(added.rows) > 0).all()
    assert added.strongest == together.strongest


def test_a_dislike_sinks_its_look_alikes():
    """Around a picture not meant f falls below zero; around one meant it stays above."""
    vectors = world()
    graph = built(vectors)
    found = spread(graph, Sources.of([0], QUERY) + Sources.of([1], 10 * DISLIKE)).dense()
    assert found[graph.nearest(1)[0]].mean() < 0 < found[graph.nearest(0)[0]].mean()


def test_likeness_keeps_the_order_and_the_sign():
    """The logarithm on the scale of likeness orders rows as f does."""
    graph = built(world())
    found = spread(graph, Sources.of([0], QUERY) + Sources.of([1, 7], 2 * DISLIKE))
    values, likeness = found.dense(), found.likeness()
    assert (np.sign(values) == np.sign(likeness)).all()
    assert np.abs(likeness).max() < 1
    order = np.argsort(values)
    assert (np.diff(likeness[order]) >= 0).all()


def test_a_picture_from_outside_enters_through_its_nearest():
    """One that is not in the graph ranks the rest as it would from within."""
    vectors = world(180)
    inside = spread(built(vectors), Sources.of([179])).dense()[:179]
    graph = built(vectors[:179])
    products = vectors[:179] @ vectors[179]
    rows = np.argsort(-products)[:5]
    outside = spread(graph, Sources.through(graph, rows, products[rows])).dense()
    assert np.corrcoef(inside, outside)[0, 1] > 0.95
    first, other = (set(np.argsort(-f)[:20].tolist()) for f in (inside, outside))
    assert len(first & other) >= 15


def test_one_like_none_of_the_rest_reaches_nothing():
    """Without a positive similarity a picture from outside has no way in; f is 0 everywhere."""
    graph = built(world())
    sources = Sources.through(graph, np.array([1, 2]), np.array([-0.5, 0.0], np.float32))
    found = spread(graph, sources)
    assert not found.dense().any()
    assert not found.likeness().any()


def test_a_source_without_links_keeps_its_part():
    """A blank picture spreads to nobody, and has its own share."""
    vectors = world(20)
    vectors[4] = 0.0
    found = spread(built(vectors), Sources.of([4]))
    assert found.rows.tolist() == [4]
    np.testing.assert_allclose(found.values, 1 - ALPHA)


def test_the_same_sources_give_the_same_bits():
    """Asking twice, or for other things in between, changes no bit."""
    graph = built(world(300))
    first = spread(graph, Sources.of([1, 5]))
    spread(graph, Sources.of([9]))
    again = spread(Graph.load(graph.arrays()), Sources.of([1, 5]))
    assert first.values.tobytes() == again.values.tobytes()


def test_wrong_sources_are_refused():
    """Rows that are not there, amounts and α that cannot be."""
    graph = built(world(20))
    with pytest.raises(InvalidInput, match="no row"):
        spread(graph, Sources.of([20]))
    with pytest.raises(InvalidInput, match="no row"):
        spread(graph, Sources.of([-1]))
    with pytest.raises(InvalidInput, match="not a number"):
        spread(graph, Sources.of([1], np.nan))
    with pytest.raises(InvalidInput, match="α"):
        spread(graph, Sources.of([1]), alpha=1.0)
    assert len(spread(graph, Sources.of([])).rows) == 0

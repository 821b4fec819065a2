"""How a graph lies in memory: another order of rows, and the same answers to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.indexes import layout
from saccade.indexes.graph import Graph
from saccade.indexes.layout import Layout
from saccade.indexes.spread import Sources, spread

CLUSTERS, EACH = 30, 20


@pytest.fixture
def graph() -> Graph:
    """Thirty kinds of twenty pictures, in no order, some of them blank."""
    rng = np.random.default_rng(4)
    kinds = rng.permutation(np.repeat(np.arange(CLUSTERS), EACH))
    vectors = rng.normal(size=(CLUSTERS, 24))[kinds] + 0.4 * rng.normal(size=(len(kinds), 24))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[[3, 77]] = 0.0
    return Graph.build(vectors.astype(np.float32).__getitem__, np.ones(len(kinds), bool), k=6)


def laid(graph: Graph) -> Layout:
    return Layout.of(graph.offsets, graph.neighbours, graph.weights, graph.root)


def test_every_row_has_one_place_and_keeps_its_links(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links go to the same rows, in the same order, with the same weights."""
    monkeypatch.setattr(layout, "SMALL", 0)
    found = laid(graph)
    assert sorted(found.rows) == list(range(len(graph)))
    assert (found.rows[found.places] == np.arange(len(graph))).all()
    assert (found.rows != np.arange(len(graph))).any()
    for row in range(len(graph)):
        place = found.places[row]
        mine = slice(found.offsets[place], found.offsets[place + 1])
        own = slice(graph.offsets[row], graph.offsets[row + 1])
        assert found.rows[found.neighbours[mine]].tolist() == graph.neighbours[own].tolist()
        assert found.weights[mine].tobytes() == graph.weights[own].tobytes()
        assert found.root[place] == graph.root[row]


def test_neighbours_lie_close_together(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link spans a few places where it spanned hundreds of rows, in clusters of any size."""
    monkeypatch.setattr(layout, "SMALL", 0)
    ends = np.repeat(np.arange(len(graph)), np.diff(graph.offsets))
    before = np.median(np.abs(ends - graph.neighbours))
    for most in (1, 10, 1000):
        monkeypatch.setattr(layout, "CLUSTER", most)
        places = laid(graph).places
        after = np.median(np.abs(places[ends] - places[graph.neighbours]))
        assert after <= EACH < before / 5


def test_what_spreads_does_not_depend_on_it(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rows and the same bits, with and without a budget, from one source or several."""
    for sources in (Sources.of([5]), Sources.of([9, 400, 3]) + Sources.of([17], -0.5)):
        for budget in (200, 10**9):
            monkeypatch.setattr(layout, "SMALL", 10**9)
            graph._laid.clear()
            plain = spread(graph, sources, budget=budget)
            monkeypatch.setattr(layout, "SMALL", 0)
            graph._laid.clear()
            found = spread(graph, sources, budget=budget)
            assert found.rows.tolist() == plain.rows.tolist() == sorted(plain.rows)
            assert found.values.tobytes() == plain.values.tobytes()


def test_a_layout_is_made_once_and_a_small_graph_stays_as_it_is(graph: Graph) -> None:
    """What a cache holds in any order is not copied."""
    assert graph.layout is graph.layout
    assert graph.layout.neighbours is graph.neighbours

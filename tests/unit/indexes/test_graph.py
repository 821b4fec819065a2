from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import InvalidInput
from saccade.indexes import graph as graphs
from saccade.indexes.graph import Graph, centred


def world(count: int, seed: int = 0, width: int = 19) -> np.ndarray:
    """Vectors around eight directions."""
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((8, width))
    vectors = centers[rng.integers(0, 8, count)] + 0.7 * rng.standard_normal((count, width))
    return vectors.astype(np.float32)


def built(vectors: np.ndarray, alive: np.ndarray | None = None, k: int = 4) -> Graph:
    alive = np.ones(len(vectors), bool) if alive is None else alive
    return Graph.build(vectors.__getitem__, alive, k=k)


def same(first: Graph, second: Graph) -> bool:
    one, other = first.arrays(), second.arrays()
    return all(np.array_equal(one[name], other[name]) for name in one)


def around(graph: Graph, vectors: np.ndarray, alive: np.ndarray) -> Graph:
    """What would be built at once around the same centre: the truth in plain numpy."""
    points = centred(vectors, graph.centre).astype(np.float64)
    products = points @ points.T
    products[~alive] = products[:, ~alive] = -1.0
    np.fill_diagonal(products, -1.0)
    nearest = np.argsort(-products, axis=1, kind="stable")[:, : graph.k]
    own = np.zeros_like(products, dtype=bool)
    np.put_along_axis(own, nearest, True, axis=1)
    return np.where((own | own.T) & (products > 0), products, 0.0)


def matrix(graph: Graph) -> np.ndarray:
    out = np.zeros((len(graph), len(graph)))
    for row in range(len(graph)):
        links = slice(graph.offsets[row], graph.offsets[row + 1])
        out[row, graph.neighbours[links]] = graph.similarities[links]
    return out


def test_links_are_the_nearest_of_either_end():
    """Every row is linked with its k nearest and with those it is among the k nearest of."""
    vectors = world(120)
    graph = built(vectors)
    np.testing.assert_allclose(matrix(graph), around(graph, vectors, np.ones(120, bool)), atol=1e-6)


def test_the_nearest_come_first():
    """`nearest` gives a row's own k, best first, and more of its links when asked."""
    graph = built(world(60))
    rows, similarities = graph.nearest(7)
    assert len(rows) == 4
    assert (np.diff(similarities) <= 0).all()
    hub = int(np.argmax(np.diff(graph.offsets)))
    assert len(graph.nearest(hub, 50)[0]) == graph.offsets[hub + 1] - graph.offsets[hub] > 4
    with pytest.raises(InvalidInput, match="no row 60"):
        graph.nearest(60)
    with pytest.raises(InvalidInput, match="at least one"):
        graph.nearest(0, 0)


def test_the_centre_is_taken_away():
    """Pictures that share a large common part are told apart by the rest."""
    common = np.zeros(19, np.float32)
    common[0] = 40.0
    vectors = world(80) + common
    graph = built(vectors)
    plain = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert (plain @ plain.T).min() > 0.9
    assert matrix(graph).max() < 0.999
    assert graph.similarities.min() < 0.9


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.lists(st.integers(1, 40), min_size=2, max_size=4))
def test_growing_equals_building_at_once(seed, sizes):
    """Images added in pieces are linked as if all had been there, to the bit."""
    vectors = world(sum(sizes), seed)
    graph = built(vectors[: sizes[0]])
    for total in np.cumsum(sizes)[1:]:
        graph = graph.grown(vectors.__getitem__, np.ones(total, bool))
    whole = graphs._Lists.empty(len(vectors), graph.k)
    rows = np.arange(len(vectors))
    whole.offer(vectors.__getitem__, graph.centre, rows, rows)
    assert same(graph, whole.graph(graph.centre, graph.around))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.integers(0, 60))
def test_shrinking_equals_never_having_been(seed, gone):
    """After rows died the graph is that of the living, and it grows back when they return."""
    vectors = world(60, seed)
    graph = built(vectors)
    alive = np.ones(60, bool)
    alive[np.random.default_rng(seed).permutation(60)[:gone]] = False
    less = graph.shrunk(vectors.__getitem__, alive)
    np.testing.assert_allclose(matrix(less), around(graph, vectors, alive), atol=1e-6)
    assert same(less.grown(vectors.__getitem__, np.ones(60, bool)), graph)


def test_blank_pictures_have_no_links():
    """A zero vector is nobody's neighbour, and gets its links once it is computed."""
    vectors = world(30)
    whole, vectors[[3, 11]] = vectors.copy(), 0.0
    graph = built(vectors)
    assert not graph.linked(np.array([3, 11, 99])).any()
    assert not np.isin(graph.neighbours, [3, 11]).any()
    assert graph.linked(np.array([0, 1])).all()
    filled = graph.grown(whole.__getitem__, np.ones(30, bool))
    assert filled.linked(np.arange(30)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_few_or_equal_pictures_make_a_graph(count):
    """None, one, and a few equal pictures: defined, without links to themselves."""
    vectors = np.ones((count, 6), np.float32)
    graph = built(vectors)
    assert len(graph) == count
    np.testing.assert_allclose(matrix(graph), np.where(np.eye(count, dtype=bool), 0, 1), atol=1e-6)
    assert same(Graph.load(graph.arrays()), graph)


def test_a_thousand_equal_pictures_are_linked():
    """Where all pictures are alike each has its k neighbours, the lowest rows, at similarity 1."""
    graph = built(np.ones((1000, 6), np.float32))
    assert graph.nearest(999)[0].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(graph.similarities, 1.0, atol=1e-5)


def test_many_equal_pictures_among_others_are_linked_to_each_other():
    """Copies are each other's nearest; ties go to the lower row, in any company."""
    vectors = np.concatenate([np.repeat(world(1), 30, axis=0), world(50, seed=5)])
    graph = built(vectors)
    assert graph.nearest(29)[0].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(graph.nearest(29)[1], 1.0, atol=1e-6)


def test_cells_find_nearly_all_neighbours(monkeypatch):
    """Compared cell by cell, at least 95 of 100 nearest are the exact ones."""
    from saccade.indexes import cells

    rng = np.random.default_rng(2)
    # Along a winding line, so that no cell is closed in itself.
    line = np.cumsum(rng.standard_normal((1500, 300)), axis=0)
    vectors = (line + rng.standard_normal(line.shape)).astype(np.float32)
    exact = built(vectors, k=10)
    monkeypatch.setattr(graphs, "EXACT", 100)
    monkeypatch.setattr(cells, "SIZE", 50)
    monkeypatch.setattr(cells, "PROBES", 4)
    near = built(vectors, k=10)
    shared = [len(np.intersect1d(exact.nearest(i)[0], near.nearest(i)[0])) for i in range(1500)]
    assert np.mean(shared) >= 9.5
    assert same(Graph.load(near.arrays()), near)


def test_cells_cover_every_point_once_and_compare_with_a_part(monkeypatch):
    """Each point is asked for once, among candidates with itself and without most others."""
    from saccade.indexes import cells

    monkeypatch.setattr(cells, "SIZE", 50)
    monkeypatch.setattr(cells, "PROBES", 4)
    pieces = list(cells.neighbourhoods(world(1500, width=30)))
    asked = np.concatenate([asked for asked, _ in pieces])
    assert np.sort(asked).tolist() == list(range(1500))
    assert all(np.isin(asked, candidates).all() for asked, candidates in pieces)
    assert np.mean([len(candidates) for _, candidates in pieces]) < 500


def spoil(name: str, place: int, value: object):
    def change(arrays: dict) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda arrays: arrays.pop("centre"), "no array 'centre'"),
        (lambda arrays: arrays.update(offsets=arrays["offsets"][:-1]), "offsets"),
        (lambda arrays: arrays.update(similarities=arrays["similarities"][:-1]), "number"),
        (lambda arrays: arrays.update(neighbours=arrays["neighbours"] * 1.0), "another form"),
        (spoil("shape", 0, 0), "shape"),
        (spoil("centre", 0, np.nan), "centre"),
        (spoil("offsets", 3, 10_000), "offsets"),
        (spoil("neighbours", 0, 0), "no other row"),
        (spoil("neighbours", 5, 10_000), "no other row"),
        (spoil("similarities", 5, np.nan), "similarity"),
        (spoil("similarities", 0, 1e-6), "best first"),
        (spoil("similarities", 0, 1.0), "one side"),
    ],
)
def test_a_damaged_graph_is_refused(change, says):
    """What cannot be a graph is refused with the reason."""
    arrays = built(world(40)).arrays()
    change(arrays)
    with pytest.raises(InvalidInput, match=says):
        Graph.load(arrays)

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import InvalidInput
from saccade.indexes import graph as graphs
from saccade.indexes.graph import Graph


def world(count: int, seed: int = 0, width: int = 19) -> np.ndarray:
    """Unit vectors around eight directions."""
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((8, width))
    return unit(centers[rng.integers(0, 8, count)] + 0.7 * rng.standard_normal((count, width)))


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def built(vectors: np.ndarray, alive: np.ndarray | None = None, k: int = 4) -> Graph:
    alive = np.ones(len(vectors), bool) if alive is None else alive
    return Graph.build(vectors.__getitem__, alive, k=k)


def same(first: Graph, second: Graph) -> bool:
    one, other = first.arrays(), second.arrays()
    return all(np.array_equal(one[name], other[name]) for name in one)


def expected(vectors: np.ndarray, alive: np.ndarray, k: int = 4) -> np.ndarray:
    """The similarities of all links, in plain numpy."""
    products = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    products[~alive] = products[:, ~alive] = -1.0
    np.fill_diagonal(products, -1.0)
    nearest = np.argsort(-products, axis=1, kind="stable")[:, :k]
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
    np.testing.assert_allclose(matrix(graph), expected(vectors, np.ones(120, bool)), atol=1e-6)


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


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.lists(st.integers(1, 40), min_size=2, max_size=4))
def test_growing_equals_building_at_once(seed, sizes):
    """Images added in pieces are linked as if all had been there, to the bit."""
    vectors = world(sum(sizes), seed)
    graph = built(vectors[: sizes[0]])
    for total in np.cumsum(sizes)[1:]:
        graph = graph.grown(vectors.__getitem__, np.ones(total, bool))
    assert same(graph, built(vectors))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.integers(0, 60))
def test_shrinking_equals_never_having_been(seed, gone):
    """After rows died the graph is that of the living, and it grows back when they return."""
    vectors = world(60, seed)
    graph = built(vectors)
    alive = np.ones(60, bool)
    alive[np.random.default_rng(seed).permutation(60)[:gone]] = False
    less = graph.shrunk(vectors.__getitem__, alive)
    np.testing.assert_allclose(matrix(less), expected(vectors, alive), atol=1e-6)
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
    vectors = unit(np.ones((count, 6)))
    graph = built(vectors)
    assert len(graph) == count
    np.testing.assert_allclose(matrix(graph), np.where(np.eye(count, dtype=bool), 0, 1), atol=1e-6)
    assert same(Graph.load(graph.arrays()), graph)


def test_a_thousand_equal_pictures_are_linked():
    """Where all pictures are alike each has its k neighbours, the lowest rows, at similarity 1."""
    graph = built(unit(np.ones((1000, 6))))
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
    vectors = unit(line + rng.standard_normal(line.shape))
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


def test_joined_links_are_there_from_both_sides_at_their_highest():
    """Links found another way join the graph; where one was there, the higher similarity counts."""
    vectors = world(40)
    graph = built(vectors)
    near = int(graph.nearest(0, 1)[0][0])
    far = int(np.argmin(vectors @ vectors[0]))
    last = int(graph.nearest(0, 4)[0][3])
    pairs = np.array([[0, near], [far, 0], [0, far], [last, 0]])
    before = matrix(graph)
    after = matrix(graph.joined(pairs, np.array([1.0, 0.3, 0.7, 0.01], np.float32)))
    want = before.copy()
    want[0, near] = want[near, 0] = 1.0
    want[0, far] = want[far, 0] = np.float32(0.7)
    np.testing.assert_array_equal(after, want)
    assert after[0, last] == before[0, last] > 0.01
    joined = graph.joined(pairs, np.array([1.0, 0.3, 0.7, 0.01], np.float32))
    assert same(Graph.load(joined.arrays()), joined)
    assert graph.joined(np.zeros((0, 2), np.int64), np.zeros(0, np.float32)) is graph
    with pytest.raises(InvalidInput, match="two of 40 rows"):
        graph.joined(np.array([[3, 3]]), np.ones(1, np.float32))
    with pytest.raises(InvalidInput, match="similarity"):
        graph.joined(np.array([[3, 4]]), np.full(1, 1.5, np.float32))


def spoil(name: str, place: int, value: object):
    def change(arrays: dict) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda arrays: arrays.pop("neighbours"), "no array 'neighbours'"),
        (lambda arrays: arrays.update(offsets=arrays["offsets"][:-1]), "offsets"),
        (lambda arrays: arrays.update(similarities=arrays["similarities"][:-1]), "number"),
        (lambda arrays: arrays.update(neighbours=arrays["neighbours"] * 1.0), "another form"),
        (spoil("k", 0, 0), "its k"),
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

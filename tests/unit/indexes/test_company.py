"""Two pictures are of one kind when they keep the same company."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.indexes import company
from saccade.indexes.company import Companies, of_spread
from saccade.indexes.evidence import Bent, Evidence, SessionRows, Sessions
from saccade.indexes.graph import Graph
from saccade.indexes.spread import Sources, spread

KINDS = 6


def world(count: int = 120, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((KINDS, 16))
    vectors = centers[np.arange(count) % KINDS] + 0.6 * rng.standard_normal((count, 16))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def built(vectors: np.ndarray) -> Graph:
    return Graph.build(vectors.__getitem__, np.ones(len(vectors), bool), k=8)


def exact(graph: Graph, row: int) -> tuple[list[int], np.ndarray]:
    """The head of a spread that was pushed to the end, by sorting all of it."""
    f = spread(graph, Sources.of([row]), least=1e-12, budget=10**9).dense()
    others = np.delete(np.arange(len(f)), row)
    order = others[np.argsort(-f[others], kind="stable")]
    held = np.cumsum(f[order])
    kept = order[: int(np.searchsorted(held, company.SHARE * held[-1])) + 1]
    members = np.sort([row, *kept.tolist()])
    return members.tolist(), np.sqrt(f[members] / f[members].sum())


def test_a_company_is_the_head_of_a_spread() -> None:
    """The fewest others that hold the share, and the source; pushed less far it is nearly that."""
    graph = built(world())
    found = Companies.of(graph)
    for row in (0, 17, 119):
        members, values = exact(graph, row)
        there, roots = found.at(row)
        assert row in there
        assert len(set(members) ^ set(there.tolist())) <= 2
        both = np.intersect1d(members, there)
        close = values[np.searchsorted(members, both)] - roots[np.searchsorted(there, both)]
        assert np.abs(close).max() < 0.02
        assert np.square(roots).sum() == pytest.approx(1.0, abs=1e-5)


def test_many_are_compared_with_many_as_one_with_one() -> None:
    """Rows in any order, one of them twice, and none at all."""
    found = Companies.of(built(world()))
    rows, others = np.array([5, 3, 5, 119]), np.array([0, 5, 60])
    table = found.likenesses(rows, others)
    for column, other in enumerate(others):
        np.testing.assert_allclose(
            table[:, column], found.likeness(found.at(other), rows), rtol=1e-5, atol=1e-7
        )
    assert table[0, 1] == pytest.approx(1.0, abs=1e-5)
    assert found.likenesses(rows, others[:0]).shape == (4, 0)


def test_a_company_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """By memory, whatever is reached."""
    monkeypatch.setattr(company, "MOST", 5)
    assert np.diff(Companies.of(built(world())).offsets).max() == 5


def test_likeness_is_the_product_of_two_companies() -> None:
    """1 with itself, alike from both sides, and highest within a kind."""
    graph = built(world())
    found = Companies.of(graph)
    rows = np.arange(len(graph))
    every = np.stack([found.likeness(found.at(row), rows) for row in rows.tolist()])
    assert np.allclose(np.diag(every), 1.0, atol=1e-5)
    assert np.allclose(every, every.T, atol=1e-5)
    same = rows[:, None] % KINDS == rows % KINDS
    assert every[same].mean() > 5 * every[~same].mean()


def test_a_row_without_links_is_alone() -> None:
    """In its own company, and in nobody else's."""
    vectors = world(30)
    alive = np.ones(30, bool)
    alive[7] = False
    found = Companies.of(Graph.build(vectors.__getitem__, alive, k=8))
    assert found.at(7)[0].tolist() == [7]
    assert (np.delete(found.members, found.offsets[7]) != 7).all()


def test_companies_are_the_same_wherever_rows_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large graph lies in another order in memory; members come by row all the same."""
    from saccade.indexes import layout

    vectors = world(300)
    plain = Companies.of(built(vectors))
    monkeypatch.setattr(layout, "SMALL", 10)
    moved = Companies.of(built(vectors))
    assert np.array_equal(plain.offsets, moved.offsets)
    assert np.array_equal(plain.members, moved.members)
    assert np.allclose(plain.values, moved.values, atol=1e-6)


def test_new_rows_and_their_surroundings_get_their_company() -> None:
    """As if all had been found at once; what is far away stays as it was."""
    vectors = world(200)
    before = Companies.of(built(vectors[:190]))
    alive = np.ones(200, bool)
    graph = built(vectors)
    after, anew = before.renewed(graph, alive), Companies.of(graph)
    for row in range(190, 200):
        assert np.array_equal(after.at(row)[0], anew.at(row)[0])
    new = after.likeness(after.at(195), np.arange(200))
    assert np.corrcoef(new, anew.likeness(anew.at(195), np.arange(200)))[0, 1] > 0.98


def test_nobody_keeps_company_with_the_dead() -> None:
    """Those who did look again."""
    vectors = world(200)
    before = Companies.of(built(vectors))
    alive = np.ones(200, bool)
    alive[[3, 4]] = False
    graph = Graph.build(vectors.__getitem__, alive, k=8)
    after = before.renewed(graph, alive)
    owners = np.repeat(np.arange(200), np.diff(after.offsets))
    assert set(owners[np.isin(after.members, [3, 4])].tolist()) <= {3, 4}


def test_a_picture_from_outside_has_the_company_of_what_it_reaches() -> None:
    """Entering where a row is, it is in that row's company."""
    graph = built(world())
    found = Companies.of(graph)
    outside = of_spread(spread(graph, Sources.of([5])))
    assert found.likeness(outside, np.array([5]))[0] > 0.95


def test_a_picture_that_reaches_nothing_is_in_no_company() -> None:
    """Not even in its own."""
    rows, values = of_spread(spread(built(world()), Sources.of([])))
    assert len(rows) == len(values) == 0


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("members", lambda a: a + 1000),
        ("values", lambda a: a + 1.0),
        ("values", lambda a: a[:-1]),
        ("offsets", lambda a: a[::-1].copy()),
        ("offsets", lambda a: a[:-1]),
        ("members", lambda a: a.astype(np.int64)),
    ],
)
def test_damaged_companies_are_refused(name: str, change) -> None:  # type: ignore[no-untyped-def]
    """With the reason, before they are used."""
    arrays = Companies.of(built(world())).arrays()
    assert len(Companies.load(arrays)) == 120
    with pytest.raises(InvalidInput, match="companies of pictures are damaged"):
        Companies.load({**arrays, name: change(arrays[name])})


def test_companies_that_lack_an_array_are_refused() -> None:
    """The array is named."""
    arrays = Companies.of(built(world())).arrays()
    del arrays["values"]
    with pytest.raises(InvalidInput, match="'values'"):
        Companies.load(arrays)


def test_company_along_bent_links_is_what_links_now_say_more_than_before() -> None:
    """Held to slow obvious code, in rounds; what is not bent keeps what it had."""
    graph = built(world())
    found, rows = Companies.of(graph), np.arange(len(graph))
    none = np.zeros(0, np.int64)
    far = 3 + np.argsort(found.likeness(found.at(0), rows[3:]), kind="stable")[:3]
    session = SessionRows(np.array([0]), far, np.array([1, 2]), none, none)
    over = Bent.of(graph, Evidence.of(Sessions.of([session] * 2), np.arange(2)))
    assert over is not None
    own = found.at(0)
    base = found.likeness(own, rows).astype(np.float64)
    base[0] = 1.0  # the query's own row is sure
    offsets, neighbours, weights = over.links
    now = base.copy()
    for _ in range(company.ROUNDS):
        after = base.copy()
        for row in np.flatnonzero(over.over >= 0).tolist():
            part = slice(graph.offsets[row], graph.offsets[row + 1])
            bent = slice(offsets[over.over[row]], offsets[over.over[row] + 1])
            before = np.average(base[graph.neighbours[part]], weights=graph.weights[part])
            linked = np.average(now[neighbours[bent]], weights=weights[bent])
            after[row] = max(0.0, base[row] + linked - before)
        after[0] = 1.0
        now = after
    other = found.at(1)
    plain, along = found.likeness_along(other, own, rows, graph, over, np.array([0]))
    np.testing.assert_array_equal(plain, found.likeness(other, rows))
    np.testing.assert_allclose(along, now, atol=1e-5)
    assert (along[far] > base[far]).all()
    untouched = over.over < 0
    np.testing.assert_array_equal(along[untouched], found.likeness(own, rows[untouched]))
    # Who is not asked about keeps none: of what is asked, those alone are heard that are asked.
    few = far[:1]
    _, alone = found.likeness_along(other, own, few, graph, over, np.array([0]))
    here = int(few[0])
    part = slice(graph.offsets[here], graph.offsets[here + 1])
    bent = slice(offsets[over.over[here]], offsets[over.over[here] + 1])
    kept = np.zeros(len(graph))
    kept[0], kept[here] = 1.0, base[here]
    before = np.average(kept[graph.neighbours[part]], weights=graph.weights[part])
    for _ in range(company.ROUNDS):
        linked = np.average(kept[neighbours[bent]], weights=weights[bent])
        kept[here] = max(0.0, base[here] + linked - before)
    np.testing.assert_allclose(alone, kept[few], atol=1e-5)

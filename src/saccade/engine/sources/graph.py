"""The neighbour graph: every image linked to those most like it, and what spreads along the links.

It is derived from the dense columns: `add` builds it, lets new images in and dead ones go, and the
doctor builds it again. A blend of descriptors says who is like whom
(`features.prior.shares`), around centres that are kept with the graph and taken anew when the
collection has doubled. While the graph lags behind the collection or is damaged, nothing spreads
and the other schemes serve.

    scheme LEAD:spread      LEAD the embedding, or the descriptor with the largest share without one
    φ = log of what the query spreads to an image, on a scale from 0 to 1 (`indexes.spread`);
        what it does not reach lies just below 0, in the order of LEAD's cosine, which is not
        computed while a page is shorter than half of what is reached

A picture from outside enters through its nearest in the collection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.engine.collection import Collection, Example, View, Wanted
from saccade.engine.progress import Progress, Watch
from saccade.engine.sources import standouts
from saccade.engine.sources.dense import Dense, DenseView
from saccade.engine.sources.source import About, Described, Shelf
from saccade.engine.sources.words import WordView
from saccade.errors import InvalidInput, SaccadeError
from saccade.features import prior, standout
from saccade.features.phi import phi
from saccade.indexes.blend import Blend
from saccade.indexes.graph import NEIGHBOURS, Graph
from saccade.indexes.spread import Sources, Spread, spread
from saccade.kernels.topk import top
from saccade.store.store import Store
from saccade.types import Arrays, Finding, Phi, Rows, Scheme, Scores

GRAPH = "graph"
VERSION = "1"
SETTING = "graph"
"""Where the store's settings keep what the links were made from."""
GROWN = 2.0
"""The centres are taken anew when the collection is this many times as large."""
NEAR = 1000
"""Of a large collection, the images that one descriptor finds for the blend to choose from."""
LENGTH = "length of the page"
"""Under this name an example may say how many rows will be looked at; otherwise all are."""
FAR = np.float32(0.05)
"""Rows that nothing reached lie between 0 and this below it."""
_CHUNK = 8192


@dataclass(frozen=True, slots=True)
class GraphView:
    """The links of a collection at one moment."""

    graph: Graph
    blend: Blend
    columns: DenseView  # with the centres that the links were made around
    alive: NDArray[np.bool_]
    scheme: Scheme

    @property
    def names(self) -> tuple[str, ...]:
        """No descriptor is its own."""
        return ()

    @property
    def more(self) -> tuple[Scheme, ...]:
        """The one scheme."""
        return (self.scheme,)

    def serves(self, scheme: Scheme) -> bool:
        """The one scheme."""
        return scheme == self.scheme

    def of_row(self, row: int) -> dict[str, Any]:
        """A row is known by its links."""
        return {}

    def of_picture(self, picture: Picture, only: Wanted) -> dict[str, Any]:
        """A picture from outside is known by its vectors, which others compute."""
        return {}

    def needs(self, scheme: Scheme) -> tuple[str, ...]:
        """A picture from outside is placed by every descriptor of the blend."""
        return tuple(part.name for part in self.blend.parts) if self.serves(scheme) else ()

    def fill(
        self,
        out: Phi,
        example: Example,
        schemes: Sequence[Scheme],
        *,
        rows: Rows | None = None,
        raw: bool = False,
        pool: Executor | None = None,
    ) -> None:
        """What the example spreads to each image; it is on its own scale already."""
        if self.scheme in schemes:
            values = self.likeness(example, pool)
            out[:, list(schemes).index(self.scheme)] = values if rows is None else values[rows]

    def weigh(
        self,
        out: Scores,
        example: Example,
        schemes: Sequence[Scheme],
        weights: NDArray[np.float32],
        pool: Executor | None = None,
    ) -> None:
        """One push, whatever the size of the collection."""
        for scheme, weight in zip(schemes, weights, strict=True):
            if weight != 0.0 and scheme == self.scheme:
                out += weight * self.likeness(example, pool)

    def likeness(self, example: Example, pool: Executor | None = None) -> Scores:
        """φ of every row: what reached it, or below all of those how like it is by the lead."""
        reached, lead = self.reach(example), self.scheme.descriptor
        near = example.once("near", lambda: np.maximum(reached.likeness(), np.float32(0.0)))
        if (
            2 * example.memo.get(LENGTH, len(near)) <= len(reached.rows)
            or lead not in example.parts
        ):
            return near
        return example.once("spread", lambda: self._filled(near, example, pool))

    def _filled(self, values: Scores, example: Example, pool: Executor | None) -> Scores:
        cosine = Scheme(self.scheme.descriptor, "cosine")
        cosines = phi(example.parts, self.columns.columns, [cosine], pool=pool)[:, 0]
        return np.where(values > 0.0, values, FAR * (cosines - np.float32(1.0)))

    def remember(self, example: Example, *, places: bool) -> dict[str, NDArray[Any]]:
        """Nothing of its own."""
        return {}

    def recall(self, arrays: Arrays, vocabulary: str) -> dict[str, Any]:
        """Nothing of its own."""
        return {}

    def warm(self, row: int) -> None:
        """Compile the push."""
        self.spread(Sources.of([row]))

    # -- for sessions --------------------------------------------------------------------------

    def sources(self, example: Example) -> Sources:
        """Where an example starts to spread: its row, or its nearest."""
        if example.row >= 0:
            return Sources.of([example.row])
        return Sources.through(self.graph, *self.nearest(example))

    def reach(self, example: Example) -> Spread:
        """What spreads from an example that starts with 1."""
        return example.once("reach", lambda: spread(self.graph, self.sources(example)))

    def spread(self, sources: Sources) -> NDArray[np.float64]:
        """What reaches every row, [n]."""
        return spread(self.graph, sources).dense()

    def nearest(self, example: Example, k: int = NEIGHBOURS) -> tuple[Rows, Scores]:
        """The images most like an example from outside, by the blend, best first."""
        parts = self.blend.parts
        if any(part.name not in example.parts for part in parts):
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        given = {p.name: np.asarray(example.parts[p.name], np.float32)[None] for p in parts}
        rows = np.flatnonzero(self.alive)
        if len(rows) > 4 * NEAR:
            lead = max(parts, key=lambda part: part.share)
            take = self.columns.columns[lead.name].take
            found = _products(lead.seen(given[lead.name])[0], lambda r: lead.seen(take(r)), rows)
            rows = np.sort(rows[top(found, NEAR)])
        takes = {name: column.take for name, column in self.columns.columns.items()}
        found = _products(self.blend.vectors(given)[0], self.blend.taking(takes), rows)
        best = top(found, min(k, len(found)))
        return rows[best], found[best]


class Links:
    """The graph as something derived from every dense column."""

    derived: tuple[str, ...] = (GRAPH,)

    def covers(self, descriptor: str) -> bool:
        """No descriptor: it is made from others."""
        return False

    def about(self, descriptor: str) -> About:
        """There is no descriptor of this kind."""
        raise InvalidInput(f"{descriptor!r} is no descriptor of the neighbour graph")

    def describe(
        self, descriptor: str, pictures: Sequence[Picture], labels: Sequence[str]
    ) -> Described:
        """Nothing is made from pixels."""
        return {}, []

    def blank(self, descriptor: str) -> dict[str, NDArray[Any]]:
        """Nothing is made from pixels."""
        return {}

    def load(
        self,
        shelf: Shelf,
        descriptors: Sequence[str],
        before: View | None,
        views: Mapping[str, View],
    ) -> GraphView | None:
        """The links of a store, or None while they do not cover every row."""
        held, columns = shelf.whole(GRAPH, VERSION), views.get("dense")
        spec = shelf.store.catalog.setting(SETTING)
        if held is None or len(held) != 1 or not spec or not isinstance(columns, DenseView):
            return None
        if held[0].rows != shelf.total:
            return None  # rows were added after the listing was read: the next search sees them
        try:
            arrays = shelf.store.columns.load(held[0])
            graph, blend = Graph.load(arrays), Blend.load(spec, arrays)
        # Damaged or lost, it can be made again; meanwhile the other schemes serve.
        except SaccadeError:
            return None
        if any(part.name not in columns.columns for part in blend.parts):
            return None
        graph = _joined(graph, shelf, views.get("words"))
        columns = columns.centred({p.name: p.centre for p in blend.parts if not p.rooted})
        return GraphView(graph, blend, columns, shelf.listing.alive, _scheme(blend))

    def size(self, descriptor: str, view: View | None) -> tuple[int, int]:
        """Its links take some hundred bytes per image, whatever the descriptor."""
        if not isinstance(view, GraphView):
            return 0, 0
        total = sum(array.nbytes for array in view.graph.arrays().values())
        return view.graph.k, round(total / max(1, len(view.graph)))

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Build the graph, or bring it up to date."""
        shelf = Shelf.of(store)
        dense = Dense().load(shelf, descriptors, None, {})
        kinds = store.catalog.setting("kinds") or {}
        shares = prior.shares({name: kinds.get(name, "") for name in dense.columns})
        if not shares or not shelf.listing.alive.any():
            store.commit(retract=[(GRAPH, None)], settings={SETTING: None}, quiet=True)
            return
        watch(Progress("graph", 0, shelf.total))
        found = _updated(shelf, dense, shares, prior.rooted(kinds))
        if found is not None:
            graph, blend = found
            arrays = {**graph.arrays(), **blend.arrays()}
            draft = store.columns.draft(GRAPH, VERSION, 0, arrays)
            store.commit(retract=[(GRAPH, None)], drafts=[draft], settings={SETTING: blend.spec()})
        watch(Progress("graph", shelf.total, shelf.total))

    def damage(self, arrays: Arrays, rows: int) -> str:
        """A graph knows whether it is one."""
        try:
            graph = Graph.load(arrays)
        except SaccadeError as error:
            return error.message
        return "" if len(graph) == rows else "has another number of rows"

    def lacking(self, store: Store, descriptors: Sequence[str]) -> Iterator[Finding]:
        """No graph, or one that lags behind the collection."""
        shelf = Shelf.of(store)
        dense = Dense().load(shelf, descriptors, None, {})
        if not dense.columns or not shelf.listing.alive.any():
            return
        if self.load(shelf, descriptors, None, {"dense": dense}) is None:
            covered = store.columns.coverage().get((GRAPH, VERSION), 0)
            behind = f"links {covered} of {shelf.total} images"
            yield Finding("graph", behind, "would be built from the descriptors")


def of(collection: Collection) -> GraphView | None:
    """The links of a collection, where every image is among them."""
    view = collection.views.get("graph")
    return view if isinstance(view, GraphView) else None


def _updated(
    shelf: Shelf, dense: DenseView, shares: Mapping[str, float], rooted: Sequence[str]
) -> tuple[Graph, Blend] | None:
    """The graph of today, or None where the one that is kept is."""
    alive = shelf.listing.alive
    takes = {name: column.take for name, column in dense.columns.items()}
    kept = _kept(shelf, shares)
    if kept is None or np.count_nonzero(alive) > GROWN * max(1, kept[1].around):
        blend = Blend.fit(takes, shares, rooted, _centre_rows(alive))
        return Graph.build(blend.taking(takes), alive), blend
    graph, blend = kept
    take, known = blend.taking(takes), len(graph)
    rows = np.arange(known)
    gone = graph.linked(rows) & ~alive[:known]
    # A blank picture has no links and is looked at again; that is cheap, and it may have come back.
    new = np.flatnonzero(alive[:known] & ~graph.linked(rows))
    if not gone.any() and known == len(alive) and not take(new).any():
        return None
    if gone.any():
        graph = graph.shrunk(take, alive[:known])
    return graph.grown(take, alive), blend


def _joined(graph: Graph, shelf: Shelf, words: View | None) -> Graph:
    """The graph with the links that words give; what is kept on disk is without them."""
    found = standouts.pairs(shelf, words) if isinstance(words, WordView) else None
    if found is None:
        return graph
    return graph.joined(found, np.full(len(found), standout.LINK, np.float32))


def _kept(shelf: Shelf, shares: Mapping[str, float]) -> tuple[Graph, Blend] | None:
    """The graph that is there, if it was made by these shares."""
    spec = shelf.store.catalog.setting(SETTING)
    held = [s for s in shelf.store.columns.segments() if (s.name, s.version) == (GRAPH, VERSION)]
    if not spec or len(held) != 1 or held[0].rows > shelf.total:
        return None
    try:
        arrays = shelf.store.columns.load(held[0])
        graph, blend = Graph.load(arrays), Blend.load(spec, arrays)
    except SaccadeError:
        return None
    same = {part.name: part.share for part in blend.parts} == dict(shares)
    return (graph, blend) if same else None


def _centre_rows(alive: NDArray[np.bool_]) -> Rows:
    """Rows the centres are taken from: all of a small collection, a sample of a large one."""
    rows: Rows = np.flatnonzero(alive).astype(np.int64)
    if len(rows) <= 20_000:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, 20_000, replace=False))


def _scheme(blend: Blend) -> Scheme:
    return Scheme(max(blend.parts, key=lambda part: part.share).name, prior.SPREAD)


def _products(query: NDArray[np.float32], take: Any, rows: Rows) -> Scores:
    """Products of one vector with many, some rows at a time."""
    parts = [take(rows[i : i + _CHUNK]) @ query for i in range(0, len(rows), _CHUNK)]
    return np.concatenate([np.zeros(0, np.float32), *parts])

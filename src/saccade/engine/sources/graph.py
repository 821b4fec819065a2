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

    scheme LEAD:company     how far an image keeps the query's company, 0 to 1 (`indexes.company`);
                            of a large collection, of those that the spread reaches best

A picture from outside enters through its nearest in the collection, which are found among all
images of a small one, and along the links of a large one (`indexes.walk`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.engine.collection import Collection, Example, View
from saccade.engine.progress import Progress, Watch
from saccade.engine.sources import standouts
from saccade.engine.sources.dense import Dense, DenseView
from saccade.engine.sources.source import Shelf, Source
from saccade.engine.sources.standouts import VerifiedLinks
from saccade.engine.sources.words import SETTING as VOCABULARY
from saccade.errors import SaccadeError
from saccade.features import prior, standout
from saccade.features.phi import phi
from saccade.indexes.blend import Blend, Take
from saccade.indexes.company import Companies, Members, of_spread
from saccade.indexes.evidence import Bent
from saccade.indexes.graph import NEIGHBOURS, Graph
from saccade.indexes.spread import Sources, Spread, spread
from saccade.indexes.walk import Walk
from saccade.kernels.topk import top
from saccade.store.store import Store
from saccade.types import Arrays, Finding, Phi, Rows, Scheme, Scores, Spec, Vectors

log = logging.getLogger(__name__)

GRAPH, COMPANY = "graph", "graph/company"
VERSION = "1"
SETTING = "graph"
"""Where the store's settings keep what the links were made from."""
MADE_OF = "company"
"""Where they keep which links the companies were found along."""
GROWN = 2.0
"""The centres are taken anew when the collection is this many times as large."""
SEEDS = "seeds"
"""Under this name an example that is no picture says where it starts to spread."""
COMPARED = 4096
"""Images whose company is compared with the query's, and which a picture from outside is compared
with: all of a small collection, of a large one those that the query reaches best."""
FAR = np.float32(0.05)
"""Rows that nothing reached lie between 0 and this below it."""
_CHUNK = 8192


@dataclass(frozen=True, slots=True)
class GraphView(View):
    """The links of a collection at one moment."""

    graph: Graph
    blend: Blend
    columns: DenseView  # with the centres that the links were made around
    alive: NDArray[np.bool_]
    scheme: Scheme
    companies: Companies | None = None  # None while they do not cover every row
    verified: VerifiedLinks | None = None  # those of the links that geometry confirms
    _walks: list[Walk] = field(default_factory=list, repr=False, compare=False)

    @property
    def company(self) -> Scheme:
        """The scheme that compares companies."""
        return Scheme(self.scheme.descriptor, prior.COMPANY)

    @property
    def more(self) -> tuple[Scheme, ...]:
        """What spreads, and who keeps the same company."""
        return (self.scheme,) if self.companies is None else (self.scheme, self.company)

    def serves(self, scheme: Scheme) -> bool:
        """Its own schemes."""
        return scheme in self.more

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
        length: int | None = None,
        pool: Executor | None = None,
    ) -> None:
        """What the example spreads to each image, and who keeps its company; both in 0 to 1."""
        for place, scheme in enumerate(schemes):
            if self.serves(scheme) and SEEDS not in example.parts:
                values = self._values(scheme, example, length, pool)
                out[:, place] = values if rows is None else values[rows]

    def weigh(
        self,
        out: Scores,
        example: Example,
        schemes: Sequence[Scheme],
        weights: NDArray[np.float32],
        *,
        length: int | None = None,
        pool: Executor | None = None,
    ) -> None:
        """One push, whatever the size of the collection."""
        if SEEDS in example.parts:
            return  # words have schemes of their own
        for scheme, weight in zip(schemes, weights, strict=True):
            if weight != 0.0 and self.serves(scheme):
                out += weight * self._values(scheme, example, length, pool)

    def _values(
        self, scheme: Scheme, example: Example, length: int | None, pool: Executor | None
    ) -> Scores:
        if scheme == self.scheme:
            return self.likeness(example, length, pool)
        return example.once("company", lambda: self._together(example))

    def short(self, example: Example, length: int | None) -> bool:
        """A page shorter than half of what is reached has nothing of the rest."""
        return length is not None and 2 * length <= len(self.reach(example).rows)

    def likeness(
        self, example: Example, length: int | None = None, pool: Executor | None = None
    ) -> Scores:
        """φ of every row: what reached it, or below all of those how like it is by the lead."""
        reached, lead = self.reach(example), self.scheme.descriptor
        near = example.once("near", lambda: np.maximum(reached.likeness(), np.float32(0.0)))
        if self.short(example, length) or lead not in example.parts:
            return near
        return example.once("spread", lambda: self._filled(near, example, pool))

    def _filled(self, values: Scores, example: Example, pool: Executor | None) -> Scores:
        cosine = Scheme(self.scheme.descriptor, "cosine")
        cosines = phi(example.parts, self.columns.columns, [cosine], pool=pool)[:, 0]
        return np.where(values > 0.0, values, FAR * (cosines - np.float32(1.0)))

    def _together(self, example: Example) -> Scores:
        """How far each row keeps the example's company; 0 for those that are not compared."""
        assert self.companies is not None  # else the scheme is not served
        reached, out = self.reach(example), np.zeros(len(self.graph), np.float32)
        rows = reached.rows
        if len(rows) > COMPARED:
            rows = rows[top(reached.values.astype(np.float32), COMPARED)]
        out[rows] = self.companies.likeness(self._company(example, reached), rows)
        return out

    def _company(self, example: Example, reached: Spread) -> Members:
        if example.row >= 0 and self.companies is not None:
            return self.companies.at(example.row)
        return of_spread(reached)

    def warm(self, row: int) -> None:
        """Compile the push, and what compares companies; know where walks begin."""
        self.spread(Sources.of([row]))
        if len(self.graph) > COMPARED:
            self._walk()
        if self.companies is not None:
            own = np.array([row])
            self.companies.likeness(self.companies.at(row), own)
            self.companies.likenesses(own, own)

    # -- for sessions --------------------------------------------------------------------------

    def sources(self, example: Example) -> Sources:
        """Where an example starts to spread: its row, its nearest, or where it says."""
        if SEEDS in example.parts:
            seeds: Sources = example.parts[SEEDS]
            return seeds
        if example.row >= 0:
            return Sources.of([example.row])
        return Sources.through(self.graph, *self.nearest(example))

    def reach(self, example: Example) -> Spread:
        """What spreads from an example that starts with 1."""
        return example.once("reach", lambda: spread(self.graph, self.sources(example)))

    def spread(self, sources: Sources, over: Bent | None = None) -> NDArray[np.float64]:
        """What reaches every row, [n], perhaps over links that evidence bends.

        As far in both cases: the difference of two that end elsewhere would say what nobody taught.
        """
        return spread(self.graph, sources, over=over).dense()

    def nearest(self, example: Example, k: int = NEIGHBOURS) -> tuple[Rows, Scores]:
        """The images most like an example from outside, by the blend, best first."""
        parts = self.blend.parts
        if any(part.name not in example.parts for part in parts):
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        given = {p.name: np.asarray(example.parts[p.name], np.float32)[None] for p in parts}
        vector, rows = self.blend.vectors(given)[0], np.flatnonzero(self.alive)
        if len(rows) > COMPARED:
            rows, products = self._walk().nearest(vector)
            there = self.alive[rows]
            return rows[there][:k], products[there][:k]
        products = _products(vector, self._taking(), rows)
        best = top(products, min(k, len(products)))
        return rows[best], products[best]

    def _taking(self) -> Take:
        """Blended vectors by row."""
        return self.blend.taking({n: column.take for n, column in self.columns.columns.items()})

    def _walk(self) -> Walk:
        if not self._walks:  # two threads may make it at once: both are the same
            self._walks.append(Walk.of(self.graph, self._taking()))
        return self._walks[0]


class Links(Source):
    """The graph as something derived from every dense column."""

    derived = (GRAPH, COMPANY)

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
        except SaccadeError as error:
            trace.swallowed(log, error, doing="loading the neighbour graph")
            return None
        if any(part.name not in columns.columns for part in blend.parts):
            return None
        verified = _verified(shelf)
        graph = _joined(graph, verified)
        columns = columns.centred({p.name: p.centre for p in blend.parts if not p.rooted})
        companies, alive = _companies(shelf), shelf.listing.alive
        return GraphView(graph, blend, columns, alive, _scheme(blend), companies, verified)

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
            retracted = [(GRAPH, None), (COMPANY, None)]
            store.commit(retract=retracted, settings={SETTING: None}, quiet=True)
            return
        watch(Progress("graph", 0, shelf.total))
        updated = _updated(shelf, dense, shares, prior.rooted(kinds))
        if updated is not None:
            graph, blend = updated
            arrays = {**graph.arrays(), **blend.arrays()}
            draft = store.columns.draft(GRAPH, VERSION, 0, arrays)
            store.commit(retract=[(GRAPH, None)], drafts=[draft], settings={SETTING: blend.spec()})
        _keep_company(store)
        watch(Progress("graph", shelf.total, shelf.total))

    def damage(self, arrays: Arrays, rows: int) -> str:
        """A graph knows whether it is one, and so do companies."""
        try:
            stored = Companies.load(arrays) if "members" in arrays else Graph.load(arrays)
        except SaccadeError as error:
            return error.message
        return "" if len(stored) == rows else "has another number of rows"

    def lacking(self, store: Store, descriptors: Sequence[str]) -> Iterator[Finding]:
        """No graph, or one that lags behind the collection."""
        shelf = Shelf.of(store)
        dense = Dense().load(shelf, descriptors, None, {})
        if not dense.columns or not shelf.listing.alive.any():
            return
        view, covered = (
            self.load(shelf, descriptors, None, {"dense": dense}),
            store.columns.coverage(),
        )
        if view is None:
            behind = f"links {covered.get((GRAPH, VERSION), 0)} of {shelf.total} images"
            yield Finding("graph", behind, "would be built from the descriptors")
        elif view.companies is None:
            behind = f"the company of {covered.get((COMPANY, VERSION), 0)} of {shelf.total} images"
            yield Finding("graph", f"has {behind}", "would be found along the links")


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
    before = _stored(shelf, shares)
    if before is None or np.count_nonzero(alive) > GROWN * max(1, before[1].around):
        blend = Blend.fit(takes, shares, rooted, _centre_rows(alive))
        return Graph.build(blend.taking(takes), alive), blend
    graph, blend = before
    take, linked = blend.taking(takes), len(graph)
    rows = np.arange(linked)
    gone = graph.linked(rows) & ~alive[:linked]
    # A blank picture has no links and is looked at again; that is cheap, and it may have come back.
    new = np.flatnonzero(alive[:linked] & ~graph.linked(rows))
    if not gone.any() and linked == len(alive) and not take(new).any():
        return None
    if gone.any():
        graph = graph.shrunk(take, alive[:linked])
    return graph.grown(take, alive), blend


def _verified(shelf: Shelf) -> VerifiedLinks | None:
    """The links that geometry confirms, where they cover every row."""
    return standouts.links(shelf, shelf.store.catalog.setting(VOCABULARY) or "")


def _joined(graph: Graph, links: VerifiedLinks | None) -> Graph:
    """The graph with the links that geometry confirms; what is kept on disk is without them."""
    if links is None:
        return graph
    return graph.joined(links.pairs, np.full(len(links.pairs), standout.LINK, np.float32))


def _companies(shelf: Shelf) -> Companies | None:
    """The companies that are kept, if they cover every row."""
    companies = _stored_companies(shelf)
    return companies if companies is not None and len(companies) == shelf.total else None


def _stored_companies(shelf: Shelf) -> Companies | None:
    """Those that are there, perhaps of fewer rows."""
    held = [s for s in shelf.store.columns.segments() if (s.name, s.version) == (COMPANY, VERSION)]
    if len(held) != 1:
        return None
    try:
        return Companies.load(shelf.store.columns.load(held[0]))
    # Damaged or lost, they can be made again; meanwhile the other schemes serve.
    except SaccadeError as error:
        trace.swallowed(log, error, doing="loading the companies of pictures")
        return None


def _keep_company(store: Store) -> None:
    """Bring the companies up to date with the links, where those have changed."""
    shelf = Shelf.of(store)
    (held,) = [s for s in store.columns.segments() if (s.name, s.version) == (GRAPH, VERSION)]
    arrays = store.columns.load(held)
    bare, blend = Graph.load(arrays), Blend.load(store.catalog.setting(SETTING) or {}, arrays)
    graph = _joined(bare, _verified(shelf))
    made_of = {
        "graph": held.files["neighbours"],
        "around": blend.around,
        "links": len(graph.neighbours) - len(bare.neighbours),
    }
    before, then = _stored_companies(shelf), store.catalog.setting(MADE_OF) or {}
    if before is not None and then == made_of and len(before) == len(graph):
        return
    if before is None or not _grown(then, made_of, len(graph) - len(before)):
        after = Companies.of(graph)
    else:
        after = before.renewed(graph, shelf.listing.alive)
    draft = store.columns.draft(COMPANY, VERSION, 0, after.arrays())
    store.commit(retract=[(COMPANY, None)], drafts=[draft], settings={MADE_OF: made_of})


def _grown(before: Spec, after: Spec, new: int) -> bool:
    """Whether links that companies were made of only grew and shrank, or were all made anew."""
    if new < 0 or before.get("around") != after["around"] or before["graph"] == after["graph"]:
        return False
    changed = abs(int(after["links"]) - int(before["links"]))
    return changed <= 2 * standouts.CLOSE * max(1, new)


def _stored(shelf: Shelf, shares: Mapping[str, float]) -> tuple[Graph, Blend] | None:
    """The graph that is there, if it was made by these shares."""
    spec = shelf.store.catalog.setting(SETTING)
    held = [s for s in shelf.store.columns.segments() if (s.name, s.version) == (GRAPH, VERSION)]
    if not spec or len(held) != 1 or held[0].rows > shelf.total:
        return None
    try:
        arrays = shelf.store.columns.load(held[0])
        graph, blend = Graph.load(arrays), Blend.load(spec, arrays)
    except SaccadeError as error:
        trace.swallowed(log, error, doing="loading the neighbour graph")
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


def _products(query: NDArray[np.float32], take: Callable[[Rows], Vectors], rows: Rows) -> Scores:
    """Products of one vector with many, some rows at a time."""
    parts = [take(rows[i : i + _CHUNK]) @ query for i in range(0, len(rows), _CHUNK)]
    return np.concatenate([np.zeros(0, np.float32), *parts])

"""What pictures probably show, as a column derived from the embedding; and texts as examples.

    kinds   uint16 [n, 64]    the likeliest kinds of each picture (`descriptors.classifier`)
    codes   uint8  [n, 64]    how likely (`lexicon.evidence`)

`add` makes it for what is new. A store that was indexed before it existed needs none of that: what
is missing is computed from the embedding when words are first looked for, and kept in memory.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from saccade import lexicon, trace
from saccade.descriptors import classifier
from saccade.engine.collection import Collection, Example, View
from saccade.engine.progress import Progress, Watch
from saccade.engine.sources.dense import Dense, DenseView
from saccade.engine.sources.graph import SEEDS, GraphView
from saccade.engine.sources.source import Shelf, Source
from saccade.engine.text.captions import captions_of
from saccade.engine.text.colours import MOMENTS, Shares, shares_of, stored_shares
from saccade.engine.text.paths import PathWords
from saccade.engine.text.records import NAME, TextAsked
from saccade.engine.text.scoring import COLUMNS, Ground, Keeping, TextScores, anew
from saccade.errors import SaccadeError
from saccade.features.phi import Column
from saccade.features.prior import TEXT
from saccade.indexes.spread import Sources
from saccade.kernels.topk import top
from saccade.lexicon.evidence import KindTable, coded
from saccade.store.store import Store
from saccade.types import Array, Arrays, Phi, Rows, Scheme, Scores

log = logging.getLogger(__name__)

KINDS = "kinds"
VERSION = "1"
SCHEMES = tuple(Scheme(TEXT, column) for column in COLUMNS)
MIDDLE = 50
"""Pictures whose mean stands for a text where the marks' experts compare vectors."""
_ROWS = 4096


@dataclass(slots=True)
class _Lazy:
    """What is found out when it is first needed."""

    lock: Lock = field(default_factory=Lock)
    table: KindTable | None = None
    expected: NDArray[np.float64] | None = None
    paths: PathWords | None = None
    colours: dict[str, Shares] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextView(View):
    """What words are compared with, at one moment of a collection."""

    shelf: Shelf
    dense: DenseView
    links: GraphView | None
    lazy: _Lazy = field(default_factory=_Lazy, compare=False, repr=False)

    # -- a view among others -------------------------------------------------------------------

    @property
    def on_request(self) -> tuple[Scheme, ...]:
        """The columns of a text take part where there is one."""
        return SCHEMES

    def serves(self, scheme: Scheme) -> bool:
        """Those."""
        return scheme in SCHEMES

    def needs(self, scheme: Scheme) -> tuple[str, ...]:
        """A text."""
        return (NAME,) if scheme in SCHEMES else ()

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
        """The columns of a text; they are on their own scales already."""
        for place, scheme in enumerate(schemes):
            if scheme in SCHEMES and NAME in example.parts:
                values = self.scores(example).columns[scheme.similarity]
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
        """The columns of a text, weighed."""
        for scheme, weight in zip(schemes, weights, strict=True):
            if weight != 0.0 and scheme in SCHEMES and NAME in example.parts:
                out += weight * self.scores(example).columns[scheme.similarity]

    def remember(self, example: Example, *, places: bool) -> dict[str, Array]:
        """The text, and what came along with it."""
        asked = example.parts.get(NAME)
        return {NAME: asked.encode()} if isinstance(asked, TextAsked) else {}

    def recall(self, arrays: Arrays, vocabulary: str) -> dict[str, object]:
        """The text again, over the collection as it is now."""
        if NAME not in arrays:
            return {}
        asked = TextAsked.decode(arrays[NAME])
        return self._with(asked, self.ground(None).scores(asked))

    # -- texts ---------------------------------------------------------------------------------

    def example(
        self,
        asked: TextAsked,
        marks: Sources | None = None,
        *,
        pool: Executor | None = None,
        fitting: Keeping = anew,
    ) -> Example:
        """A text as something to search with; `marks` are pictures called right or wrong for it."""
        scores = self.ground(pool, fitting).scores(asked, marks)
        example = Example("", -1, self._with(asked, scores))
        if scores.reach is not None:
            reach = scores.reach
            example.once("reach", lambda: reach)
        return example

    def scores(self, example: Example) -> TextScores:
        """How well every picture fits a text."""
        scores: TextScores = example.parts["scores"]
        return scores

    def _with(self, asked: TextAsked, scores: TextScores) -> dict[str, object]:
        return {NAME: asked, "scores": scores, SEEDS: scores.seeds, **self._middle(scores.seeds)}

    def _middle(self, seeds: Sources) -> dict[str, NDArray[np.float32]]:
        """The mean vectors of the strongest seeds, by which marks are compared with the text."""
        if self.links is None or not len(seeds.rows):
            return {}
        best = top(seeds.amounts.astype(np.float32), min(MIDDLE, len(seeds.rows)))
        best = best[seeds.amounts[best] > 0.0]
        if not len(best):
            return {}
        names = [part.name for part in self.links.blend.parts]
        return {
            name: self.dense.columns[name].take(seeds.rows[best]).mean(0).astype(np.float32)
            for name in names
        }

    def ground(self, pool: Executor | None, fitting: Keeping = anew) -> Ground:
        """What a text is compared with."""
        listing = self.shelf.listing
        return Ground(
            listing.alive,
            listing.row_of,
            self.table(),
            self.links,
            self.colour if MOMENTS in self.dense.columns else None,
            self.paths(),
            pool,
            fitting,
        )

    # -- what is found out once ----------------------------------------------------------------

    def table(self) -> KindTable | None:
        """The likeliest kinds of every picture; None without the embedding that tells."""
        column = self.dense.columns.get(classifier.DESCRIPTOR)
        if column is None:
            return None
        with self.lazy.lock:
            if self.lazy.table is None:
                self.lazy.table = self._stored_table() or _computed(column, 0, self.shelf.total)
            return self.lazy.table

    def expected(self) -> NDArray[np.float64]:
        """How many living pictures are probably of each kind."""
        table, alive = self.table(), self.shelf.listing.alive
        if table is None:
            return np.zeros(lexicon.KINDS)
        if self.lazy.expected is None:
            self.lazy.expected = table.expected(alive)
        return self.lazy.expected

    def colour(self, name: str) -> Shares:
        """How much of a colour every picture shows, of 255."""
        with self.lazy.lock:
            if name not in self.lazy.colours:
                shares = stored_shares(self.shelf, name)
                if shares is None:
                    shares = shares_of(self.dense.columns[MOMENTS], name, 0, self.shelf.total)
                self.lazy.colours[name] = shares
            return self.lazy.colours[name]

    def paths(self) -> PathWords:
        """The names of files and folders, and what is written into files."""
        with self.lazy.lock:
            if self.lazy.paths is None:
                every = self.shelf.store.catalog.path_rows()
                self.lazy.paths = PathWords.of(every, self.shelf.total, captions_of(self.shelf))
            return self.lazy.paths

    def _stored_table(self) -> KindTable | None:
        """The column as it lies in the store, where it covers every row."""
        segments = self.shelf.whole(KINDS, VERSION)
        if segments is None:
            return None
        try:
            every = [self.shelf.store.columns.load(segment) for segment in segments]
        except SaccadeError as error:  # damaged: it is made again from the embedding
            trace.swallowed(log, error, doing="reading what pictures show")
            return None
        kinds, codes = (np.concatenate([one[name] for one in every]) for name in ("kinds", "codes"))
        return KindTable(kinds[: self.shelf.total], codes[: self.shelf.total])


class KindSource(Source):
    """What pictures probably show, kept for all that the embedding covers."""

    derived = (KINDS,)
    follows = (classifier.DESCRIPTOR,)

    def load(
        self,
        shelf: Shelf,
        descriptors: Sequence[str],
        before: View | None,
        views: Mapping[str, View],
    ) -> TextView | None:
        """Nothing is read yet: whoever looks for words reads it."""
        links, dense = views.get("graph"), views.get("dense")
        if isinstance(links, GraphView):
            dense = links.columns
        if not isinstance(dense, DenseView):
            return None
        view = TextView(shelf, dense, links if isinstance(links, GraphView) else None)
        if isinstance(before, TextView) and _same(before, view):
            view.lazy.table = before.lazy.table
        return view

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Make the rows that are missing; drop what has lost its embedding."""
        shelf = Shelf.of(store)
        column = Dense().load(shelf, descriptors, None, {}).columns.get(classifier.DESCRIPTOR)
        covered = store.columns.coverage().get((KINDS, VERSION), 0)
        if column is None:
            if covered:
                store.commit(retract=[(KINDS, None)], quiet=True)
            return
        if covered < shelf.total:
            watch(Progress(KINDS, covered, shelf.total))
            table = _computed(column, covered, shelf.total)
            arrays: dict[str, Array] = {"kinds": table.kinds, "codes": table.codes}
            store.commit(drafts=[store.columns.draft(KINDS, VERSION, covered, arrays)], quiet=True)
            watch(Progress(KINDS, shelf.total, shelf.total))

    def damage(self, arrays: Arrays, rows: int) -> str:
        """Two arrays of one shape, and kinds that there are."""
        if set(arrays) != {"kinds", "codes"}:
            return "lacks its kinds or their codes"
        kinds, codes = arrays["kinds"], arrays["codes"]
        if len(kinds) != rows or kinds.shape != codes.shape:
            return "has another number of rows"
        return "names kinds that there are not" if kinds.max(initial=0) >= 1000 else ""


def of(collection: Collection) -> TextView | None:
    """What words are compared with in a collection."""
    view = collection.views.get(NAME)
    return view if isinstance(view, TextView) else None


def _same(before: TextView, after: TextView) -> bool:
    """Whether an earlier table is still right: the same rows from the same embedding."""
    name = classifier.DESCRIPTOR
    versions = before.dense.versions.get(name), after.dense.versions.get(name)
    table = before.lazy.table
    return table is not None and len(table) == after.shelf.total and versions[0] == versions[1]


def _computed(column: Column, first: int, total: int) -> KindTable:
    """From the embedding, some rows at a time."""
    kinds = np.zeros((total - first, classifier.LIKELIEST), np.uint16)
    codes = np.zeros((total - first, classifier.LIKELIEST), np.uint8)
    for start in range(first, total, _ROWS):
        rows = np.arange(start, min(start + _ROWS, total))
        guesses = classifier.likely(column.take(rows))
        kinds[rows - first], codes[rows - first] = guesses.kinds, coded(guesses.probabilities)
    return KindTable(kinds, codes)

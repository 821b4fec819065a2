"""A collection cut into shards: φ and words of rows, from whoever keeps them.

    coordinator    what is learned, the links and their spread, the listing, which rows are asked of
    shard i        the rows [i n / N, (i + 1) n / N): its own slices of the columns, memory-mapped,
                   and the inverted file of its own bags

A row's φ depends on the query, on the anchors' measure and on nothing in other rows; its words on
the rarity of words in all, which a shard is told. So the pieces put together are what one machine
computes, to the bit, whatever N is.

A shard maps the files of the store's folder, which it must see; it opens no database.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection, Divided
from saccade.engine.sources import dense, words
from saccade.errors import InvalidInput, StoreError
from saccade.features.phi import Block, Column, Scale, phi, phi_rows, weighted
from saccade.kernels.ragged import offsets_of
from saccade.scale.executors import ABSENT, Executor, ExecutorCrew
from saccade.store.columns import Segment
from saccade.store.store import Store
from saccade.types import Phi, Rows, Scheme, Scores, Spec
from saccade.words.inverted import InvertedFile

MAKE = "saccade.engine.sources.shards:shard"
MOST = 1000

Vector = NDArray[np.float32]
Bag = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of a segment, by the files that hold them."""

    first: int
    rows: int
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class BagsOfShard:
    """The words of a shard's rows."""

    pieces: tuple[Piece, ...]
    vocabulary: int
    rarity: NDArray[np.float64]
    dead: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShardSpec:
    """All that a shard needs to know."""

    root: str
    first: int
    last: int
    columns: Mapping[str, tuple[Piece, ...]]
    centres: Mapping[str, Vector]
    spans: Mapping[str, Vector]  # of its rows without the centre, as the whole column has them
    bags: BagsOfShard | None


@dataclass(frozen=True, slots=True)
class PhiTask:
    """φ of all of a shard's rows, or of some by their place in it."""

    query: Mapping[str, Vector]
    schemes: tuple[Scheme, ...]
    scale: Scale | None
    centred: bool
    rows: Rows | None


@dataclass(frozen=True, slots=True)
class WeighTask:
    """Scores of a shard's rows, to be added to."""

    query: Mapping[str, Vector]
    schemes: tuple[Scheme, ...]
    weights: NDArray[np.float64]
    scale: Scale
    centred: bool
    scores: Scores


@dataclass(frozen=True, slots=True)
class WordTask:
    """The similarity of a bag of words to each of a shard's rows."""

    words: Bag
    counts: Bag
    similarity: str


ShardTask = PhiTask | WeighTask | WordTask


# -- where the rows are ----------------------------------------------------------------------------


class Shard:
    """Some rows of a collection, where they are kept."""

    def __init__(self, spec: ShardSpec) -> None:
        self._spec = spec
        self._plain = {name: self._column(name) for name in spec.columns}
        self._centred = {**self._plain, **{name: self._around(name) for name in spec.centres}}
        self._bags = None if spec.bags is None else _inverted(spec, spec.bags)

    def __call__(self, task: ShardTask) -> NDArray[np.float32]:
        """The answer to a question, for every row or for those asked of."""
        if isinstance(task, WordTask):
            return self._words(task)
        columns = self._centred if task.centred else self._plain
        # Copied: what comes from elsewhere cannot be written to, and kernels know one kind.
        query = {name: np.array(vector) for name, vector in task.query.items()}
        if isinstance(task, WeighTask):
            scale = {name: np.array(one) for name, one in task.scale.items()}
            weights, out = np.array(task.weights), np.array(task.scores)
            return weighted(query, columns, task.schemes, weights, scale=scale, out=out)
        bent = None if task.scale is None else {n: np.array(s) for n, s in task.scale.items()}
        if task.rows is None:
            return phi(query, columns, task.schemes, scale=bent)
        return phi_rows(query, columns, task.schemes, np.array(task.rows), scale=bent)

    def _words(self, task: WordTask) -> Scores:
        if self._bags is None:
            raise StoreError("a shard was asked for words that it does not have")
        size = self._spec.last - self._spec.first
        bag = np.array(task.words), np.array(task.counts)
        return self._bags.scores_all(*bag, task.similarity, size=size)

    def _column(self, name: str) -> Column:
        blocks = []
        for piece in self._spec.columns[name]:
            arrays = _loaded(self._spec, piece, "vectors", "norms")
            own = _own(self._spec, piece)
            blocks.append(Block.of(arrays["vectors"][own], arrays["norms"][own]))
        return Column(name, tuple(blocks))

    def _around(self, name: str) -> Column:
        """With the lengths that the whole column has: a sum's order depends on what is summed."""
        blocks, start = [], 0
        for block in self._plain[name].blocks:
            lengths = np.array(self._spec.spans[name][start : start + len(block.vectors)])
            lengths.flags.writeable = False
            blocks.append(replace(block, spans=lengths))
            start += len(lengths)
        return Column(name, tuple(blocks), np.array(self._spec.centres[name]))


def shard(spec: ShardSpec) -> Shard:
    """A shard by what it should keep."""
    return Shard(spec)


def _inverted(spec: ShardSpec, bags: BagsOfShard) -> InvertedFile:
    file = InvertedFile(bags.vocabulary, idf=np.array(bags.rarity))
    for piece in bags.pieces:
        arrays, own = _loaded(spec, piece, "offsets", "words", "counts"), _own(spec, piece)
        edges = np.asarray(arrays["offsets"][own.start : own.stop + 1])
        rows = np.arange(own.start, own.stop) + piece.first - spec.first
        inside = slice(int(edges[0]), int(edges[-1]))
        counts = words.damped(arrays["counts"][inside])
        file.add(rows, edges - edges[0], arrays["words"][inside], counts)
    if bags.dead:
        file.remove(np.array(bags.dead, np.int64))
    return file


def _own(spec: ShardSpec, piece: Piece) -> slice:
    """Which rows of a piece are the shard's."""
    start = max(spec.first, piece.first) - piece.first
    return slice(start, min(spec.last, piece.first + piece.rows) - piece.first)


def _loaded(spec: ShardSpec, piece: Piece, *names: str) -> dict[str, Any]:
    out = {}
    for name in names:
        place = Path(spec.root) / piece.files[name]
        try:
            out[name] = np.load(place, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise StoreError(
                f"a shard cannot read {place}",
                hint="the folder of the store must be at the same path on every machine",
            ) from error
    return out


# -- whoever asks them -----------------------------------------------------------------------------


@dataclass(slots=True)
class Losses:
    """How often a shard was not there when it was asked in haste."""

    count: int = 0


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of one state of a collection.

    In haste, the rows of one that is not there are 0, and the loss is counted.
    """

    crew: ExecutorCrew
    bounds: NDArray[np.int64]  # [N + 1] first row of each, and the end
    losses: Losses = field(default_factory=Losses)
    hasty: bool = False

    def _ask(self, tasks: Sequence[ShardTask | None]) -> list[Any]:
        """The answer of each; None of those that were not asked, or are not there."""
        answers = self.crew.ask(tasks, hasty=self.hasty)
        self.losses.count += sum(answer is ABSENT for answer in answers)
        return [None if answer is ABSENT else answer for answer in answers]

    def _parts(self) -> list[slice]:
        return [slice(a, b) for a, b in zip(self.bounds[:-1], self.bounds[1:], strict=True)]

    def missing(self) -> NDArray[np.bool_] | None:
        """The rows of shards that are not there now; None where all are."""
        away = self.crew.missing()
        if not away:
            return None
        rows = np.zeros(int(self.bounds[-1]), np.bool_)
        for number, part in enumerate(self._parts()):
            rows[part] = number in away
        return rows

    def lost(self) -> int:
        """How often one was not there so far."""
        return self.losses.count

    def phi(
        self,
        query: Spec,
        schemes: Sequence[Scheme],
        rows: Rows | None,
        *,
        scale: Scale | None,
        centred: bool,
    ) -> Phi:
        """φ of every row, or of some, as `features.phi` has it."""
        own = {scheme.descriptor: query[scheme.descriptor] for scheme in schemes}

        def task(places: Rows | None) -> PhiTask:
            return PhiTask(own, tuple(schemes), scale, centred, places)

        if rows is None:
            every = np.zeros((int(self.bounds[-1]), len(schemes)), np.float32)
            answers = self._ask([task(None)] * (len(self.bounds) - 1))
            for part, values in zip(self._parts(), answers, strict=True):
                if values is not None:
                    every[part] = values
            return every
        which = np.searchsorted(self.bounds, rows, side="right") - 1
        here = [np.flatnonzero(which == number) for number in range(len(self.bounds) - 1)]
        tasks = [
            task(rows[places] - first) if len(places) else None
            for places, first in zip(here, self.bounds.tolist(), strict=False)
        ]
        out = np.zeros((len(rows), len(schemes)), np.float32)
        for places, values in zip(here, self._ask(tasks), strict=True):
            if values is not None:
                out[places] = values
        return out

    def weigh(
        self,
        query: Spec,
        schemes: Sequence[Scheme],
        weights: NDArray[np.float64],
        out: Scores,
        *,
        scale: Scale,
        centred: bool,
    ) -> None:
        """Add to the score of every row; each shard is given its own, so that sums are the same."""
        own = {scheme.descriptor: query[scheme.descriptor] for scheme in schemes}
        parts = self._parts()
        tasks = [WeighTask(own, tuple(schemes), weights, scale, centred, out[p]) for p in parts]
        for part, values in zip(parts, self._ask(tasks), strict=True):
            if values is not None:
                out[part] = values

    def words(self, bag: Bag, counts: Bag, similarity: str) -> Scores:
        """The similarity of every row to a bag of words."""
        task, out = WordTask(bag, counts, similarity), np.zeros(int(self.bounds[-1]), np.float32)
        answers = self._ask([task] * (len(self.bounds) - 1))
        for part, values in zip(self._parts(), answers, strict=True):
            if values is not None:
                out[part] = values
        return out


@dataclass(slots=True)
class Division:
    """Cuts every new state of a collection into so many shards."""

    count: int
    executor: Executor
    _crews: list[ExecutorCrew] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST:
            raise InvalidInput(
                f"a collection cannot be cut into {self.count} shards", hint=f"give 1 to {MOST}"
            )

    def divided(self, store: Store, collection: Collection) -> Collection:
        """The same collection, its φ and words computed by shards."""
        if not collection.rows or not dense.of(collection).names:
            return collection
        bounds = np.linspace(0, collection.rows, min(self.count, collection.rows) + 1)
        edges = np.floor(bounds).astype(np.int64)
        specs = _specs(store, collection, edges)
        with self._lock:
            crew = self.executor.crew(MAKE, specs).__enter__()
            # Whoever still ranks by the state before asks the crew before.
            self._crews.append(crew)
            for old in self._crews[:-2]:
                old.close()
            del self._crews[:-2]
        shards = Shards(crew, edges)
        hasty = _asking(collection, replace(shards, hasty=True))
        return replace(_asking(collection, shards), cut=Divided(shards, hasty))

    def close(self) -> None:
        """Let all shards go."""
        with self._lock:
            for crew in self._crews:
                crew.close()
            self._crews.clear()


def _asking(collection: Collection, shards: Shards) -> Collection:
    """The collection, its φ and words asked of these."""
    columns, held = dense.of(collection), words.of(collection)
    plain = None if columns.plain is None else replace(columns.plain, shards=shards)
    views = {**collection.views, "dense": replace(columns, shards=shards, plain=plain)}
    if held is not None:
        views["words"] = replace(held, shards=shards)
    return replace(collection, views=views)


def _specs(store: Store, collection: Collection, edges: NDArray[np.int64]) -> list[ShardSpec]:
    columns, held = dense.of(collection), words.of(collection)
    segments = store.columns.segments()
    pieces = {
        name: _pieces(segments, name, columns.versions[name], collection.rows)
        for name in columns.names
    }
    centres = {n: c.centre for n, c in columns.columns.items() if c.centre is not None}
    spans = {n: np.concatenate([b.spans for b in columns.columns[n].blocks]) for n in centres}
    digest = "" if held is None else held.vocabulary.digest
    bags = () if held is None else _pieces(segments, words.BAGS, digest, collection.rows)
    specs = []
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        gone = collection.dead[(collection.dead >= first) & (collection.dead < last)] - first
        specs.append(
            ShardSpec(
                root=str(store.root),
                first=first,
                last=last,
                columns={name: _within(some, first, last) for name, some in pieces.items()},
                centres=centres,
                spans={name: lengths[first:last] for name, lengths in spans.items()},
                bags=None
                if held is None
                else BagsOfShard(
                    _within(bags, first, last),
                    held.vocabulary.size,
                    held.file.view.idf,
                    tuple(gone.tolist()),
                ),
            )
        )
    return specs


def _pieces(segments: Sequence[Segment], name: str, made_by: str, rows: int) -> tuple[Piece, ...]:
    """The segments of a column as far as a collection reaches, in order.

    Raises:
        StoreError: one is missing: indexing joined them meanwhile, or the catalog is damaged.
    """
    held = [s for s in segments if (s.name, s.version) == (name, made_by) and s.first < rows]
    starts = offsets_of([segment.rows for segment in held])
    if [s.first for s in held] != starts[:-1].tolist() or starts[-1] < rows:
        raise StoreError(
            f"column {name!r}: its shards have a hole", hint="open the store again in a moment"
        )
    return tuple(Piece(s.first, min(s.rows, rows - s.first), s.files) for s in held)


def _within(pieces: Sequence[Piece], first: int, last: int) -> tuple[Piece, ...]:
    return tuple(p for p in pieces if p.first < last and first < p.first + p.rows)

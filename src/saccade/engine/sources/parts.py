"""Parts: the positions that a picture's embedding is the mean of, read from its column.

    w · u = mean over positions of w · x_p        (`descriptors.embedding.parts`)

so a linear score of the embedding falls into parts that say where in the picture it comes from, and
a part of one picture can be looked for in the parts of all. The bytes lie in the embedding's own
column: one look at a picture gives both. A brought encoder has no positions; its pictures are
compared as wholes.

    scheme parts:match    φ = ½ + (c + b) / 4, cut to 0..1; only where a part was asked for
                          c   centred cosine of the asked part and the whole picture
                          b   best position, d · (x_p − centre) over the usual ‖u − centre‖

Of more than `LOOKED_AT` pictures the sketches (`sources.sketches`) choose that many: by wholes and,
of the best `LIKELY` by those, by windows of their positions. The positions of the chosen are read,
and of the best `CANDIDATES` by that their vectors too: they are scored exactly as above. Who was
looked at less closely comes after those who were, in the order of what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from saccade.descriptors.embedding import parts as codec
from saccade.descriptors.embedding import sketches as codec_sketches
from saccade.descriptors.embedding.sketches import Sketches
from saccade.engine.collection import Collection, Example, View
from saccade.engine.sources import sketches
from saccade.engine.sources.dense import DenseView
from saccade.engine.sources.graph import GraphView
from saccade.engine.sources.sketches import Pieces
from saccade.engine.sources.source import Shelf, Source
from saccade.features.phi import Column
from saccade.kernels import parts as kernel
from saccade.kernels.topk import best_set
from saccade.types import Array, Arrays, Phi, Rows, Scheme, Scores, Vectors

PARTS = "parts"
MATCH = Scheme(PARTS, "match")
LIKELY = 15_000
"""Pictures of a larger collection whose sketches' windows are read."""
LOOKED_AT = 2500
"""Pictures whose positions are read, of a larger collection with sketches."""
CANDIDATES = 1500
"""Pictures whose vectors are read too."""
_SPAN, _FEW = 32_768, 1024  # sketches, and pictures, that one thread looks through at a time
_OFFSETS = np.repeat(np.array([7.5, 1.5], np.float32), [codec.FINE, codec.COARSE])

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class PartMatches:
    """Where the asked part was found: rows, their best positions, and every row's score."""

    scores: Scores  # [n] in 0..1
    positions: NDArray[np.int16]  # [n] of the best; -1 where nobody looked closely


@dataclass(frozen=True, slots=True, eq=False)
class PartView(View):
    """The positions of every picture at one moment."""

    embedding: str
    column: Column
    codes: Pieces  # by the first row of each
    sketches: tuple[tuple[int, Sketches], ...]  # the same; empty where they do not cover all
    centre: Floats
    lengths: Floats  # of every embedding around the centre; 0 of a picture that has none, [n]
    usual: float  # of those of anchors the mean

    kind = f"{PARTS}-{codec.DIGEST}"
    """What lessons of this projection are called: those of another never meet them."""
    width = codec.NUMBERS

    # -- one picture ---------------------------------------------------------------------------

    def has(self, row: int) -> bool:
        """Whether a picture has positions; one that could not be described has none."""
        return bool(self.column.vector(row).any())

    def count(self, row: int) -> int:
        """How many positions a picture has."""
        return codec.POSITIONS if self.has(row) else 0

    def bytes_of(self, row: int) -> NDArray[np.uint8]:
        """One picture's positions as they are kept, [80, 49]."""
        return np.asarray(self._codes(row))

    def bag(self, row: int) -> Floats:
        """Its positions in 256 numbers, [49, 256]; their mean stands for the embedding."""
        codes, vector = self.bytes_of(row)[None], self.column.vector(row)[None]
        return np.asarray(codec.projected(codes, vector)[0], np.float32)

    def scored(self, row: int, direction: Vectors) -> Floats:
        """A direction's score at each position, [49]; their mean is that of the embedding."""
        vector = self.column.vector(row)[None]
        scores = codec.score_positions(self.bytes_of(row)[None], vector, direction)
        return np.asarray(scores[0], np.float32)

    def part(self, row: int, weights: Floats) -> Floats:
        """A weighted mean of a picture's positions in the embedding's space, [1280]."""
        codes, vector = self.bytes_of(row)[None], self.column.vector(row)[None]
        return np.asarray(codec.part_of(codes, vector, weights / weights.sum())[0], np.float32)

    def laid(self, row: int, values: Floats) -> Floats:
        """A value of each position where it lies, [7, 7]."""
        return np.asarray(values, np.float32).reshape(codec.SIDE, codec.SIDE)

    def _codes(self, row: int) -> NDArray[np.uint8]:
        for first, codes in reversed(self.codes):
            if row >= first:
                return np.asarray(codes[row - first], np.uint8)
        raise IndexError(row)

    # -- every picture -------------------------------------------------------------------------

    @property
    def on_request(self) -> tuple[Scheme, ...]:
        """Where somebody pointed at a part."""
        return (MATCH,)

    def serves(self, scheme: Scheme) -> bool:
        """The one scheme."""
        return scheme == MATCH

    def needs(self, scheme: Scheme) -> tuple[str, ...]:
        """The part that was pointed at."""
        return (PARTS,) if scheme == MATCH else ()

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
        """How well each picture matches the part; it is on its own scale already."""
        if MATCH in schemes and PARTS in example.parts:
            scores = self.matches(example, pool).scores
            out[:, list(schemes).index(MATCH)] = scores if rows is None else scores[rows]

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
        """One rough pass, and a closer look at a few."""
        for scheme, weight in zip(schemes, weights, strict=True):
            if weight != 0.0 and scheme == MATCH and PARTS in example.parts:
                out += weight * self.matches(example, pool).scores

    def remember(self, example: Example, *, places: bool) -> dict[str, Array]:
        """What was pointed at."""
        asked = example.parts.get(PARTS)
        return {} if asked is None else {PARTS: asked}

    def recall(self, arrays: Arrays, vocabulary: str) -> dict[str, object]:
        """What was pointed at, where it can still be compared."""
        asked = arrays.get(PARTS)
        return {PARTS: asked} if asked is not None and asked.shape == self.centre.shape else {}

    def matches(self, example: Example, pool: Executor | None = None) -> PartMatches:
        """Where the asked part of an example is in every picture."""
        return example.once("parts/found", lambda: self.look_for(example.parts[PARTS], pool))

    def look_for(self, asked: Vectors, pool: Executor | None = None) -> PartMatches:
        """Where a part [1280] is in every picture; rows of pictures that are gone count too."""
        seen = np.asarray(asked, np.float32) - self.centre
        direction = seen / max(float(np.linalg.norm(seen)), 1e-9)
        weights = codec.weights_of(direction)
        # Numbers are around the codec's centre; a constant brings them around this collection's.
        aside = np.float32((codec.centre() - self.centre) @ direction)
        scores = np.zeros(len(self), np.float32)
        rows, products = np.arange(len(self)), None
        if self.sketches and len(self) > LOOKED_AT:
            scores, rows, products = self._likely(weights, aside, pool)
        best, places, means = self._best_positions(rows, weights, pool)
        if products is None:
            products = means + aside
        close = self._share(rows, products, best)
        few = _best(close, CANDIDATES)
        _put(scores, rows, close)
        _put(scores, rows[few], self._exact(rows[few], direction, best[few], pool))
        where = np.full(len(self), -1, np.int16)
        where[rows[few]] = places[few]
        return PartMatches(scores, where)

    def _share(self, rows: Rows, products: Floats, best: Floats) -> Scores:
        """Φ of some rows by d · (u − centre) and what their best position adds to it."""
        lengths = self.lengths if len(rows) == len(self) else self.lengths[rows]
        return np.asarray(kernel.shares(products, best, lengths, np.float32(self.usual)))

    def _likely(
        self, weights: Floats, aside: np.float32, pool: Executor | None
    ) -> tuple[Scores, Rows, Floats]:
        """What sketches say of every picture, whom to look at closely, and their products."""
        counts = codec_sketches.counts_of(weights)
        unit = np.float32(max(float(np.abs(counts).max()) / (2**15 - 1), 1e-12))
        whole = np.rint(counts / unit).astype(np.int16)
        nearness = np.empty(len(self), np.int32)
        jobs: list[Callable[[], None]] = []
        for first, held in self.sketches:
            own = nearness[first : first + len(held.wholes)]
            scan = partial(_scan, held.wholes, whole, own)
            jobs += [partial(scan, *span) for span in _spans(len(own), _SPAN)]
        _run(jobs, pool)
        products = nearness * unit + aside
        scores = self._share(np.arange(len(self)), products, np.zeros_like(products))
        rows = _best(scores, LIKELY)
        windows = np.empty(len(rows), np.int32)
        for first, held in self.sketches:
            low, high = np.searchsorted(rows, [first, first + len(held.windows)]).tolist()
            kernel.windows(held.windows, rows[low:high] - first, whole, windows[low:high])
        best = windows * (unit * np.float32(codec_sketches.ABOVE))
        closer = self._share(rows, products[rows], best)
        _put(scores, rows, closer)
        rows = rows[_best(closer, LOOKED_AT)]
        return scores, rows, products[rows]

    def scored_rows(self, rows: Rows, direction: Vectors) -> Floats:
        """A direction's score at each position of some pictures, [r, 49]."""
        out = np.empty((len(rows), codec.POSITIONS), np.float32)
        order = np.argsort(rows, kind="stable")
        weights = codec.weights_of(direction)
        fine, coarse = weights[: codec.FINE].copy(), weights[codec.FINE :].copy()
        scores = np.empty_like(out)
        for codes, own, here in self._pieces(rows[order]):
            kernel.exact(codes, own, fine, coarse, scores[here])
        out[order] = scores
        products = self.column.take(rows) @ np.asarray(direction, np.float32)
        out += (products - out.mean(axis=1))[:, None]
        return out

    def _best_positions(
        self, rows: Rows, weights: Floats, pool: Executor | None
    ) -> tuple[Floats, NDArray[np.int16], Floats]:
        """What the best position of ascending rows adds to their mean, which it is, and the mean.

        As far as the levels tell, around the codec's centre.
        """
        unit, whole = whole_weights(weights)
        fine, coarse = whole[: codec.FINE].copy(), whole[codec.FINE :].copy()
        best, places = np.empty(len(rows), np.int16), np.empty(len(rows), np.int16)
        totals = np.empty(len(rows), np.int32)
        jobs = [
            partial(kernel.whole, codes, own, fine, coarse, best[here], places[here], totals[here])
            for codes, own, here in self._pieces(rows)
        ]
        _run(jobs, pool)
        means = totals * (unit / codec.POSITIONS)
        return unit * best - means, places, means - unit * np.float32(whole @ _OFFSETS)

    def _pieces(self, rows: Rows) -> Iterator[tuple[codec.Codes, Rows, slice]]:
        """The bytes that some of ascending rows lie in, which of them, and whose turn that is."""
        for first, codes in self.codes:
            for here in _of_piece(rows, first, len(codes)):
                yield codes, rows[here] - first, here

    def _exact(self, rows: Rows, direction: Floats, best: Floats, pool: Executor | None) -> Scores:
        """Scores of some rows in 0..1, by their vectors and what their best position adds."""
        products = np.empty(len(rows), np.float32)
        jobs, first = [], 0
        for block in self.column.blocks:
            for here in _of_piece(rows, first, len(block.vectors)):
                own = rows[here] - first
                jobs.append(partial(kernel.products, block.vectors, own, direction, products[here]))
            first += len(block.vectors)
        _run(jobs, pool)
        return self._share(rows, products - np.float32(self.centre @ direction), best)

    def __len__(self) -> int:
        return sum(len(codes) for _, codes in self.codes)

    def warm(self, row: int) -> None:
        """Compile what a search runs here, and what shows where its hits match."""
        vector = self.column.vector(row)
        self.look_for(vector)
        self.scored_rows(np.array([row]), vector)


class Parts(Source):
    """Positions as something that a column of vectors has beside them."""

    def load(
        self,
        shelf: Shelf,
        descriptors: Sequence[str],
        before: View | None,
        views: Mapping[str, View],
    ) -> PartView | None:
        """The positions of the first embedding that has some for every row."""
        links = views.get("graph")
        columns = links.columns if isinstance(links, GraphView) else views.get("dense")
        if not isinstance(columns, DenseView):
            return None
        for name, column in columns.columns.items():
            version = columns.versions[name]
            codes = sketches.codes_of(shelf, name, version)
            if codes is None or not len(columns.anchor_rows):
                continue
            centre = column.centre
            if centre is None:
                some = columns.anchors[name].take(np.arange(len(columns.anchor_rows)))
                centre = some.mean(axis=0)
                column = column.around(centre)
            lengths = np.concatenate([block.spans for block in column.blocks])
            usual = max(float(lengths[columns.anchor_rows].mean()), 1e-6)
            stored = sketches.stored(shelf, name, version)
            return PartView(name, column, codes, stored, centre, lengths, usual)
        return None


def of(collection: Collection) -> PartView | None:
    """The positions of a collection whose encoder has some."""
    view = collection.views.get(PARTS)
    return view if isinstance(view, PartView) else None


def _best(scores: Scores, count: int) -> Rows:
    """Where the best are, in order of place."""
    best: Rows = best_set(scores, np.ones(len(scores), np.bool_), count)
    return best


def _put(scores: Scores, rows: Rows, closer: Scores) -> None:
    """Scores that are known better; nobody else may come before one of these.

    A picture that could not be described has 0 and is no measure for others.
    """
    scores *= closer.min(initial=1.0, where=closer > 0.0)
    scores[rows] = closer


def _spans(count: int, size: int) -> list[tuple[int, int]]:
    return list(pairwise([*range(0, count, size), count])) if count else []


def _of_piece(rows: Rows, first: int, count: int) -> list[slice]:
    """Which of ascending rows lie in a piece, some at a time."""
    low, high = np.searchsorted(rows, [first, first + count]).tolist()
    return [slice(low + start, low + end) for start, end in _spans(high - low, _FEW)]


def _run(jobs: Sequence[Callable[[], None]], pool: Executor | None) -> None:
    if pool is None or len(jobs) < 2:
        for job in jobs:
            job()
    else:
        list(pool.map(lambda job: job(), jobs))


def _scan(
    wholes: NDArray[np.int8],
    counts: NDArray[np.int16],
    out: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    kernel.wholes(wholes, first, last, counts, out)


def whole_weights(weights: Floats) -> tuple[np.float32, NDArray[np.int16]]:
    """Weights as whole numbers that `kernels.parts.whole` has room for, and what one is worth."""
    most = 2 * _OFFSETS  # the highest level of each number
    unit = max(float(np.abs(weights) @ most) / (2**15 - 1 - 0.5 * float(most.sum())), 1e-12)
    return np.float32(unit), np.rint(weights / unit).astype(np.int16)

"""φ(q, p): every scheme's value for a query and each image, one fused pass a descriptor.

A `Column` is one descriptor of the whole collection: immutable blocks of rows, usually memory-
mapped. `phi` fills [n, m] with one kernel call a block, the rows shared between our own threads
(the kernels release the interpreter lock; numba's own threading aborts when two requests meet in
it). `weighted` goes straight to the scores: φ of everything need not be kept to rank everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.features.similarities import (
    SIMILARITIES,
    UNSCALED,
    aimed,
    check_similarity,
    norms,
    spans,
)
from saccade.kernels.ragged import offsets_of
from saccade.types import Phi, Rows, Scheme, Scores, Vectors

Scale = Mapping[str, NDArray[np.float32]]  # descriptor -> [4, 2] (offset, slope)

# Rows a thread takes at a time: large enough to hide the hand-over, small enough to balance.
_SHARE = 8192
# The same where rows are picked out and copied first: what is copied should still be at hand.
_FEW = 512


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive rows of a column, their norms, and their lengths without the centre."""

    vectors: Vectors
    norms: NDArray[np.float32]
    spans: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        vectors: Vectors,
        sizes: NDArray[np.float32] | None = None,
        centre: NDArray[np.float32] | None = None,
    ) -> Block:
        """A block of plain read-only arrays, whatever came in: one compiled kernel serves all."""
        sizes = norms(vectors) if sizes is None else sizes
        arrays = [np.asarray(a).view() for a in (vectors, sizes, spans(vectors, sizes, centre))]
        for array in arrays:
            array.flags.writeable = False
        return cls(*arrays)


@dataclass(frozen=True, slots=True)
class Column:
    """One descriptor of every image, in row order, and the centre that its cosine is taken from."""

    descriptor: str
    blocks: tuple[Block, ...]
    centre: NDArray[np.float32] | None = None

    @property
    def rows(self) -> int:
        """How many images the column covers."""
        return sum(len(block.vectors) for block in self.blocks)

    def take(self, rows: Rows) -> Vectors:
        """The vectors of a few rows, copied."""
        (taken,) = self._taken(rows, "vectors")
        return taken

    def vector(self, row: int) -> NDArray[np.float32]:
        """The vector of one row, copied."""
        for block in self.blocks:
            if row < len(block.vectors):
                return np.array(block.vectors[row], np.float32)
            row -= len(block.vectors)
        raise IndexError(row)

    def around(self, centre: NDArray[np.float32]) -> Column:
        """The same column with its cosine taken around a centre."""
        blocks = tuple(Block.of(block.vectors, block.norms, centre) for block in self.blocks)
        return Column(self.descriptor, blocks, centre)

    def of(self, rows: Rows) -> Column:
        """The column of a few rows."""
        vectors, sizes, lengths = self._taken(rows, "vectors", "norms", "spans")
        for array in (vectors, sizes, lengths):
            array.flags.writeable = False
        return Column(self.descriptor, (Block(vectors, sizes, lengths),), self.centre)

    def _taken(self, rows: Rows, *names: str) -> list[NDArray[np.float32]]:
        """Arrays of the blocks at a few rows, copied."""
        arrays = [[getattr(block, name) for block in self.blocks] for name in names]
        if len(self.blocks) == 1:
            return [of[rows] for (of,) in arrays]
        starts = offsets_of([len(block.vectors) for block in self.blocks])
        which = np.searchsorted(starts, rows, side="right") - 1
        out = [np.empty((len(rows), *parts[0].shape[1:]), np.float32) for parts in arrays]
        for b in np.flatnonzero(np.bincount(which)).tolist():
            here = np.flatnonzero(which == b)
            places = rows[here] - starts[b]
            for whole, parts in zip(out, arrays, strict=True):
                whole[here] = parts[b][places]
        return out


def phi(
    query: Mapping[str, NDArray[np.float32]],
    columns: Mapping[str, Column],
    schemes: Sequence[Scheme],
    *,
    scale: Scale | None = None,
    pool: Executor | None = None,
    out: Phi | None = None,
) -> Phi:
    """All schemes' values for one query against every row, [n, m], in the order of `schemes`.

    `query` gives the query's vector for each descriptor named by a scheme. Without `scale` the
    values are the raw similarities; with it they are bent as `features.scaling` says. With `out`
    given, columns of schemes whose descriptor is not in `columns` are left for others to fill.
    """
    rows = next(iter(columns.values())).rows if columns else 0
    if out is None:
        out = np.zeros((rows, len(schemes)), np.float32)
    jobs: list[RowsToFill] = []
    for descriptor, wanted in _by_descriptor(schemes).items():
        if descriptor in columns:
            factors = UNSCALED if scale is None else scale[descriptor]
            weighing = (factors, scale is not None, wanted)
            jobs += _jobs("similarities", query[descriptor], columns[descriptor], weighing, out)
    _run_all(jobs, rows, pool)
    return out


def weighted(
    query: Mapping[str, NDArray[np.float32]],
    columns: Mapping[str, Column],
    schemes: Sequence[Scheme],
    weights: NDArray[np.float64],
    *,
    scale: Scale,
    pool: Executor | None = None,
    out: Scores | None = None,
) -> Scores:
    """Σ_s w_s φ_s of every row, [n], without φ itself ever being written.

    Schemes without weight, and those whose descriptor is not in `columns`, are left out; what is
    in `out` is added to. Equal to `phi(...) @ weights` within rounding.
    """
    rows = next(iter(columns.values())).rows if columns else 0
    if out is None:
        out = np.zeros(rows, np.float32)
    factors = np.asarray(weights, np.float32)
    heard = [scheme for scheme, weight in zip(schemes, factors, strict=True) if weight != 0.0]
    slots = _by_descriptor(schemes)
    for descriptor in dict.fromkeys(scheme.descriptor for scheme in heard):
        if descriptor in columns:
            places = slots[descriptor]
            weighing = (scale[descriptor], np.where(places >= 0, factors[places], np.float32(0.0)))
            jobs = _jobs("weigh", query[descriptor], columns[descriptor], weighing, out)
            # One descriptor after the other: two threads may not add to one row at once.
            _run_all(jobs, rows, pool)
    return out


def phi_rows(
    query: Mapping[str, NDArray[np.float32]],
    columns: Mapping[str, Column],
    schemes: Sequence[Scheme],
    rows: Rows,
    *,
    scale: Scale | None = None,
    pool: Executor | None = None,
) -> Phi:
    """φ of a few rows only: what candidates and anchors need."""
    out = np.zeros((len(rows), len(schemes)), np.float32)
    named = [d for d in _by_descriptor(schemes) if d in columns]

    def fill(first: int) -> None:
        part = slice(first, first + _FEW)
        few = {d: columns[d].of(rows[part]) for d in named}
        phi(query, few, schemes, scale=scale, out=out[part])

    if named:
        parts = range(0, len(rows), _FEW)
        list(map(fill, parts) if pool is None or len(parts) < 2 else pool.map(fill, parts))
    return out


def _by_descriptor(schemes: Sequence[Scheme]) -> dict[str, NDArray[np.int64]]:
    """For each descriptor the φ column of each similarity, -1 where it is not wanted."""
    wanted: dict[str, NDArray[np.int64]] = {}
    for column, scheme in enumerate(schemes):
        slots = wanted.setdefault(scheme.descriptor, np.full(4, -1, np.int64))
        slots[SIMILARITIES.index(check_similarity(scheme.similarity))] = column
    return wanted


@dataclass(frozen=True, slots=True)
class RowsToFill:
    """A share of one column for one kernel."""

    kernel: str
    query: tuple[object, ...]
    block: Block
    weighing: tuple[object, ...]  # what the kernel does with the similarities
    first: int
    last: int
    start: int  # the share's first row in the collection
    out: NDArray[np.float32]  # of the block's rows

    def run(self) -> None:
        """Call the kernel."""
        from saccade.kernels import similarity

        block = self.block
        kernel = getattr(similarity, self.kernel)
        kernel(
            *self.query, block.vectors, block.norms, block.spans, *self.weighing,
            self.first, self.last, self.out,
        )  # fmt: skip


def _jobs(
    kernel: str,
    vector: NDArray[np.float32],
    column: Column,
    weighing: tuple[object, ...],
    out: NDArray[np.float32],
) -> list[RowsToFill]:
    vector = np.ascontiguousarray(vector, np.float32)
    query = (vector, *aimed(vector, column.centre))
    jobs, start = [], 0
    for block in column.blocks:
        count = len(block.vectors)
        here = out[start : start + count]
        jobs += [
            RowsToFill(kernel, query, block, weighing, i, min(i + _SHARE, count), start + i, here)
            for i in range(0, count, _SHARE)
        ]
        start += count
    return jobs


def _run_all(jobs: Sequence[RowsToFill], rows: int, pool: Executor | None) -> None:
    if pool is None or rows <= _SHARE:
        for job in jobs:
            job.run()
    else:
        list(pool.map(RowsToFill.run, jobs))

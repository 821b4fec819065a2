"""φ(q, p): every scheme's value for a query and each image, one fused pass a descriptor.

A `Column` is one descriptor of the whole collection: immutable blocks of rows, usually memory-
mapped. `phi` fills [n, m] with one kernel call a block, the rows shared between our own threads
(the kernels release the interpreter lock; numba's own threading aborts when two requests meet in
it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.features.similarities import SIMILARITIES, UNSCALED, check_similarity, norms
from saccade.kernels.ragged import offsets_of
from saccade.types import Phi, Rows, Scheme, Vectors

Scale = Mapping[str, NDArray[np.float32]]  # descriptor -> [4, 2] (offset, slope)

# Rows a thread takes at a time: large enough to hide the hand-over, small enough to balance.
_SHARE = 8192


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive rows of a column and their norms."""

    vectors: Vectors
    norms: NDArray[np.float32]

    @classmethod
    def of(cls, vectors: Vectors, sizes: NDArray[np.float32] | None = None) -> Block:
        """A block of plain read-only arrays, whatever came in: one compiled kernel serves all."""
        sizes = norms(vectors) if sizes is None else sizes
        vectors, sizes = np.asarray(vectors).view(), np.asarray(sizes).view()
        vectors.flags.writeable = sizes.flags.writeable = False
        return cls(vectors, sizes)


@dataclass(frozen=True, slots=True)
class Column:
    """One descriptor of every image, in row order."""

    descriptor: str
    blocks: tuple[Block, ...]

    @property
    def rows(self) -> int:
        """How many images the column covers."""
        return sum(len(block.vectors) for block in self.blocks)

    def take(self, rows: Rows) -> Vectors:
        """The vectors of a few rows, copied."""
        starts = offsets_of([len(block.vectors) for block in self.blocks])
        out = np.empty((len(rows), self.blocks[0].vectors.shape[1]), np.float32)
        which = np.searchsorted(starts, rows, side="right") - 1
        for b in np.unique(which):
            here = which == b
            out[here] = self.blocks[b].vectors[rows[here] - starts[b]]
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
    jobs = []
    for descriptor, wanted in _by_descriptor(schemes).items():
        if descriptor not in columns:
            continue
        vector = np.ascontiguousarray(query[descriptor], np.float32)
        factors = None if scale is None else scale[descriptor]
        jobs += _jobs(vector, columns[descriptor], factors, wanted, out)
    if pool is None or rows <= _SHARE:
        for job in jobs:
            _run(job)
    else:
        list(pool.map(_run, jobs))
    return out


def phi_rows(
    query: Mapping[str, NDArray[np.float32]],
    columns: Mapping[str, Column],
    schemes: Sequence[Scheme],
    rows: Rows,
    *,
    scale: Scale | None = None,
) -> Phi:
    """φ of a few rows only: what candidates and anchors need."""
    few = {}
    for descriptor in _by_descriptor(schemes):
        if descriptor in columns:
            vectors = columns[descriptor].take(rows)
            few[descriptor] = Column(descriptor, (Block.of(vectors),))
    out = np.zeros((len(rows), len(schemes)), np.float32)
    return phi(query, few, schemes, scale=scale, out=out) if few else out


def _by_descriptor(schemes: Sequence[Scheme]) -> dict[str, NDArray[np.int64]]:
    """For each descriptor the φ column of each similarity, -1 where it is not wanted."""
    wanted: dict[str, NDArray[np.int64]] = {}
    for column, scheme in enumerate(schemes):
        slots = wanted.setdefault(scheme.descriptor, np.full(4, -1, np.int64))
        slots[SIMILARITIES.index(check_similarity(scheme.similarity))] = column
    return wanted


Job = tuple[
    NDArray[np.float32],
    np.float32,
    np.float32,
    Block,
    NDArray[np.float32],
    bool,
    NDArray[np.int64],
    int,
    int,
    Phi,
]


def _jobs(
    vector: NDArray[np.float32],
    column: Column,
    factors: NDArray[np.float32] | None,
    wanted: NDArray[np.int64],
    out: Phi,
) -> list[Job]:
    size = norms(vector[None])[0]
    bend = factors is not None
    factors = UNSCALED if factors is None else factors
    jobs, start = [], 0
    for block in column.blocks:
        count = len(block.vectors)
        view = out[start : start + count]
        jobs += [
            (
                vector,
                size[0],
                size[1],
                block,
                factors,
                bend,
                wanted,
                i,
                min(i + _SHARE, count),
                view,
            )
            for i in range(0, count, _SHARE)
        ]
        start += count
    return jobs


def _run(job: Job) -> None:
    from saccade.kernels.similarity import similarities

    vector, l1, l2, block, factors, bend, wanted, first, last, view = job
    similarities(
        vector, l1, l2, block.vectors, block.norms, factors, bend, wanted, first, last, view
    )

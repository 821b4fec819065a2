"""The neighbour graph: every image linked to those most like it, and to those it is most like.

    s(i, j) = cos(v_i − c, v_j − c)            c the collection's centre, s in (0, 1]
    A[i, j] = s⁴ where i is among the k nearest of j or j among those of i, else 0

A link needs s > 0. An image whose vector is zero (blank, or not computed yet), or is the centre
itself (all pictures alike), has no links: nothing is known that sets it apart. Each row's
neighbours come best first, so that the first k are its own nearest; ties go to the lower row.

The graph is derived from one column of vectors and can be made again at any time. `Graph` never
changes: `grown` and `shrunk` give a new one, the same to the bit as one built at once around the
same centre, while every row is compared with every other. Beyond `EXACT` rows a new graph compares
only within and between neighbouring cells (`saccade.indexes.cells`); what is added later is still
compared with all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.types import Arrays, Rows, Scores, Vectors

Take = Callable[[Rows], Vectors]
"""Vectors of some rows, as they are stored: a column's `take`, or an array's `__getitem__`."""

NEIGHBOURS = 15
EXACT = 20_000
_SHARE = 2048  # rows a matrix product takes on each side
_SHY = 10  # the centre is drawn to zero as by so many blank pictures: two images have one too
_FAINT = 1e-6  # of a unit vector: what is left of one that is the centre is rounding


@dataclass(frozen=True, slots=True)
class Graph:
    """Links between rows; `offsets[i]:offsets[i + 1]` are those of row i."""

    k: int
    centre: NDArray[np.float32]  # [d]
    around: int  # how many images the centre is the mean of
    offsets: NDArray[np.int64]  # [n + 1]
    neighbours: NDArray[np.int32]  # [links]
    similarities: NDArray[np.float32]  # [links]
    weights: NDArray[np.float32] = field(repr=False)  # [links] similarity⁴
    root: NDArray[np.float64] = field(repr=False)  # [n] of the sum of a row's weights; 1 for none

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def build(cls, take: Take, alive: NDArray[np.bool_], *, k: int = NEIGHBOURS) -> Graph:
        """The graph of the rows that are alive; others have no links.

        >>> vectors = np.array([[9, 1], [8, 1], [1, 9], [1, 8]], np.float32)
        >>> graph = Graph.build(vectors.__getitem__, np.ones(4, bool))
        >>> graph.nearest(0)[0].tolist(), graph.nearest(3)[0].tolist()
        ([1], [2])
        """
        _check_k(k)
        rows = np.flatnonzero(alive)
        centre = mean(take, rows)
        lists = _Lists.empty(len(alive), k)
        if len(rows) > EXACT:
            from saccade.indexes.cells import search

            search(rows, lambda some: centred(take(some), centre), lists.near, lists.similarities)
        else:
            lists.offer(take, centre, rows, rows)
        return lists.graph(centre, len(rows))

    def grown(self, take: Take, alive: NDArray[np.bool_]) -> Graph:
        """The graph after rows were appended or came back to life, around the same centre."""
        lists = _Lists.of(self, len(alive))
        rows = np.flatnonzero(alive)
        new = rows[(rows >= len(self)) | ~self.linked(rows)]
        old = np.setdiff1d(rows, new)
        lists.search(take, self.centre, new, rows)
        lists.offer(take, self.centre, old, new)
        return lists.graph(self.centre, self.around)

    def shrunk(self, take: Take, alive: NDArray[np.bool_]) -> Graph:
        """The graph after rows died: those they were among the nearest of look anew."""
        if len(alive) != len(self):
            raise InvalidInput(f"graph: {len(self)} rows, but {len(alive)} of them dead or alive")
        lists = _Lists.of(self, len(self))
        bereft = lists.forget(~alive)
        lists.search(take, self.centre, bereft[alive[bereft]], np.flatnonzero(alive))
        return lists.graph(self.centre, self.around)

    def linked(self, rows: Rows) -> NDArray[np.bool_]:
        """Which of these rows have a neighbour."""
        inside = np.minimum(rows, len(self) - 1)
        found: NDArray[np.bool_] = self.offsets[inside + 1] > self.offsets[inside]
        return found & (rows < len(self))

    def nearest(self, row: int, k: int | None = None) -> tuple[Rows, Scores]:
        """At most `k` neighbours of a row (its own nearest, unless said) and their similarities."""
        if not 0 <= row < len(self):
            raise InvalidInput(f"graph: no row {row}; there are {len(self)}")
        start, stop = int(self.offsets[row]), int(self.offsets[row + 1])
        stop = min(stop, start + (self.k if k is None else _check_k(k)))
        return self.neighbours[start:stop].astype(np.int64), self.similarities[start:stop].copy()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What must be kept to have the graph again."""
        return {
            "shape": np.array([self.k, self.around], np.int64),
            "centre": self.centre,
            "offsets": self.offsets,
            "neighbours": self.neighbours,
            "similarities": self.similarities,
        }

    @classmethod
    def load(cls, arrays: Arrays) -> Graph:
        """What `arrays` gave; raises InvalidInput where that cannot be a graph."""
        shape, centre, *links = _checked(arrays)
        return _finished(int(shape[0]), centre, int(shape[1]), *links)


def weight(similarities: Scores) -> NDArray[np.float32]:
    """What a link counts for: similarity⁴."""
    # Squared twice: the same bits everywhere, which a power function does not promise.
    return np.square(np.square(similarities))


def mean(take: Take, rows: Rows) -> NDArray[np.float32]:
    """The centre of the unit vectors of some rows, drawn to zero where they are few, [d]."""
    total = np.zeros(take(rows[:1]).shape[1])
    count = 0
    for part in _parts(rows):
        vectors = centred(take(part), np.zeros(len(total), np.float32))
        total += vectors.sum(0, dtype=np.float64)
        count += int(np.count_nonzero(vectors.any(1)))
    return np.asarray(total / (count + _SHY), np.float32)


def centred(vectors: Vectors, centre: NDArray[np.float32]) -> Vectors:
    """Unit vectors as seen from the centre, [n, d]; zero for one that is zero or the centre."""
    from saccade.kernels.graph import centre_rows

    found = np.array(vectors, np.float32, order="C")
    centre_rows(found, centre, _FAINT)
    return found


def _parts(rows: Rows) -> list[Rows]:
    return [rows[i : i + _SHARE] for i in range(0, len(rows), _SHARE)]


def _check_k(k: int) -> int:
    if k < 1:
        raise InvalidInput(f"graph: k is {k}; ask for at least one neighbour")
    return k


@dataclass(slots=True)
class _Lists:
    """The nearest of each row as they are found, [n, k]; -1 where there are none."""

    near: NDArray[np.int32]
    similarities: NDArray[np.float32]

    @classmethod
    def empty(cls, n: int, k: int) -> _Lists:
        return cls(np.full((n, k), -1, np.int32), np.zeros((n, k), np.float32))

    @classmethod
    def of(cls, graph: Graph, n: int) -> _Lists:
        """The first k links of each row are its own nearest."""
        lists = cls.empty(n, graph.k)
        sizes = np.minimum(np.diff(graph.offsets), graph.k)
        places = np.arange(graph.k) < sizes[:, None]
        links = (graph.offsets[:-1, None] + np.arange(graph.k))[places]
        known = slice(0, len(graph))
        lists.near[known][places] = graph.neighbours[links]
        lists.similarities[known][places] = graph.similarities[links]
        return lists

    def search(
        self, take: Take, centre: NDArray[np.float32], asked: Rows, candidates: Rows
    ) -> None:
        """Find the nearest of the rows asked for among the candidates, from nothing."""
        self.near[asked] = -1
        self.offer(take, centre, asked, candidates)

    def offer(self, take: Take, centre: NDArray[np.float32], asked: Rows, candidates: Rows) -> None:
        """Let candidates take a place among the nearest of the rows asked for."""
        from saccade.kernels.graph import offer

        for here in _parts(asked):
            queries = centred(take(here), centre)
            for there in _parts(candidates):
                vectors = centred(take(there), centre)
                products = queries @ vectors.T
                offer(products, here, queries, there, vectors, self.near, self.similarities)

    def forget(self, dead: NDArray[np.bool_]) -> Rows:
        """Empty the lists of dead rows; returns the rows that had one of them on theirs."""
        held = (self.near >= 0) & dead[np.maximum(self.near, 0)]
        self.near[dead] = -1
        return np.flatnonzero(held.any(1))

    def graph(self, centre: NDArray[np.float32], around: int) -> Graph:
        """Links made mutual."""
        from saccade.kernels.graph import mutual

        return _finished(self.near.shape[1], centre, around, *mutual(self.near, self.similarities))


def _finished(
    k: int,
    centre: NDArray[np.float32],
    around: int,
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    similarities: NDArray[np.float32],
) -> Graph:
    from saccade.kernels.graph import roots

    weights = weight(similarities)
    root = roots(offsets, weights)
    return Graph(k, centre, around, offsets, neighbours, similarities, weights, root)


_KINDS = {
    "shape": np.int64,
    "centre": np.float32,
    "offsets": np.int64,
    "neighbours": np.int32,
    "similarities": np.float32,
}
_FLAWS = (
    "",
    "its offsets do not add up",
    "a neighbour is no other row",
    "a similarity is not in (0, 1]",
    "a row's neighbours are not best first",
    "a link is there from one side only",
)


def _checked(arrays: Arrays) -> list[NDArray[Any]]:
    """The arrays of a graph in order, or an error that says why they are none."""
    from saccade.kernels.graph import flaw

    def damaged(why: str) -> InvalidInput:
        return InvalidInput(f"the neighbour graph is damaged: {why}", hint="build it again")

    for name, kind in _KINDS.items():
        if name not in arrays:
            raise damaged(f"no array {name!r}")
        if arrays[name].dtype != kind or arrays[name].ndim != 1:
            raise damaged(f"array {name!r} has another form")
    found = [np.ascontiguousarray(arrays[name]) for name in _KINDS]
    shape, centre, offsets, neighbours, similarities = found
    if len(shape) != 2 or shape[0] < 1 or shape[1] < 0:
        raise damaged("array 'shape' is not (k, images)")
    if not np.isfinite(centre).all():
        raise damaged("its centre is not a number")
    if len(neighbours) != len(similarities):
        raise damaged("neighbours and similarities differ in number")
    number = flaw(offsets, neighbours, similarities)
    if number:
        raise damaged(_FLAWS[number])
    return found

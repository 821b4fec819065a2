"""The neighbour graph: every image linked to those most like it, and to those it is most like.

    s(i, j) = v_i · v_j                        v unit vectors, see `saccade.indexes.blend`
    A[i, j] = s⁴ where i is among the k nearest of j or j among those of i, else 0

A link needs s > 0. An image whose vector is zero (blank, or not computed yet) has none: nothing is
known that sets it apart. Each row's neighbours come best first, so that the first k are its own
nearest; ties go to the lower row.

The graph is derived and can be made again at any time. `Graph` never changes: `grown` and `shrunk`
give a new one, the same to the bit as one built at once, while every row is compared with every
other. Beyond `EXACT` rows a new graph compares only within and between neighbouring cells
(`saccade.indexes.cells`); what is added later is still compared with all. `joined` adds links that
were found in another way, as by words that two pictures share.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.indexes.blend import Take
from saccade.indexes.layout import Layout
from saccade.types import Array, Arrays, Rows, Scores

NEIGHBOURS = 15
EXACT = 20_000
_SHARE = 2048  # rows a matrix product takes on each side


@dataclass(frozen=True, slots=True)
class Graph:
    """Links between rows; `offsets[i]:offsets[i + 1]` are those of row i."""

    k: int
    offsets: NDArray[np.int64]  # [n + 1]
    neighbours: NDArray[np.int32]  # [links]
    similarities: NDArray[np.float32]  # [links]
    root: NDArray[np.float64] = field(repr=False)  # [n] of the sum of a row's weights; 1 for none
    _laid: list[Layout] = field(default_factory=list, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def build(cls, take: Take, alive: NDArray[np.bool_], *, k: int = NEIGHBOURS) -> Graph:
        """The graph of the rows that are alive, by unit vectors; other rows have no links.

        >>> vectors = np.array([[1, 0], [.8, .6], [0, -1], [-.6, -.8]], np.float32)
        >>> graph = Graph.build(vectors.__getitem__, np.ones(4, bool))
        >>> graph.nearest(0)[0].tolist(), graph.nearest(3)[0].tolist()
        ([1], [2])
        """
        lists = _Lists.empty(len(alive), _check_k(k))
        rows = np.flatnonzero(alive)
        if len(rows) > EXACT:
            from saccade.indexes.cells import search

            search(rows, take, lists.near, lists.similarities)
        else:
            lists.offer(take, rows, rows)
        return lists.graph()

    def grown(self, take: Take, alive: NDArray[np.bool_]) -> Graph:
        """The graph after rows were appended, came back to life or got their vector."""
        lists = _Lists.of(self, len(alive))
        rows = np.flatnonzero(alive)
        new = rows[~self.linked(rows)]
        lists.offer(take, new, rows)
        lists.offer(take, np.setdiff1d(rows, new), new)
        return lists.graph()

    def shrunk(self, take: Take, alive: NDArray[np.bool_]) -> Graph:
        """The graph after rows died: those they were among the nearest of look anew."""
        if len(alive) != len(self):
            raise InvalidInput(f"graph: {len(self)} rows, but {len(alive)} of them dead or alive")
        lists = _Lists.of(self, len(self))
        bereft = lists.forget(~alive)
        lists.offer(take, bereft[alive[bereft]], np.flatnonzero(alive))
        return lists.graph()

    def joined(self, pairs: NDArray[np.int64], similarities: Scores) -> Graph:
        """With more links: `pairs` [m, 2] of rows; the higher similarity where one is there.

        What is joined is for looking and spreading; keep the graph itself to grow it.
        """
        from saccade.kernels.graph import merged

        if not len(pairs):
            return self
        if pairs.min() < 0 or pairs.max() >= len(self) or (pairs[:, 0] == pairs[:, 1]).any():
            raise InvalidInput(f"graph: a link is not between two of {len(self)} rows")
        if not ((similarities > 0.0) & (similarities <= 1.0)).all():
            raise InvalidInput("graph: a link's similarity is not in (0, 1]")
        other = _mutual(len(self), pairs, similarities)
        return _finished(self.k, *merged(self.offsets, self.neighbours, self.similarities, *other))

    @property
    def weights(self) -> NDArray[np.float32]:
        """What each link counts for, [links]."""
        return weight(self.similarities)

    @property
    def layout(self) -> Layout:
        """The links as they lie in memory while something spreads; made when first asked for."""
        if not self._laid:  # two threads may make it at once: both are the same
            self._laid.append(Layout.of(self.offsets, self.neighbours, self.weights, self.root))
        return self._laid[0]

    def linked(self, rows: Rows) -> NDArray[np.bool_]:
        """Which of these rows have a neighbour."""
        there = np.zeros(max(len(self), int(rows.max(initial=-1)) + 1), np.bool_)
        there[: len(self)] = np.diff(self.offsets) > 0
        return there[rows]

    def nearest(self, row: int, k: int | None = None) -> tuple[Rows, Scores]:
        """At most `k` neighbours of a row and their similarities, best first."""
        if not 0 <= row < len(self):
            raise InvalidInput(f"graph: no row {row}; there are {len(self)}")
        start, stop = int(self.offsets[row]), int(self.offsets[row + 1])
        stop = min(stop, start + (self.k if k is None else _check_k(k)))
        return self.neighbours[start:stop].astype(np.int64), self.similarities[start:stop].copy()

    def arrays(self) -> dict[str, Array]:
        """What must be kept to have the graph again."""
        return {
            "k": np.array([self.k], np.int64),
            "offsets": self.offsets,
            "neighbours": self.neighbours,
            "similarities": self.similarities,
        }

    @classmethod
    def load(cls, arrays: Arrays) -> Graph:
        """What `arrays` gave; raises InvalidInput where that cannot be a graph."""
        k, *links = _checked(arrays)
        return _finished(int(k[0]), *links)


def weight(similarities: Scores) -> NDArray[np.float32]:
    """What a link counts for: similarity⁴."""
    # Squared twice: the same bits everywhere, which a power function does not promise.
    return np.square(np.square(similarities))


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
        earlier = slice(0, len(graph))
        lists.near[earlier][places] = graph.neighbours[links]
        lists.similarities[earlier][places] = graph.similarities[links]
        return lists

    def offer(self, take: Take, asked: Rows, candidates: Rows) -> None:
        """Let candidates take a place among the nearest of the rows asked for."""
        from saccade.kernels.graph import offer

        for here in _parts(asked):
            queries = take(here)
            for there in _parts(candidates):
                vectors = take(there)
                products = queries @ vectors.T
                offer(products, here, queries, there, vectors, self.near, self.similarities)

    def forget(self, dead: NDArray[np.bool_]) -> Rows:
        """Empty the lists of dead rows, and of those that had one of them on theirs: the latter."""
        affected = ((self.near >= 0) & dead[np.maximum(self.near, 0)]).any(1)
        self.near[dead | affected] = -1
        return np.flatnonzero(affected)

    def graph(self) -> Graph:
        """Links made mutual."""
        from saccade.kernels.graph import mutual

        return _finished(self.near.shape[1], *mutual(self.near, self.similarities))


def _mutual(
    n: int, pairs: NDArray[np.int64], similarities: Scores
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Links of pairs from both sides, each once at its highest, by row."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    strength = np.concatenate([similarities, similarities]).astype(np.float32)
    order = np.lexsort((-strength, both[:, 1], both[:, 0]))
    both, strength = both[order], strength[order]
    first = np.ones(len(both), np.bool_)
    first[1:] = (both[1:] != both[:-1]).any(1)
    both, strength = both[first], strength[first]
    offsets = np.searchsorted(both[:, 0], np.arange(n + 1)).astype(np.int64)
    return offsets, both[:, 1].astype(np.int32), strength


def _finished(
    k: int,
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    similarities: NDArray[np.float32],
) -> Graph:
    from saccade.kernels.graph import roots

    weights = weight(similarities)
    return Graph(k, offsets, neighbours, similarities, roots(offsets, weights))


_KINDS = {"k": np.int64, "offsets": np.int64, "neighbours": np.int32, "similarities": np.float32}
_FLAWS = (
    "",
    "its offsets do not add up",
    "a neighbour is no other row",
    "a similarity is not in (0, 1]",
    "a row's neighbours are not best first",
    "a link is there from one side only",
)


def _checked(arrays: Arrays) -> list[Array]:
    """The arrays of a graph in order, or an error that says why they are none."""
    from saccade.kernels.graph import flaw

    def damaged(why: str) -> InvalidInput:
        return InvalidInput(f"the neighbour graph is damaged: {why}", hint="build it again")

    for name, kind in _KINDS.items():
        if name not in arrays:
            raise damaged(f"no array {name!r}")
        if arrays[name].dtype != kind or arrays[name].ndim != 1:
            raise damaged(f"array {name!r} has another form")
    parts = [np.ascontiguousarray(arrays[name]) for name in _KINDS]
    k, offsets, neighbours, similarities = parts
    if len(k) != 1 or k[0] < 1:
        raise damaged("its k is no number of neighbours")
    if len(neighbours) != len(similarities):
        raise damaged("neighbours and similarities differ in number")
    number = flaw(offsets, neighbours, similarities)
    if number:
        raise damaged(_FLAWS[number])
    return parts

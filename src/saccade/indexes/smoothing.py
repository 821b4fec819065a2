"""Vectors smoothed along the neighbour graph: a picture is seen together with its like.

    Y' = (1 − α) Σ_t α^t S^t Y        S = D^-½ A D^-½, the graph's normalised links

each row then of length one. It is what `spread` does to a query, done to every column of Y at once:
what is true of a kind of picture gets more say than what is true of one. It helps where an
attribute goes with the kind (*natural*, *open*), and blurs it where it does not (*bright*).

A direction w that was learned from a few such rows needs no others to score all pictures:
`Averages` smooths the one column Y w and divides by what a column of ones becomes, so that each
score is the mean over a picture's surroundings. On two sets of photographs that orders pairs as
well as all of Y' does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.indexes.blend import Take
from saccade.indexes.graph import Graph
from saccade.indexes.spread import Sources, spread
from saccade.kernels.topk import top
from saccade.types import Rows, Scores, Vectors

ALPHA = 0.9
_ROUNDS = 30  # α^30 is 4% of the start
_STEPS = 12
_STRONGEST = 300  # rows that one picture's surroundings are taken from
_FAINT, _BUDGET = 1e-5, 60_000  # of what spreads from one picture, and links followed at most


def smoothed(graph: Graph, vectors: Vectors, *, alpha: float = ALPHA) -> Vectors:
    """Rows smoothed along the graph and of length one; a row of zeros without links stays zero.

    >>> vectors = np.array([[1, 0], [.8, .6], [0, -1], [-.6, -.8]], np.float32)
    >>> graph = Graph.build(vectors.__getitem__, np.ones(4, bool))
    >>> (smoothed(graph, vectors) @ vectors.T).round(1)[0]  # nearer to its neighbour than it was
    array([ 1. ,  0.9, -0.3, -0.8], dtype=float32)
    """
    if not 0.0 <= alpha < 1.0:
        raise InvalidInput(f"smoothing: α is {alpha}; it must lie in [0, 1)")
    if len(vectors) != len(graph):
        raise InvalidInput(f"smoothing: {len(vectors)} rows for a graph of {len(graph)}")
    return _unit(_spread(_links(graph), vectors, alpha))


class _Links(Protocol):
    """A sparse matrix, of which only products are taken."""

    def __matmul__(self, columns: NDArray[np.float32], /) -> NDArray[np.float32]:
        """Its product with some columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Averages:
    """Means over the surroundings of every row of a graph."""

    graph: Graph
    links: _Links  # [n, n]
    ones: Scores  # what a column of ones becomes

    @classmethod
    def of(cls, graph: Graph) -> Averages:
        """What is the same for all columns, computed once."""
        links = _links(graph)
        return cls(graph, links, _solved(links, np.ones(len(graph), np.float32)))

    def column(self, values: Scores) -> Scores:
        """Each row's mean; a row without links keeps its value.

        >>> vectors = np.array([[1, 0], [.8, .6], [0, -1], [-.6, -.8]], np.float32)
        >>> averages = Averages.of(Graph.build(vectors.__getitem__, np.ones(4, bool)))
        >>> averages.column(np.array([1, 0, 0, 0], np.float32)).round(1)
        array([0.5, 0.5, 0. , 0. ], dtype=float32)
        """
        return _solved(self.links, values) / self.ones

    def rows(self, rows: Rows, take: Take) -> Vectors:
        """Some rows of the smoothed vectors, each from the rows that matter to it most."""
        return _unit(np.stack([self._row(int(row), take) for row in rows]))

    def _row(self, row: int, take: Take) -> Vectors:
        reached = spread(self.graph, Sources.of([row]), least=_FAINT, budget=_BUDGET)
        strongest = top(reached.values, min(_STRONGEST, len(reached.values)))
        shares = reached.values[strongest].astype(np.float32)
        # So small a product is not worth waking other threads for.
        mixed: Vectors = np.einsum("i,ij->j", shares, take(reached.rows[strongest]))
        return mixed


def _links(graph: Graph) -> _Links:
    from scipy.sparse import csr_array

    ends = np.repeat(np.arange(len(graph)), np.diff(graph.offsets))
    shares = graph.weights / (graph.root[ends] * graph.root[graph.neighbours])
    links: _Links = csr_array(
        (shares.astype(np.float32), graph.neighbours, graph.offsets), (len(graph), len(graph))
    )
    return links


def _spread(links: _Links, start: Vectors, alpha: float) -> Vectors:
    values = start.astype(np.float32)
    for _ in range(_ROUNDS):
        values = np.float32(alpha) * (links @ values) + np.float32(1.0 - alpha) * start
    return values


def _solved(links: _Links, start: Scores) -> Scores:
    """F of (1 − αS) f = (1 − α) y by conjugate gradients, in less than half the rounds.

    The matrix is symmetric and its eigenvalues lie within 1 ± α.
    """
    alpha, rest = np.float32(ALPHA), np.float32(1.0 - ALPHA)
    solution = start.astype(np.float32)
    left = rest * start - (solution - alpha * (links @ solution))
    way, size = left, float(left @ left)
    for _ in range(_STEPS):
        along = way - alpha * (links @ way)
        curved = float(way @ along)
        # What is left has no size, or one so small that its square has none.
        if size == 0.0 or curved <= 0.0:
            break
        step = np.float32(size / curved)
        solution = solution + step * way
        left = left - step * along
        new = float(left @ left)
        way, size = left + np.float32(new / size) * way, new
    return solution


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    out: Vectors = (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return out

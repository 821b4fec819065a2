"""The nearest of a vector from outside, found by walking along the links of the neighbour graph.

    begin    at those of a sample of rows that are most like it
    step     look at the neighbours of the best rows whose neighbours were not looked at yet
    end      when all neighbours of the `WIDTH` best have been looked at

What is like it is linked to what is like it, so that a few thousand rows are looked at whatever the
size of the collection, and nothing is kept beside the links but the vectors of the sample. It is
the lowest level of a hierarchy of small worlds (Malkov & Yashunin 2018) with a sample above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np

from saccade.indexes.blend import Take
from saccade.indexes.graph import Graph
from saccade.kernels.topk import top
from saccade.types import Rows, Scores, Vectors

WIDTH = 192
"""Best rows that are held while walking: more of them find more of the nearest, and take longer."""
_STARTS = 32  # rows of the sample that a walk begins at
_STRIDE = 24  # rows whose neighbours are looked at in one step
_SAMPLED = 4  # times the root of the number of rows


@dataclass(frozen=True, slots=True)
class Walk:
    """A graph, the unit vectors it was made of, and a sample of its rows to begin at."""

    graph: Graph
    take: Take
    rows: Rows  # [m] of the sample
    vectors: Vectors  # [m, d]

    @classmethod
    def of(cls, graph: Graph, take: Take) -> Walk:
        """Over a graph; the same sample of the same graph."""
        linked = np.flatnonzero(np.diff(graph.offsets) > 0)
        count = min(len(linked), _SAMPLED * isqrt(len(linked)))
        rows = np.sort(np.random.default_rng(0).choice(linked, count, replace=False))
        return cls(graph, take, rows, take(rows))

    def nearest(self, query: Vectors, width: int = WIDTH) -> tuple[Rows, Scores]:
        """The rows most like a unit vector [d] that a walk finds, and their products, best first.

        The first of so many are surer than the last.

        >>> turns = np.linspace(0.0, 6.0, 50)
        >>> vectors = np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)
        >>> graph = Graph.build(vectors.__getitem__, np.ones(50, bool), k=4)
        >>> Walk.of(graph, vectors.__getitem__).nearest(vectors[20], 8)[0][:3].tolist()
        [20, 19, 21]
        """
        products = _products(self.vectors, query)
        first = top(products, min(_STARTS, len(products)))
        rows, values = self.rows[first], products[first]
        seen = np.zeros(len(self.graph), np.bool_)
        seen[rows] = True
        walked = np.zeros(len(rows), np.bool_)
        while not walked.all():
            here = np.flatnonzero(~walked)[:_STRIDE]
            walked[here] = True
            new = self._neighbours(rows[here], seen)
            if len(new):
                rows = np.concatenate([rows, new])
                values = np.concatenate([values, _products(self.take(new), query)])
                walked = np.concatenate([walked, np.zeros(len(new), np.bool_)])
                best = top(values, min(width, len(values)))
                rows, values, walked = rows[best], values[best], walked[best]
        return rows, values

    def _neighbours(self, rows: Rows, seen: np.ndarray) -> Rows:
        """Neighbours of some rows that were not seen yet, ascending; they are from now on."""
        offsets, neighbours = self.graph.offsets, self.graph.neighbours
        each = [neighbours[offsets[row] : offsets[row + 1]] for row in rows]
        found = np.concatenate(each)
        new = np.unique(found[~seen[found]]).astype(np.int64)
        seen[new] = True
        return new


def _products(vectors: Vectors, query: Vectors) -> Scores:
    """`vectors @ query` in this thread: of so few, other threads only wait for each other."""
    return np.asarray(np.einsum("ij,j->i", vectors, query))

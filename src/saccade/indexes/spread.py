"""Spread: what a few pictures say, carried along the neighbour graph to all that are like them.

    f = α S f + (1 − α) y,     S = D^-½ A D^-½,  α = 0.9          (Zhou et al. 2004)

y holds the sources: pictures meant count for, pictures not meant against. f grows where many short
paths of close likeness lead to what is meant, however winding the shape of its kind. f is found by
pushing what waits along the links, most first (`saccade.kernels.spread.push`): small collections to
the end, large ones as far as a budget of links goes, so that the cost does not grow with them
(Andersen, Chung & Lang 2006).

Rows that nothing reaches have f = 0. A ranking by f alone needs no more; to be mixed with other
scores it is put on a scale of likeness, the logarithm of f with its sign:

    g = asinh(f / ε) / asinh(1 / ε)        ε = 1e-6 of the strongest source; g in about (-1, 1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.indexes.evidence import Bent
from saccade.indexes.graph import Graph, weight
from saccade.types import Rows, Scores

ALPHA = 0.9
LEAST = 1e-9
"""What may be left waiting at a row, of the strongest source."""
BUDGET = 300_000
"""Links followed at most: some 5 ms; at 100,000 images 98 of the first 100 are the exact ones."""
FAINT = 1e-6
_MUCH = 16


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a spread starts: rows and signed amounts; a row may come twice, amounts add up."""

    rows: Rows
    amounts: NDArray[np.float64]

    @classmethod
    def of(cls, rows: ArrayLike, amount: float = 1.0) -> Sources:
        """Pictures of the collection, each with this amount."""
        places = np.asarray(rows, np.int64).reshape(-1)
        return cls(places, np.full(len(places), float(amount)))

    @classmethod
    def through(
        cls, graph: Graph, rows: Rows, similarities: Scores, amount: float = 1.0
    ) -> Sources:
        """A picture from outside, entering through its nearest by centred similarity.

        What it would hand on in one step if it were a row of the graph, linked to these alone.
        """
        linked = similarities > 0.0
        rows, weights = rows[linked], weight(similarities[linked])
        total = weights.sum()
        if not total > 0.0:
            return cls(np.zeros(0, np.int64), np.zeros(0))
        return cls(rows, ALPHA * amount * weights / (graph.root[rows] * np.sqrt(total)))

    def times(self, factor: float) -> Sources:
        """The same with other amounts."""
        return Sources(self.rows, factor * self.amounts)

    def __add__(self, other: Sources) -> Sources:
        return Sources(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.amounts, other.amounts]),
        )


@dataclass(frozen=True, slots=True)
class Spread:
    """f where it is not zero: `rows` ascending, `values` beside them, of `size` rows in all."""

    rows: Rows
    values: NDArray[np.float64]
    size: int
    strongest: float  # of the sources, without its sign

    def dense(self) -> NDArray[np.float64]:
        """What reached every row, [n]."""
        out = np.zeros(self.size)
        out[self.rows] = self.values
        return out

    def __add__(self, other: Spread) -> Spread:
        """What spreads from the sources of both: f is linear in y."""
        whole, there = self.dense(), np.zeros(self.size, np.bool_)
        whole[other.rows] += other.values
        there[self.rows] = there[other.rows] = True
        rows = np.flatnonzero(there)
        return Spread(rows, whole[rows], self.size, max(self.strongest, other.strongest))

    def likeness(self) -> Scores:
        """The logarithm of f with its sign for every row, [n]: to be mixed with other scores."""
        out = np.zeros(self.size, np.float32)
        if self.strongest > 0.0:
            faint = FAINT * self.strongest
            out[self.rows] = np.arcsinh(self.values / faint) / np.arcsinh(1.0 / FAINT)
        return out


def spread(
    graph: Graph,
    sources: Sources,
    *,
    alpha: float = ALPHA,
    least: float = LEAST,
    budget: int = BUDGET,
    over: Bent | None = None,
) -> Spread:
    """Solve f = α S f + (1 − α) y for these sources, `over` links that evidence bends.

    >>> vectors = np.array([[1, 0], [.8, .6], [0, -1], [-.6, -.8]], np.float32)
    >>> graph = Graph.build(vectors.__getitem__, np.ones(4, bool))
    >>> spread(graph, Sources.of([0])).dense().argsort()[::-1][:2].tolist()
    [0, 1]
    """
    from saccade.kernels.spread import push

    if not 0.0 <= alpha < 1.0:
        raise InvalidInput(f"spread: α is {alpha}; it must lie in [0, 1)")
    if len(sources.rows) and not 0 <= sources.rows.min() <= sources.rows.max() < len(graph):
        raise InvalidInput(f"spread: a source is no row of a graph of {len(graph)}")
    if not np.isfinite(sources.amounts).all():
        raise InvalidInput("spread: a source's amount is not a number")
    if not len(sources.rows):
        return Spread(sources.rows, sources.amounts, len(graph), 0.0)
    strongest = float(np.abs(sources.amounts).max())
    laid = graph.layout
    places, values = push(
        laid.offsets, laid.neighbours, laid.weights, laid.root if over is None else over.root,
        laid.places[sources.rows], sources.amounts, alpha, least * strongest, budget,
        None if over is None else over.over, None if over is None else over.links,
    )  # fmt: skip
    rows, values = _ascending(laid.rows[places], values, len(graph))
    return Spread(rows, values, len(graph), strongest)


def _ascending(
    rows: Rows, values: NDArray[np.float64], size: int
) -> tuple[Rows, NDArray[np.float64]]:
    """Sorted by row; where much was reached, by laying it out over all rows, which is quicker."""
    if len(rows) * _MUCH < size:
        order = np.argsort(rows)
        return rows[order], values[order]
    whole, there = np.zeros(size), np.zeros(size, np.bool_)
    whole[rows], there[rows] = values, True
    sorted_rows = np.flatnonzero(there)
    return sorted_rows, whole[sorted_rows]

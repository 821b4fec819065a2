"""Vectors smoothed along the neighbour graph: a picture is seen together with its like.

    Y' = (1 − α) Σ_t α^t S^t Y        S = D^-½ A D^-½, the graph's normalised links

each row then of length one. It is what `spread` does to a query, done to every column of Y at once:
what is true of a kind of picture gets more say than what is true of one. It helps where an
attribute goes with the kind (*natural*, *open*), and blurs it where it does not (*bright*).
"""

from __future__ import annotations

import numpy as np

from saccade.errors import InvalidInput
from saccade.indexes.graph import Graph
from saccade.types import Vectors

ALPHA = 0.9
_ROUNDS = 30  # α^30 is 4% of the start


def smoothed(graph: Graph, vectors: Vectors, *, alpha: float = ALPHA) -> Vectors:
    """Rows smoothed along the graph and of length one; a row of zeros without links stays zero.

    >>> vectors = np.array([[1, 0], [.8, .6], [0, -1], [-.6, -.8]], np.float32)
    >>> graph = Graph.build(vectors.__getitem__, np.ones(4, bool))
    >>> (smoothed(graph, vectors) @ vectors.T).round(1)[0]  # nearer to its neighbour than it was
    array([ 1. ,  0.9, -0.3, -0.8], dtype=float32)
    """
    from scipy.sparse import csr_array

    if not 0.0 <= alpha < 1.0:
        raise InvalidInput(f"smoothing: α is {alpha}; it must lie in [0, 1)")
    if len(vectors) != len(graph):
        raise InvalidInput(f"smoothing: {len(vectors)} rows for a graph of {len(graph)}")
    ends = np.repeat(np.arange(len(graph)), np.diff(graph.offsets))
    shares = graph.weights / (graph.root[ends] * graph.root[graph.neighbours])
    links = csr_array(
        (shares.astype(np.float32), graph.neighbours, graph.offsets), (len(graph), len(graph))
    )
    found = vectors.astype(np.float32)
    for _ in range(_ROUNDS):
        found = np.float32(alpha) * (links @ found) + np.float32(1.0 - alpha) * vectors
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    out: Vectors = (found / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return out

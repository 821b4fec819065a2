"""Visual PageRank: how central an image is among those that look like it (Jing & Baluja 2008).

    v = α · S* v + (1 − α) / n          v ≥ 0, Σ v = 1, α = 0.85

S is symmetric, S[i, j] the similarity of two images of which one is among the other's k nearest (0
for others), S* has its columns divided by their sums. An image without neighbours gives its rank to
all. v is the fixed point of a contraction with factor α: iteration ends when a step moves less than
`tolerance` in all, and v is then within tolerance · α / (1 − α) of it.

The value depends on no query. Times n it is 1 for an average image, whatever the collection's size.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.types import Rows, Vectors

Floats = NDArray[np.float64]
BLOCK = 1024


class _Links(Protocol):
    """A sparse matrix."""

    shape: tuple[int, int]

    def sum(self, *, axis: int) -> Floats:
        """The sum of each column, or of each row."""

    def __matmul__(self, column: Floats, /) -> Floats:
        """Its product with a column."""


def pagerank(
    neighbours: ArrayLike,
    similarities: ArrayLike,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-9,
    most_rounds: int = 1000,
) -> Floats:
    """PageRank of each image on the graph of its nearest, [n].

    `neighbours` [n, k] are rows, -1 where an image has fewer than k; `similarities` [n, k] are not
    negative. A link that only one of two images has counts for both.

    >>> star = np.array([[1, 2], [0, -1], [0, -1]])
    >>> pagerank(star, np.ones((3, 2))).round(3).tolist()
    [0.486, 0.257, 0.257]
    """
    if not 0.0 <= damping < 1.0:
        raise InvalidInput(f"pagerank: the damping is {damping}; it must lie in [0, 1)")
    graph = _graph(np.asarray(neighbours, np.int64), np.asarray(similarities, np.float64))
    size = graph.shape[0]
    if size == 0:
        return np.zeros(0)
    sums = np.asarray(graph.sum(axis=0)).ravel()
    lonely = sums == 0.0
    share = np.divide(1.0, sums, out=np.zeros(size), where=~lonely)
    ranks = np.full(size, 1.0 / size)
    for _ in range(most_rounds):
        flow = graph @ (ranks * share) + ranks[lonely].sum() / size
        moved = damping * flow + (1.0 - damping) / size
        moved /= moved.sum()
        step = np.abs(moved - ranks).sum()
        ranks = moved
        if step < tolerance:
            break
    return ranks


def _graph(neighbours: Rows, similarities: Floats) -> _Links:
    """The symmetric sparse matrix of the links; the higher value where both images have one."""
    import scipy.sparse

    size = len(neighbours)
    if neighbours.shape != similarities.shape or neighbours.ndim != 2:
        raise InvalidInput(
            f"pagerank: neighbours {neighbours.shape} and similarities {similarities.shape} must"
            " both be [n, k]"
        )
    if size and (neighbours.max() >= size or neighbours.min() < -1):
        raise InvalidInput(f"pagerank: a neighbour is no row below {size}")
    if not np.isfinite(similarities).all() or (similarities < 0.0).any():
        raise InvalidInput("pagerank: similarities must be finite and not negative")
    rows = np.repeat(np.arange(size), neighbours.shape[1])
    columns = neighbours.ravel()
    real = (columns >= 0) & (columns != rows)
    links = scipy.sparse.csr_matrix(
        (similarities.ravel()[real], (rows[real], columns[real])), (size, size)
    )
    both: _Links = links.maximum(links.T).tocsr()
    return both


def nearest(points: Vectors, k: int) -> tuple[Rows, Floats]:
    """The `k` nearest other points of each by Euclidean distance, and exp(−d² / σ²), both [n, k].

    σ is the mean distance to the k-th neighbour, so that the similarity fits the collection's
    scale. Missing neighbours of a small collection are -1 with similarity 0. Equal distances go to
    the lower row.
    """
    points = np.asarray(points, np.float64)
    size = len(points)
    neighbours, gaps = np.full((size, k), -1), np.zeros((size, k))
    others = min(k, size - 1)
    if others < 1:
        return neighbours, gaps
    norms = np.square(points).sum(1)
    for first in range(0, size, BLOCK):
        part = slice(first, min(first + BLOCK, size))
        squares = norms[part, None] + norms - 2.0 * points[part] @ points.T
        squares[np.arange(part.stop - first), np.arange(first, part.stop)] = np.inf
        near = np.argpartition(squares, others - 1, axis=1)[:, :others]
        near.sort(axis=1)
        distance = np.take_along_axis(squares, near, axis=1)
        order = np.argsort(distance, axis=1, kind="stable")
        neighbours[part, :others] = np.take_along_axis(near, order, axis=1)
        gaps[part, :others] = np.maximum(np.take_along_axis(distance, order, axis=1), 0.0)
    scale = np.square(np.sqrt(gaps[:, others - 1]).mean())
    similarities = np.exp(-gaps / scale) if scale > 0.0 else np.ones_like(gaps)
    similarities[neighbours < 0] = 0.0
    return neighbours, similarities

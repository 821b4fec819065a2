"""The nearest of every row in a large collection, found cell by cell.

Unit vectors are reduced to their 256 strongest principal directions and grouped by k-means there
(faiss). The images of one cell are compared with those of the cells around it by one matrix product
of the reduced vectors; the best few of each are compared again by the vectors themselves. The work
grows with the number of images, not with its square.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from saccade.indexes.blend import Take
from saccade.types import Rows, Vectors

SIZE = 250
"""Images a cell has on average."""
PROBES = 24
"""Cells each cell is compared with, its own among them."""
SHORTLIST = 4
"""Candidates compared by their whole vectors, for each neighbour kept."""
WIDTH = 256
_ROUNDS = 8
_SAMPLE = 40  # images a cell that the centres are trained on
_STUDIED = 16_384  # images that the principal directions are taken from
_SHARE = 8192


def search(
    rows: Rows,
    take: Take,
    near: NDArray[np.int32],
    similarities: NDArray[np.float32],
    *,
    seed: int = 0,
) -> None:
    """Fill in the nearest [n, k] of these rows; `take` gives unit vectors of rows."""
    from saccade.kernels.graph import offer_listed, shortlist

    small = _reduced(rows, take, np.random.default_rng(seed))
    for asked, candidates in neighbourhoods(small, seed=seed):
        length = min(SHORTLIST * near.shape[1] + 1, len(candidates))
        listed = candidates[shortlist(small[asked] @ small[candidates].T, length)]
        used = np.union1d(listed, asked)
        places = np.searchsorted(used, listed)
        offer_listed(places, rows[asked], rows[used], take(rows[used]), near, similarities)


def neighbourhoods(points: Vectors, *, seed: int = 0) -> Iterator[tuple[Rows, Rows]]:
    """Points that lie together, and all that are worth comparing with them, cell by cell.

    Every point is in exactly one cell, and is compared with that at least.
    """
    centres = _centres(points, max(1, len(points) // SIZE), seed)
    cell = _nearest(points, centres, 1)[:, 0]
    order = np.argsort(cell, kind="stable")
    bounds = np.searchsorted(cell[order], np.arange(len(centres) + 1))
    members = [order[a:b] for a, b in pairwise(bounds)]
    around = _nearest(centres, centres, min(PROBES, len(centres)))
    for here, near in enumerate(around):
        if len(members[here]):
            # Two centres that fell together may hide one from itself.
            cells = np.union1d(near, here)
            yield members[here], np.sort(np.concatenate([members[c] for c in cells]))


def _reduced(rows: Rows, take: Take, rng: np.random.Generator) -> Vectors:
    """The vectors in their strongest directions, [n, at most 256]."""
    studied = take(np.sort(rng.choice(rows, min(len(rows), _STUDIED), replace=False)))
    width = studied.shape[1]
    if width <= WIDTH:
        directions = np.eye(width, dtype=np.float32)
    else:
        directions = np.linalg.eigh(studied.T @ studied)[1][:, -WIDTH:]
    out = np.empty((len(rows), directions.shape[1]), np.float32)
    for i in range(0, len(rows), _SHARE):
        out[i : i + _SHARE] = take(rows[i : i + _SHARE]) @ directions
    return out


def _centres(points: Vectors, count: int, seed: int) -> Vectors:
    import faiss

    grouping = faiss.Kmeans(
        points.shape[1],
        count,
        niter=_ROUNDS,
        seed=seed,
        max_points_per_centroid=_SAMPLE,
        min_points_per_centroid=1,
    )
    grouping.train(points)
    return np.asarray(grouping.centroids, np.float32)


def _nearest(points: Vectors, centres: Vectors, count: int) -> NDArray[np.int64]:
    """The `count` nearest centres of each point, nearest first, [n, count]."""
    import faiss

    nearest: NDArray[np.int64] = faiss.knn(points, centres, count)[1]
    return nearest

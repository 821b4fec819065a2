"""Rocchio: the query moved towards what was liked and away from what was not.

    u(x) = unit(unit(x) − c)               c the collection's centre
    r    = u(q) + Σ_likes u / (1 + likes) − ½ Σ_dislikes u / (1 + dislikes)
    s(p) = r · u(p)

(Rocchio 1971, with unit vectors seen from the centre.) One like moves half as far as the mean of
many would: the sums are divided by one more than their number. Several directions, of this and of
other learners that are linear in u, are scored in one pass over the rows:

    r · u(p) = (r · p / |p| − r · c) / |unit(p) − c|
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.types import Scores, Vectors

Vector = NDArray[np.float32]  # [d]

AGAINST = 0.5

# What is left of a unit vector that is the centre itself is rounding: it has no direction.
_FAINT = 1e-3


def centred(vectors: Vectors, centre: Vector) -> Vectors:
    """Unit vectors as seen from the centre, [n, d]; zero where there is no direction."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    units = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)
    moved = np.where(lengths > 0.0, units - centre, np.float32(0.0))
    sizes = np.sqrt(np.einsum("ij,ij->i", moved, moved))[:, None]
    seen: Vectors = np.divide(moved, sizes, out=np.zeros_like(moved), where=sizes > _FAINT)
    return seen


def direction(query: Vectors, liked: Vectors, disliked: Vectors) -> Vector:
    """Where to look, [d]: all given as `centred` rows [n, d]; several query rows are averaged.

    >>> axes = np.eye(2, dtype=np.float32)
    >>> direction(axes[:1], axes[1:], np.zeros((0, 2), np.float32)).tolist()
    [1.0, 0.5]
    """
    start = query.sum(0) / max(1, len(query))
    toward = liked.sum(0) / (1 + len(liked))
    away = disliked.sum(0) / (1 + len(disliked))
    return np.asarray(start + toward - AGAINST * away, np.float32)


def leaning(vectors: Vectors, amounts: NDArray[np.float64]) -> Vector:
    """How far pictures that were compared move the query, [d]: signed amounts of `centred` rows.

    >>> leaning(np.eye(2, dtype=np.float32), np.array([0.5, -0.5])).round(2).tolist()
    [0.25, -0.25]
    """
    return np.asarray(amounts.astype(np.float32) @ vectors / (1 + len(vectors) // 2), np.float32)


def scores(
    directions: Vectors, vectors: Vectors, centre: Vector, *, lengths: Vector | None = None
) -> Vectors:
    """Each direction's score of each row, [n, k], in one pass over `vectors` as they are stored.

    `lengths` [n] of the rows, where they are known, save a second pass.

    >>> rows = np.array([[2, 0], [0, 3], [0, 0]], np.float32)
    >>> scores(np.eye(2, dtype=np.float32), rows, np.zeros(2, np.float32)).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    if lengths is None:
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    # The centre is one more direction: the distance to it follows from the same products.
    products = vectors @ np.vstack([directions, centre]).T
    products /= np.where(lengths > 0.0, lengths, np.float32(1.0))[:, None]
    apart = 1.0 - 2.0 * products[:, -1] + np.float32(centre @ centre)
    sizes = np.sqrt(np.maximum(apart, 0.0))
    seen = (lengths > 0.0) & (sizes > _FAINT)
    moved = products[:, :-1] - directions @ centre
    out: Vectors = np.divide(moved, sizes[:, None], out=np.zeros_like(moved), where=seen[:, None])
    return out


def score(direction: Vector, vectors: Vectors, centre: Vector) -> Scores:
    """One direction's score of each row, [n]."""
    return np.ascontiguousarray(scores(direction[None], vectors, centre)[:, 0])

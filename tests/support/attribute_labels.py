"""Labels of a drawn attribute: a hidden direction, some answers wrong."""

from __future__ import annotations

import numpy as np


def problem(seed, *, columns=6, points=12, pairs=12, alike=6, noise=0.3, grades=2):
    """Points, ordered and alike pairs by a hidden direction; rows have length one."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=columns)

    def rows(n):
        found = rng.normal(size=(n, columns))
        return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)

    def strength(X):
        return X @ hidden + noise * rng.normal(size=len(X))

    X, A, B, C, D = rows(points), rows(pairs), rows(pairs), rows(alike), rows(alike)
    swap = (strength(A) < strength(B))[:, None]
    order = np.argsort(np.argsort(strength(X)))
    y = np.where(strength(X) > 0, 1, -1) if grades == 2 else order * grades // max(1, len(X))
    return {
        "points": (X, y),
        "ordered": (np.where(swap, B, A), np.where(swap, A, B)),
        "similar": (C, D),
    }

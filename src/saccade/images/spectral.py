"""The second eigenvector of a graph, by Lanczos' method in one thread.

    B = D^(−1/2) W D^(−1/2),   B z = μ z,   y = D^(−1/2) z

The largest μ is 1 with z = D^(1/2) 1, which is known and kept out; the next one's y solves
(D − W) y = λ D y for the second smallest λ = 1 − μ. In a basis of a few dozen directions, each the
image of the one before and made orthogonal to all, B is tridiagonal and its largest eigenvalue
nearly exact.

LAPACK's threads wait for each other on a busy machine, which costs ten times the work itself on
graphs of a few hundred nodes. Sums here go through `einsum`, which has no threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 48


def second_eigenvector(weights: Floats, *, steps: int = _STEPS) -> Floats:
    """The y of symmetric positive `weights` [n, n], n ≥ 2; its largest entry in size is positive.

    >>> chain = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.1], [0.0, 0.1, 1.0]])
    >>> (second_eigenvector(chain) > 0).tolist()
    [False, False, True]
    """
    from scipy.linalg import eigh_tridiagonal

    roots = np.sqrt(weights.sum(axis=1))
    basis, diagonal, beside = _lanczos(weights / np.outer(roots, roots), roots, steps)
    last = len(diagonal) - 1
    _, inner = eigh_tridiagonal(diagonal, beside[:last], select="i", select_range=(last, last))
    vector: Floats = np.einsum("k,kn->n", inner[:, 0], basis) / roots
    return vector if vector[np.argmax(np.abs(vector))] > 0 else -vector


def _lanczos(matrix: Floats, away: Floats, steps: int) -> tuple[Floats, Floats, Floats]:
    """Orthonormal basis [k, n] orthogonal to `away`, and the matrix in it: diagonal and beside."""
    size = len(matrix)
    steps = min(steps, size - 1)
    # The first row is what the others, the basis, keep away from.
    basis = np.zeros((steps + 1, size))
    basis[0] = away / np.sqrt(np.einsum("n,n", away, away))
    diagonal, beside = np.zeros(steps), np.zeros(steps)
    # Any start will do that the wanted vector is not orthogonal to: fractions without a pattern.
    vector = (np.arange(1, size + 1) * 7919 % 1009) / 1009 - 0.5
    for step in range(steps):
        before = np.sqrt(np.einsum("n,n", vector, vector))
        # Twice: once is not enough where most of the vector is taken away.
        for _ in range(2):
            along = np.einsum("kn,n->k", basis[: step + 1], vector)
            vector = vector - np.einsum("k,kn->n", along, basis[: step + 1])
        length = np.sqrt(np.einsum("n,n", vector, vector))
        if length <= 1e-12 * before and step:
            return basis[1 : step + 1], diagonal[:step], beside[:step]
        beside[step - 1] = length if step else 0.0
        basis[step + 1] = vector / length
        vector = np.einsum("mn,n->m", matrix, basis[step + 1])
        diagonal[step] = np.einsum("n,n", vector, basis[step + 1])
    return basis[1:], diagonal, beside

"""The likeliest kinds of every picture, turned around: for each kind the pictures that may show it.

out_i = Σ_k weights_k · values[code of k in picture i]
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def kind_lists(kinds, codes, size):  # type: ignore[no-untyped-def]
    """Lists of rows and codes, kind after kind, from `kinds` and `codes` [n, m].

    Kind k of `size` has `offsets[k]:offsets[k + 1]`, rows ascending; codes of 0 are left out.
    """
    offsets = np.zeros(size + 1, np.int64)
    for i in range(kinds.shape[0]):
        for j in range(kinds.shape[1]):
            if codes[i, j] > 0:
                offsets[kinds[i, j] + 1] += 1
    for k in range(size):
        offsets[k + 1] += offsets[k]
    rows = np.empty(offsets[size], np.uint32)
    held = np.empty(offsets[size], np.uint8)
    ends = offsets[:-1].copy()
    for i in range(kinds.shape[0]):
        for j in range(kinds.shape[1]):
            if codes[i, j] > 0:
                at = ends[kinds[i, j]]
                rows[at] = i
                held[at] = codes[i, j]
                ends[kinds[i, j]] = at + 1
    return offsets, rows, held


@njit(cache=True, nogil=True)
def weigh_kinds(offsets, rows, codes, kinds, weights, values, out):  # type: ignore[no-untyped-def]
    """Add what some kinds say to `out` [n]; `weights` are theirs, `values` those of codes."""
    for which in range(len(kinds)):
        for at in range(offsets[kinds[which]], offsets[kinds[which] + 1]):
            out[rows[at]] += weights[which] * values[codes[at]]


@njit(cache=True, nogil=True)
def count_kinds(offsets, rows, codes, alive, values, out):  # type: ignore[no-untyped-def]
    """Add the values of each kind's codes in living rows to `out` [kinds]."""
    for kind in range(len(out)):
        for at in range(offsets[kind], offsets[kind + 1]):
            if alive[rows[at]]:
                out[kind] += values[codes[at]]

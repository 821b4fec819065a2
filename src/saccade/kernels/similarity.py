"""Four similarities of one query to every row of a column, in one pass over the column.

    l1      1 - |q - p|_1 / (|q|_1 + |p|_1)
    l2      1 - |q - p|_2 / (|q|_2 + |p|_2)
    cosine  (1 + q·p / (|q|_2 |p|_2)) / 2
    chi2    1 - sum_b (q_b - p_b)^2 / (|q_b| + |p_b|) / (|q|_1 + |p|_1)

All lie in [0, 1] and are 1 for equal vectors; a zero vector has similarity 0 to everything. The
norms of the rows are stored with the column, so that the pass reads each float once: it runs at the
speed of memory. Fast-math is allowed here because these values are logged before anything learns
from them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SCANNING = {"contract", "reassoc", "nsz", "arcp"}


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def similarities(  # type: ignore[no-untyped-def]
    query, query_l1, query_l2, rows, norms, scale, bend, columns, first, last, out
):
    """Write the similarities of rows `first` to `last` into their columns of `out`.

    `columns[s]` is the column of similarity s (l1, l2, cosine, chi2) or -1 where it is not wanted;
    `t = scale[s, 0] + scale[s, 1] * value` is applied last, then t is bent into (0, 1) or, without
    `bend`, cut to [0, 1].
    """
    width = query.shape[0]
    tiny = np.float32(1e-30)
    one = np.float32(1.0)
    zero = np.float32(0.0)
    half = np.float32(0.5)
    value = np.empty(4, np.float32)
    for i in range(first, last):
        gap1 = np.float32(0.0)
        gap2 = np.float32(0.0)
        dot = np.float32(0.0)
        chi = np.float32(0.0)
        for j in range(width):
            x = query[j]
            y = rows[i, j]
            gap = x - y
            gap1 += abs(gap)
            gap2 += gap * gap
            dot += x * y
            chi += gap * gap / max(abs(x) + abs(y), tiny)
        l1 = norms[i, 0]
        l2 = norms[i, 1]
        if l1 > zero and query_l1 > zero:
            value[0] = one - gap1 / (query_l1 + l1)
            value[1] = one - np.sqrt(gap2) / (query_l2 + l2)
            value[2] = half * (one + dot / (query_l2 * l2))
            value[3] = one - chi / (query_l1 + l1)
        else:
            value[:] = zero
        for s in range(4):
            if columns[s] >= 0:
                t = scale[s, 0] + scale[s, 1] * value[s]
                if bend:
                    t = half + half * t / np.sqrt(one + t * t)
                out[i, columns[s]] = min(max(t, zero), one)

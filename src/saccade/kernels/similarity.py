"""Four similarities of one query to every row of a column, in one pass over the column.

    l1      1 - |q - p|_1 / (|q|_1 + |p|_1)
    l2      1 - |q - p|_2 / (|q|_2 + |p|_2)
    cosine  (1 + cos(q - |q| c, p - |p| c)) / 2                c the column's centre, mostly 0
    chi2    1 - sum_b (q_b - p_b)^2 / (|q_b| + |p_b|) / (|q|_1 + |p|_1)

All lie in [0, 1] and are 1 for equal vectors; a zero vector has similarity 0 to everything. The
norms of the rows are stored with the column, so that the pass reads each float once: it runs at the
speed of memory. Fast-math is allowed here because these values are logged before anything learns
from them.

A query comes as `query`, `sizes` = its two norms, and `aim` = its unit vector without the centre.
Then the cosine is (aim · p − lift |p|_2) / span, where lift = aim · c is the query's and the span
|p − |p| c| the row's.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SCANNING = {"contract", "reassoc", "nsz", "arcp"}


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def _values(gap1, gap2, dot, chi, sizes, lift, l1, l2, span, value):  # type: ignore[no-untyped-def]
    """The four similarities from the sums over a row."""
    zero, half, one = np.float32(0.0), np.float32(0.5), np.float32(1.0)
    if l1 > zero and sizes[0] > zero:
        value[0] = one - gap1 / (sizes[0] + l1)
        value[1] = one - np.sqrt(gap2) / (sizes[1] + l2)
        value[2] = half
        if span > zero:
            value[2] = half * (one + min(max((dot - lift * l2) / span, -one), one))
        value[3] = one - chi / (sizes[0] + l1)
    else:
        value[:] = zero


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def similarities(  # type: ignore[no-untyped-def]
    query, sizes, aim, lift, rows, norms, spans, scale, bend, columns, first, last, out
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
            dot += aim[j] * y
            chi += gap * gap / max(abs(x) + abs(y), tiny)
        _values(gap1, gap2, dot, chi, sizes, lift, norms[i, 0], norms[i, 1], spans[i], value)
        for s in range(4):
            if columns[s] >= 0:
                t = scale[s, 0] + scale[s, 1] * value[s]
                if bend:
                    t = half + half * t / np.sqrt(one + t * t)
                out[i, columns[s]] = min(max(t, zero), one)


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def weigh(  # type: ignore[no-untyped-def]
    query, sizes, aim, lift, rows, norms, spans, scale, weights, first, last, out
):
    """Add Σ_s weights[s] · φ_s of rows `first` to `last` to `out` [n], φ bent by `scale`.

    Sums that no weighed similarity needs are not taken: of the cosine alone, a product a number.
    """
    width = query.shape[0]
    tiny = np.float32(1e-30)
    one = np.float32(1.0)
    half = np.float32(0.5)
    value = np.empty(4, np.float32)
    divided = weights[3] != 0.0
    apart = weights[0] != 0.0 or weights[1] != 0.0
    for i in range(first, last):
        gap1 = np.float32(0.0)
        gap2 = np.float32(0.0)
        dot = np.float32(0.0)
        chi = np.float32(0.0)
        if divided:
            for j in range(width):
                x = query[j]
                y = rows[i, j]
                gap = x - y
                gap1 += abs(gap)
                gap2 += gap * gap
                dot += aim[j] * y
                chi += gap * gap / max(abs(x) + abs(y), tiny)
        elif apart:
            for j in range(width):
                y = rows[i, j]
                gap = query[j] - y
                gap1 += abs(gap)
                gap2 += gap * gap
                dot += aim[j] * y
        else:
            for j in range(width):
                dot += aim[j] * rows[i, j]
        _values(gap1, gap2, dot, chi, sizes, lift, norms[i, 0], norms[i, 1], spans[i], value)
        total = np.float32(0.0)
        for s in range(4):
            if weights[s] != 0.0:
                t = scale[s, 0] + scale[s, 1] * value[s]
                total += weights[s] * (half + half * t / np.sqrt(one + t * t))
        out[i] += total

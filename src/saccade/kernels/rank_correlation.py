"""Kendall's rank correlation in n log n steps (Knight 1966).

    tau_b = (C - D) / sqrt((P - T_x) (P - T_y))        in [-1, 1]

with C, D pairs ordered alike and differently, P all pairs, T pairs tied in one list. D is the
number of exchanges that sorting the second list needs once the rows are sorted by the first.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _exchanges(values):  # type: ignore[no-untyped-def]
    """Inversions of `values`, which is left sorted: a merge sort from below that counts."""
    n = values.shape[0]
    spare = np.empty_like(values)
    total = 0
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            left, right = low, middle
            for at in range(low, high):
                if left < middle and (right >= high or values[left] <= values[right]):
                    spare[at] = values[left]
                    left += 1
                else:
                    spare[at] = values[right]
                    right += 1
                    total += middle - left
        values[:] = spare
        width *= 2
    return total


@njit(cache=True, nogil=True)
def _tied(values):  # type: ignore[no-untyped-def]
    """Pairs of equal values in a sorted list."""
    total = 0
    run = 1
    for i in range(1, values.shape[0]):
        if values[i] == values[i - 1]:
            total += run
            run += 1
        else:
            run = 1
    return total


@njit(cache=True, nogil=True)
def _kendall(x, y):  # type: ignore[no-untyped-def]
    """Tau-b of two lists; 0 where one of them orders nothing."""
    n = x.shape[0]
    order = np.argsort(y, kind="mergesort")
    order = order[np.argsort(x[order], kind="mergesort")]
    first, second = x[order], y[order]
    both = 0  # pairs tied in both lists
    run = 1
    for i in range(1, n):
        if first[i] == first[i - 1] and second[i] == second[i - 1]:
            both += run
            run += 1
        else:
            run = 1
    tied_x = _tied(first)
    differently = _exchanges(second)
    tied_y = _tied(second)
    pairs = n * (n - 1) // 2
    if pairs in (tied_x, tied_y):
        return 0.0
    alike = pairs - tied_x - tied_y + both - differently
    return (alike - differently) / np.sqrt(float(pairs - tied_x) * float(pairs - tied_y))


@njit(cache=True, nogil=True)
def kendall(x, y, starts):  # type: ignore[no-untyped-def]
    """Mean over queries of tau-b; query i is rows `starts[i]:starts[i + 1]`."""
    total = 0.0
    queries = starts.shape[0] - 1
    for query in range(queries):
        begin, end = starts[query], starts[query + 1]
        total += _kendall(x[begin:end], y[begin:end])
    return total / queries

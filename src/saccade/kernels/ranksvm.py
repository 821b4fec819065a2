"""Sums over active preference pairs without forming the pairs, and kernel functions of rows.

A pair (i, j) of one query is active when rank_i > rank_j and s_i - s_j < 1. With the rows of a
query in order of score, the active partners of a row are a run of that order that only grows as the
sweep goes on; a Fenwick tree over the ranks of the query gives the sum over partners of lower rank.
So one sum for every row costs n log n for the sort and n log(levels) for the sweep, whatever the
number of pairs (Lee & Lin, "Large-scale linear RankSVM", 2014; Joachims 2006 for two levels).
"""

from __future__ import annotations

import numpy as np
from numba import njit

RBF, POLYNOMIAL = range(2)


@njit(cache=True, nogil=True)
def _add(tree, at, value):  # type: ignore[no-untyped-def]
    at += 1
    while at < tree.shape[0]:
        tree[at] += value
        at += at & -at


@njit(cache=True, nogil=True)
def _below(tree, at):  # type: ignore[no-untyped-def]
    """Sum of what was added at positions before `at`."""
    total = 0.0
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total


@njit(cache=True, nogil=True)
def sum_losers(scores, order, ranks, levels, starts, values, out):  # type: ignore[no-untyped-def]
    """out[i] = sum of values[j] over the active pairs (i, j) that i should win."""
    for query in range(starts.shape[0] - 1):
        first, end = starts[query], starts[query + 1]
        tree = np.zeros(levels[query] + 1)
        # From the highest score down: the lower s_i, the more j satisfy s_i - s_j < 1.
        pointer = end - 1
        for position in range(end - 1, first - 1, -1):
            i = order[position]
            while pointer >= first and scores[i] - scores[order[pointer]] < 1.0:
                j = order[pointer]
                _add(tree, ranks[j], values[j])
                pointer -= 1
            out[i] = _below(tree, ranks[i])


@njit(cache=True, nogil=True)
def sum_winners(scores, order, ranks, levels, starts, values, out):  # type: ignore[no-untyped-def]
    """out[j] = sum of values[i] over the active pairs (i, j) that j should lose."""
    for query in range(starts.shape[0] - 1):
        first, end = starts[query], starts[query + 1]
        top = levels[query] - 1
        tree = np.zeros(levels[query] + 1)
        # From the lowest score up, the ranks reversed: "higher rank" becomes "position before".
        pointer = first
        for position in range(first, end):
            j = order[position]
            while pointer < end and scores[order[pointer]] - scores[j] < 1.0:
                i = order[pointer]
                _add(tree, top - ranks[i], values[i])
                pointer += 1
            out[j] = _below(tree, top - ranks[j])


@njit(cache=True, nogil=True)
def _value(kind, gamma, degree, a, b):  # type: ignore[no-untyped-def]
    """K(a, b): exp(-gamma |a - b|^2) or (gamma a.b + 1)^degree."""
    total = 0.0
    if kind == RBF:
        for column in range(a.shape[0]):
            gap = np.float64(a[column]) - np.float64(b[column])
            total += gap * gap
        return np.exp(-gamma * total)
    for column in range(a.shape[0]):
        total += np.float64(a[column]) * np.float64(b[column])
    return (gamma * total + 1.0) ** degree


@njit(cache=True, nogil=True)
def gram(kind, gamma, degree, rows):  # type: ignore[no-untyped-def]
    """K of every row with every row, [n, n]."""
    n = rows.shape[0]
    out = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = _value(kind, gamma, degree, rows[i], rows[j])
            out[j, i] = out[i, j]
    return out


@njit(cache=True, nogil=True)
def kernel_scores(kind, gamma, degree, rows, support, coefficients, out):  # type: ignore[no-untyped-def]
    """out[i] = sum of coefficients[k] K(support[k], rows[i]); each row by itself."""
    for i in range(rows.shape[0]):
        total = 0.0
        for k in range(support.shape[0]):
            total += coefficients[k] * _value(kind, gamma, degree, support[k], rows[i])
        out[i] = total

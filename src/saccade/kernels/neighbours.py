"""Means over the neighbours of every row of a graph, mixed with each row's own.

out_i = s Σ_j w_ij x_j / r_i² + (1 − s) own_i     r_i² = Σ_j w_ij; without links x_i is the mean
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def surroundings(offsets, neighbours, weights, root, own, values, share, out, start, stop):  # type: ignore[no-untyped-def]
    """One step of averaging for rows `start` to `stop`; all but the links [n], a graph's `root`."""
    one = np.uint64(1)
    for i in range(start, stop):
        # Unsigned, so that no index is looked at twice for being negative: three times as fast.
        e, last = np.uint64(offsets[i]), np.uint64(offsets[i + 1])
        mean = values[i]
        if e < last:
            even, odd = np.float32(0.0), np.float32(0.0)  # two sums: neither waits for the other
            while e + one < last:
                even += weights[e] * values[np.uint32(neighbours[e])]
                odd += weights[e + one] * values[np.uint32(neighbours[e + one])]
                e += one + one
            if e < last:
                even += weights[e] * values[np.uint32(neighbours[e])]
            mean = (even + odd) / np.float32(root[i] * root[i])
        out[i] = share * mean + (np.float32(1.0) - share) * own[i]


@njit(cache=True, nogil=True)
def standard_sum(one, other, places, alive, out):  # type: ignore[no-untyped-def]
    """one_i + other[places_i], both in standard deviations of the living rows; at least 0."""
    count, sums, squares = 0, np.zeros(2), np.zeros(2)
    for i in range(len(one)):
        if alive[i]:
            count += 1
            for which, value in enumerate((np.float64(one[i]), np.float64(other[places[i]]))):
                sums[which] += value
                squares[which] += value * value
    means = sums / max(count, 1)
    deviations = np.sqrt(np.maximum(squares / max(count, 1) - means * means, 0.0))
    for i in range(len(one)):
        first = (one[i] - means[0]) / max(deviations[0], 1e-12)
        second = (other[places[i]] - means[1]) / max(deviations[1], 1e-12)
        out[i] = max(first + second, 0.0)

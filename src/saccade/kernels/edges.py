"""Edge types of a grey picture by the five 2 × 2 filters of MPEG-7's edge histogram.

For the pixels a b over c d:

    vertical        |a + c − b − d|
    horizontal      |a + b − c − d|
    45° (rising)    √2 |a − d|
    135° (falling)  √2 |b − c|
    none of these   2 |a − b − c + d|
"""

from __future__ import annotations

import numpy as np
from numba import njit

_ROOT = np.float32(2**0.5)


@njit(cache=True, nogil=True)
def edge_counts(gray, rows, columns, threshold):  # type: ignore[no-untyped-def]
    """How often each type is the strongest, and at least `threshold`, in each cell; [r, c, 6].

    The last of the six counts windows without an edge. `rows` and `columns` are first and
    last-plus-one of the windows of a cell, [k, 2]. Of equal responses the first counts.
    """
    counts = np.zeros((rows.shape[0], columns.shape[0], 6), np.int64)
    response = np.empty(5, np.float32)
    for r in range(rows.shape[0]):
        for k in range(columns.shape[0]):
            for y in range(rows[r, 0], rows[r, 1]):
                for x in range(columns[k, 0], columns[k, 1]):
                    a, b = np.int32(gray[y, x]), np.int32(gray[y, x + 1])
                    c, d = np.int32(gray[y + 1, x]), np.int32(gray[y + 1, x + 1])
                    response[0] = abs(a + c - b - d)
                    response[1] = abs(a + b - c - d)
                    response[2] = _ROOT * abs(a - d)
                    response[3] = _ROOT * abs(b - c)
                    response[4] = 2 * abs(a - b - c + d)
                    best = 0
                    for i in range(1, 5):
                        if response[i] > response[best]:
                            best = i
                    counts[r, k, best if response[best] >= threshold else 5] += 1
    return counts

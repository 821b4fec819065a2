"""Products of a few directions with many vectors as they are seen from a centre, in one pass.

    u(p) = unit(unit(p) − c)        out[i, k] = r_k · u(p_i)

Nothing is copied out of the column: a row is read once and stays at hand for all directions.
Fast-math is allowed, as for every scan: what an expert says is logged before anything learns from
it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SCANNING = {"contract", "reassoc", "nsz", "arcp"}


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def along(vectors, rows, start, directions, centre, rooted, faint, out):  # type: ignore[no-untyped-def]
    """Write what each direction says of `vectors[rows − start]` into `out` [rows, directions].

    `rooted` takes signed roots first. A zero row, and one that is the centre within `faint`, has
    no direction of its own: 0.
    """
    seen = np.empty(centre.shape[0], np.float32)
    for i in range(rows.shape[0]):
        row = vectors[rows[i] - start]
        size = np.float32(0.0)
        for j in range(row.shape[0]):
            value = row[j]
            if rooted:
                value = np.copysign(np.sqrt(abs(value)), value)
            seen[j] = value
            size += value * value
        out[i] = np.float32(0.0)
        if not size > np.float32(0.0):
            continue
        shrink = np.float32(1.0) / np.sqrt(size)
        length = np.float32(0.0)
        for j in range(row.shape[0]):
            value = seen[j] * shrink - centre[j]
            seen[j] = value
            length += value * value
        length = np.sqrt(length)
        if length > faint:
            for k in range(directions.shape[0]):
                dot = np.float32(0.0)
                for j in range(row.shape[0]):
                    dot += seen[j] * directions[k, j]
                out[i, k] = dot / length

"""Local binary patterns of a grey picture: which of 8 neighbours are at least as bright.

A neighbour between pixels, at 45° on the unit circle, is interpolated from centre c, the two
steps a and b, and the diagonal pixel d with far = sin 45° and near = 1 − far:

    near² c + near far (a + b) + far² d >= c   <=>   near (a + b − 2c) + far (d − c) >= 0

Grey levels are whole numbers and far is 0.70711, so whole numbers decide it without rounding: a
flat neighbourhood is "at least as bright" always.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_FAR = np.int32(70711)
_NEAR = np.int32(100000 - 70711)


@njit(cache=True, nogil=True)
def pattern_counts(gray):  # type: ignore[no-untyped-def]
    """How often each of the 256 patterns occurs in the inner pixels of `gray`, [256].

    Bit i is the neighbour at angle i · 45°, counted against the clock from the right.
    """
    counts = np.zeros(256, np.int64)
    height, width = gray.shape
    codes = np.empty(width, np.uint8)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            level = np.int32(gray[y, x])
            right = np.int32(gray[y, x + 1]) - level
            left = np.int32(gray[y, x - 1]) - level
            above = np.int32(gray[y - 1, x]) - level
            below = np.int32(gray[y + 1, x]) - level
            upright = _NEAR * (right + above) + _FAR * (np.int32(gray[y - 1, x + 1]) - level)
            upleft = _NEAR * (left + above) + _FAR * (np.int32(gray[y - 1, x - 1]) - level)
            downleft = _NEAR * (left + below) + _FAR * (np.int32(gray[y + 1, x - 1]) - level)
            downright = _NEAR * (right + below) + _FAR * (np.int32(gray[y + 1, x + 1]) - level)
            codes[x] = (
                (right >= 0)
                + 2 * (upright >= 0)
                + 4 * (above >= 0)
                + 8 * (upleft >= 0)
                + 16 * (left >= 0)
                + 32 * (downleft >= 0)
                + 64 * (below >= 0)
                + 128 * (downright >= 0)
            )
        for x in range(1, width - 1):
            counts[codes[x]] += 1
    return counts

"""How often a pixel's neighbours at a distance have its own colour.

The neighbours at distance k are the 8k pixels of the square ring max(|dx|, |dy|) = k.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def same_colour_pairs(codes, colours, distances):  # type: ignore[no-untyped-def]
    """Ordered pairs of equal colour, and all ordered pairs, by distance and colour; two [k, c].

    `codes` is [h, w] uint8; codes of `colours` and more stand for pixels that are left out: they
    are neighbours of another colour and have no count of their own. Distances go up to 31, so that
    the 8k matches of a pixel fit a byte.
    """
    height, width = codes.shape
    equal = np.zeros((distances.shape[0], 256), np.int64)
    pairs = np.zeros((distances.shape[0], 256), np.int64)
    matches = np.empty(width, np.uint8)
    for i in range(distances.shape[0]):
        k = distances[i]
        for y in range(height):
            matches[:] = 0
            # Row offsets of the ring, each either a full row (at ±k) or its two end pixels.
            for dy in range(-k, k + 1):
                if y + dy < 0 or y + dy >= height:
                    continue
                step = 1 if abs(dy) == k else 2 * k
                for dx in range(-k, k + 1, step):
                    first, last = max(0, -dx), min(width, width - dx)
                    if last <= first:
                        continue
                    # Slices, so that the compiler sees plain rows and compares many at a time.
                    here, there = codes[y, first:last], codes[y + dy, first + dx : last + dx]
                    counts = matches[first:last]
                    for x in range(counts.shape[0]):
                        counts[x] += here[x] == there[x]
            tall = min(y + k, height - 1) - max(y - k, 0) + 1
            tall_inside = min(y + k - 1, height - 1) - max(y - k + 1, 0) + 1
            for x in range(width):
                wide = min(x + k, width - 1) - max(x - k, 0) + 1
                wide_inside = min(x + k - 1, width - 1) - max(x - k + 1, 0) + 1
                equal[i, codes[y, x]] += matches[x]
                pairs[i, codes[y, x]] += tall * wide - tall_inside * wide_inside
    return equal[:, :colours], pairs[:, :colours]

"""Scores of the positions of many pictures, from what lies on disk.

    score[i, p] = Σ_k weight_k · level_k(i, p)        levels of 4 and 2 bits, all numbers
    Σ_k count_k · whole_k(i),  max_j Σ_k count_k · window_jk(i)            sketches

Byte b of all positions of a picture lies together, so that one step serves them all. `fine` numbers
are two to a byte, the first in the low bits; `coarse` ones four. Fast-math is allowed, as for every
scan; `whole` sums whole numbers in 16 bits and is exact there, because its weights leave room, and
so are `wholes` and `windows` in 32.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Known beforehand, loops over them are unrolled: that halves the time of a scan.
_POSITIONS, _NUMBERS = 49, 256
_BYTES_FINE, _BYTES_COARSE = 32, 48
_TOUCHED = 64

_SCANNING = {"contract", "reassoc", "nsz", "arcp"}


@njit(cache=True, nogil=True)
def wholes(held, first, last, counts, out):  # type: ignore[no-untyped-def]
    """Scores of the pictures from `first` to `last` as wholes.

    By int16 counts into int32: other types of what is counted or summed take three times as long.
    """
    for i in range(first, last):
        total = np.int32(0)
        for k in range(_NUMBERS):
            total += np.int32(held[i, k]) * np.int32(counts[k])
        out[i] = total


@njit(cache=True, nogil=True)
def windows(held, rows, counts, out):  # type: ignore[no-untyped-def]
    """What the best window of the pictures in `rows` adds, likewise.

    Rows lie far apart, and waiting for one after the other takes twice as long as all the rest: a
    byte of every other window of some pictures is asked for before the first of them is needed.
    What these come to is returned so that they are.
    """
    # Unrolled, being so short, the inner loop would take twice as long: its length is not known.
    count, width = held.shape[1:]
    touched = np.int64(0)
    for start in range(0, rows.shape[0], _TOUCHED):
        some = rows[start : start + _TOUCHED]
        for row in some:
            for j in range(0, count, 2):
                touched ^= held[row, j, 0]
        for i in range(some.shape[0]):
            own = held[some[i]]
            best = np.int32(-(2**31))
            for j in range(count):
                total = np.int32(0)
                for k in range(width):
                    total += np.int32(own[j, k]) * np.int32(counts[k])
                best = max(best, total)
            out[start + i] = best
    return touched


@njit(cache=True, nogil=True)
def whole(codes, rows, fine, coarse, best, where, total):  # type: ignore[no-untyped-def]
    """The best position's score of the pictures in `rows`, which it is, and the sum of all.

    By int16 weights: 15 times the absolute sum of the fine and 3 times that of the coarse must stay
    below 2^15. Of equal positions it is the first.
    """
    scores = np.empty(_POSITIONS, np.int16)
    for i in range(rows.shape[0]):
        code = codes[rows[i]]
        for p in range(_POSITIONS):
            scores[p] = 0
        for b in range(_BYTES_FINE):
            low, high = fine[2 * b], fine[2 * b + 1]
            for p in range(_POSITIONS):
                held = code[b, p]
                scores[p] += np.int16(held & 15) * low + np.int16(held >> 4) * high
        for b in range(_BYTES_COARSE):
            w0, w1, w2, w3 = coarse[4 * b], coarse[4 * b + 1], coarse[4 * b + 2], coarse[4 * b + 3]
            for p in range(_POSITIONS):
                held = code[_BYTES_FINE + b, p]
                scores[p] += (
                    np.int16(held & 3) * w0
                    + np.int16((held >> 2) & 3) * w1
                    + np.int16((held >> 4) & 3) * w2
                    + np.int16(held >> 6) * w3
                )
        most, all_ = scores[0], np.int32(0)
        for p in range(_POSITIONS):
            most = max(most, scores[p])
            all_ += np.int32(scores[p])
        at = 0
        while scores[at] != most:
            at += 1
        best[i], where[i], total[i] = most, at, all_


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def exact(codes, rows, fine, coarse, out):  # type: ignore[no-untyped-def]
    """Every position's score of the pictures in `rows` into `out` [r, p]."""
    for i in range(rows.shape[0]):
        code = codes[rows[i]]
        for p in range(_POSITIONS):
            out[i, p] = np.float32(0.0)
        for b in range(_BYTES_FINE):
            low, high = fine[2 * b], fine[2 * b + 1]
            for p in range(_POSITIONS):
                held = code[b, p]
                out[i, p] += np.float32(held & 15) * low + np.float32(held >> 4) * high
        for b in range(_BYTES_COARSE):
            w0, w1, w2, w3 = coarse[4 * b], coarse[4 * b + 1], coarse[4 * b + 2], coarse[4 * b + 3]
            for p in range(_POSITIONS):
                held = code[_BYTES_FINE + b, p]
                out[i, p] += (
                    np.float32(held & 3) * w0
                    + np.float32((held >> 2) & 3) * w1
                    + np.float32((held >> 4) & 3) * w2
                    + np.float32(held >> 6) * w3
                )


@njit(cache=True, nogil=True)
def shares(products, best, lengths, usual):  # type: ignore[no-untyped-def]
    """½ + (product / length + (product + best) / usual) / 4, cut to 0..1; 0 where length is 0."""
    out = np.zeros(products.shape[0], np.float32)
    for i in range(products.shape[0]):
        if lengths[i] > 0.0:
            both = products[i] / lengths[i] + (products[i] + best[i]) / usual
            out[i] = min(max(np.float32(0.5) + np.float32(0.25) * both, 0.0), 1.0)
    return out


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def products(vectors, rows, direction, out):  # type: ignore[no-untyped-def]
    """V · direction of the vectors in `rows`, into `out` [r]."""
    for i in range(rows.shape[0]):
        vector = vectors[rows[i]]
        along = np.float32(0.0)
        for k in range(vector.shape[0]):
            along += vector[k] * direction[k]
        out[i] = along


@njit(cache=True, nogil=True)
def grown(allowed, down, across, own, waiting):  # type: ignore[no-untyped-def]
    """Mark in `own` the cells that hang together with one, edge by edge, among those allowed.

    `waiting` [cells] is room for those whose neighbours are yet to be looked at.
    """
    height, width = allowed.shape
    own[:] = False
    own[down, across] = True
    waiting[0] = down * width + across
    count = 1
    while count > 0:
        count -= 1
        y, x = waiting[count] // width, waiting[count] % width
        for side in range(4):
            # Up, left, right, down.
            v, u = y + (side == 3) - (side == 0), x + (side == 2) - (side == 1)
            inside = 0 <= v < height and 0 <= u < width
            if inside and allowed[v, u] and not own[v, u]:
                own[v, u] = True
                waiting[count] = v * width + u
                count += 1


@njit(cache=True, nogil=True)
def brightest(scores, share, boxes):  # type: ignore[no-untyped-def]
    """The box of cells around what hangs together with the best of each of `scores` [r, h, w].

    What is allowed is above `share` of the way from the least to the best. Into `boxes` [r, 4]:
    top, left, bottom, right, the last two excluded; nothing but 0 where all scores are equal.
    """
    height, width = scores.shape[1:]
    own, allowed = np.empty((height, width), np.bool_), np.empty((height, width), np.bool_)
    waiting = np.empty(height * width, np.int64)
    for i in range(scores.shape[0]):
        low, high, down, across = scores[i, 0, 0], scores[i, 0, 0], 0, 0
        for y in range(height):
            for x in range(width):
                low = min(low, scores[i, y, x])
                if scores[i, y, x] > high:
                    high, down, across = scores[i, y, x], y, x
        boxes[i] = 0
        if not high > low:
            continue
        edge = low + share * (high - low)
        for y in range(height):
            for x in range(width):
                allowed[y, x] = scores[i, y, x] >= edge
        grown(allowed, down, across, own, waiting)
        top, left, bottom, right = height, width, 0, 0
        for y in range(height):
            for x in range(width):
                if own[y, x]:
                    top, left = min(top, y), min(left, x)
                    bottom, right = max(bottom, y + 1), max(right, x + 1)
        boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3] = top, left, bottom, right

"""How well regions match a few that are asked for, read as they lie on disk, in one pass.

    u(x) = unit(x), or x where rows are taken as they are
    out[picture, k] = max over its regions of max(0, w_k · (u(x) − c) / |u(x) − c|)

`w_k` are unit vectors seen from the centre c. Rows are float32, or float16 given as their bits:

    value = float32(bits of sign | (half & 0x7fff) << 13) · 2^112        exact for every half

A row is widened into a buffer that stays in the cache, so nothing is copied out of the column.
Fast-math is allowed, as for every scan.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SCANNING = {"contract", "reassoc", "nsz", "arcp"}
_WIDER = np.float32(2.0**112)
_SIGN, _REST, _SHIFT, _UP = np.uint32(0x8000), np.uint32(0x7FFF), np.uint32(13), np.uint32(16)


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def _read(row, half, bits, seen):  # type: ignore[no-untyped-def]
    """Fill `seen`, which lies over `bits`, with the values of a row."""
    if half:
        for j in range(row.shape[0]):
            value = np.uint32(row[j])
            bits[j] = ((value & _SIGN) << _UP) | ((value & _REST) << _SHIFT)
        for j in range(row.shape[0]):
            seen[j] *= _WIDER
    else:
        for j in range(row.shape[0]):
            seen[j] = np.float32(row[j])


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def total(values, half, unit, first, last, out):  # type: ignore[no-untyped-def]
    """Add the rows from `first` to `last`, as u has them, to `out` [d] float64."""
    width = values.shape[1]
    bits = np.empty(width, np.uint32)
    seen = bits.view(np.float32)
    for i in range(first, last):
        _read(values[i], half, bits, seen)
        scale = np.float32(1.0)
        if unit:
            size = np.float32(0.0)
            for j in range(width):
                size += seen[j] * seen[j]
            scale = np.float32(1.0) / np.sqrt(size) if size > np.float32(0.0) else np.float32(0.0)
        for j in range(width):
            out[j] += np.float64(seen[j] * scale)


@njit(cache=True, nogil=True, fastmath=_SCANNING)
def best(values, half, unit, offsets, images, first, last, centre, wanted, out):  # type: ignore[no-untyped-def]
    """Write the best match of the pictures from `first` to `last` into `out` [rows, k].

    Picture p has the rows from `offsets[p]` to `offsets[p + 1]`; `images` says of each row whose it
    is. Pictures beyond the end of `out` came later and are left.
    """
    width, count = values.shape[1], wanted.shape[0]
    bits = np.empty(width, np.uint32)
    seen = bits.view(np.float32)
    middle = np.float32(0.0)
    for j in range(width):
        middle += centre[j] * centre[j]
    below = np.zeros(count, np.float32)
    for k in range(count):
        for j in range(width):
            below[k] += wanted[k, j] * centre[j]
    for picture in range(first, last):
        row = images[offsets[picture]]
        if row >= out.shape[0]:
            continue
        for i in range(offsets[picture], offsets[picture + 1]):
            _read(values[i], half, bits, seen)
            size, along = np.float32(0.0), np.float32(0.0)
            for j in range(width):
                size += seen[j] * seen[j]
                along += seen[j] * centre[j]
            scale = np.float32(1.0)
            if unit:
                if not size > np.float32(0.0):
                    continue
                scale = np.float32(1.0) / np.sqrt(size)
            apart = size * scale * scale - np.float32(2.0) * along * scale + middle
            if not apart > np.float32(1e-12):
                continue
            near = np.float32(1.0) / np.sqrt(apart)
            for k in range(count):
                product = np.float32(0.0)
                for j in range(width):
                    product += wanted[k, j] * seen[j]
                value = (product * scale - below[k]) * near
                out[row, k] = max(out[row, k], value)

"""Superpixels: each pixel goes to the nearest of a grid of means; then each patch is one piece.

    d²(pixel, mean) = |look − look of the mean|² + |place − place of the mean|²

with looks (colour, roughness) and places scaled by the caller. A pixel is compared with the means
that began in its own cell of the grid and in the eight around it, as SLIC does (Achanta et al.
2012); ties go to the first. A patch in several pieces is as many patches; pieces that are too small
join the neighbour they share most of their border with.

Sums are taken in the order of the pixels: the same picture gives the same patches everywhere.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_DEPTH = 6  # lightness, two of colour, roughness; row and column


@njit(cache=True, nogil=True)
def nearest_means(
    features: NDArray[np.float32], rows: int, columns: int, rounds: int
) -> NDArray[np.int32]:
    """The number of the mean that each pixel of `features` [h, w, 6] belongs to, [h, w]."""
    height, width = features.shape[:2]
    labels = np.empty((height, width), np.int32)
    for y in range(height):
        for x in range(width):
            labels[y, x] = y * rows // height * columns + x * columns // width
    means = np.zeros((rows * columns, _DEPTH), np.float32)
    for _ in range(rounds):
        _take_means(features, labels, means)
        for y in range(height):
            row = y * rows // height
            for x in range(width):
                column = x * columns // width
                least = np.float32(np.inf)
                for r in range(max(row - 1, 0), min(row + 2, rows)):
                    for c in range(max(column - 1, 0), min(column + 2, columns)):
                        distance = np.float32(0.0)
                        for i in range(_DEPTH):
                            gap = features[y, x, i] - means[r * columns + c, i]
                            distance += gap * gap
                        if distance < least:
                            least = distance
                            labels[y, x] = r * columns + c
    return labels


@njit(cache=True, nogil=True)
def _take_means(
    features: NDArray[np.float32], labels: NDArray[np.int32], means: NDArray[np.float32]
) -> None:
    """Move each mean to the middle of its pixels; one without any stays where it is."""
    sums = np.zeros(means.shape, np.float64)
    counts = np.zeros(means.shape[0], np.int64)
    for y in range(labels.shape[0]):
        for x in range(labels.shape[1]):
            counts[labels[y, x]] += 1
            for i in range(_DEPTH):
                sums[labels[y, x], i] += features[y, x, i]
    for k in range(means.shape[0]):
        if counts[k] > 0:
            for i in range(_DEPTH):
                means[k, i] = sums[k, i] / counts[k]


@njit(cache=True, nogil=True)
def in_one_piece(labels: NDArray[np.int32], least: int) -> NDArray[np.int32]:
    """Connected patches of at least `least` pixels, numbered from 0 as they are met, [h, w].

    Pieces touch by their sides. A picture smaller than `least` is one patch.
    """
    height, width = labels.shape
    pieces, pixels, starts = _pieces(labels)
    count = starts.shape[0] - 1
    # A piece that joined another is part of that one; `following` leads through all parts of one.
    owner, following, last = np.arange(count), np.full(count, -1), np.arange(count)
    sizes = starts[1:] - starts[:-1]
    shared, asked = np.zeros(count, np.int64), np.full(count, -1)
    for piece in np.argsort(sizes, kind="mergesort"):
        if owner[piece] != piece or sizes[piece] >= least:
            continue
        best = -1
        part = piece
        while part >= 0:
            for place in pixels[starts[part] : starts[part + 1]]:
                y, x = place // width, place % width
                for side in range(4):
                    v, u = y + (side == 0) - (side == 1), x + (side == 2) - (side == 3)
                    if 0 <= v < height and 0 <= u < width and owner[pieces[v, u]] != piece:
                        other = owner[pieces[v, u]]
                        if asked[other] != piece:
                            asked[other], shared[other] = piece, 0
                        shared[other] += 1
                        if best < 0 or shared[other] > shared[best]:
                            best = other
            part = following[part]
        if best < 0:
            continue
        part = piece
        while part >= 0:
            owner[part] = best
            part = following[part]
        following[last[best]] = piece
        last[best] = last[piece]
        sizes[best] += sizes[piece]
    renumbered = np.empty((height, width), np.int32)
    numbers = np.full(count, -1)
    used = 0
    for y in range(height):
        for x in range(width):
            whole = owner[pieces[y, x]]
            if numbers[whole] < 0:
                numbers[whole] = used
                used += 1
            renumbered[y, x] = numbers[whole]
    return renumbered


@njit(cache=True, nogil=True)
def _pieces(
    labels: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Connected areas of one label: their numbers [h, w], their pixels, and where each begins."""
    height, width = labels.shape
    pieces = np.full((height, width), -1, np.int64)
    pixels = np.empty(height * width, np.int64)
    starts = np.empty(height * width + 1, np.int64)
    count = end = 0
    for first in range(height * width):
        if pieces[first // width, first % width] >= 0:
            continue
        starts[count] = at = end
        pieces[first // width, first % width] = count
        pixels[end] = first
        end += 1
        while at < end:
            y, x = pixels[at] // width, pixels[at] % width
            at += 1
            for side in range(4):
                v, u = y + (side == 0) - (side == 1), x + (side == 2) - (side == 3)
                inside = 0 <= v < height and 0 <= u < width
                if inside and pieces[v, u] < 0 and labels[v, u] == labels[y, x]:
                    pieces[v, u] = count
                    pixels[end] = v * width + u
                    end += 1
        count += 1
    starts[count] = end
    return pieces, pixels, starts[: count + 1]

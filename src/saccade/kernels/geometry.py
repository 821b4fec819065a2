"""Loops of the geometric check: match features by word, try a transform a match, count who agrees.

A frame is x, y, scale, angle (degrees). One match of two frames fixes a similarity

    T(x) = s R(a) x + t      s = scale' / scale, a = angle' - angle, t = x' - s R(a) x

so every match is tried once and nothing is left to chance. The transform that most matches agree
with is then fitted again to those, as a full affine map where there are enough of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def match_words(
    words: NDArray[np.int32],
    descriptors: NDArray[np.uint8],
    other_words: NDArray[np.int32],
    other_descriptors: NDArray[np.uint8],
    order: NDArray[np.int64],
    limit: float,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> int:
    """Pair each feature with the nearest feature of the other image that has the same word.

    `order` sorts `other_words`. Pairs whose squared distance is above `limit` are left out. Fills
    `left` and `right` and returns how many pairs there are.
    """
    count = 0
    n = order.shape[0]
    for i in range(words.shape[0]):
        low, high = 0, n
        while low < high:
            middle = (low + high) // 2
            if other_words[order[middle]] < words[i]:
                low = middle + 1
            else:
                high = middle
        best, least = -1, np.float32(limit)
        while low < n and other_words[order[low]] == words[i]:
            j = order[low]
            total = np.float32(0.0)
            for d in range(descriptors.shape[1]):
                gap = np.float32(descriptors[i, d]) - np.float32(other_descriptors[j, d])
                total += gap * gap
            if total <= least and (total < least or best < 0):
                best, least = j, total
            low += 1
        if best >= 0:
            left[count], right[count] = i, best
            count += 1
    return count


@njit(cache=True, nogil=True)
def agree(
    frames: NDArray[np.float32],
    others: NDArray[np.float32],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    tolerance: float,
    affine: bool,
    inside: NDArray[np.bool_],
) -> int:
    """The number of matches that one transform explains, one per feature; `inside` [m] marks them.

    Matches are `frames[left[i]]` in the one image and `others[right[i]]` in the other.
    """
    m = left.shape[0]
    transform, best = np.zeros(6), np.zeros(6)
    trial = np.zeros(m, np.bool_)
    most = 0
    inside[:] = False
    for i in range(m):
        _similarity(frames[left[i]], others[right[i]], transform)
        # A single match knows its transform roughly: allow it twice the error.
        count = _support(frames, others, left, right, transform, 2 * tolerance, trial)
        if count > most:
            most, best[:], inside[:] = count, transform, trial
    for _ in range(3):
        if most < 3 or not _fit(frames, others, left, right, inside, affine, transform):
            break
        count = _support(frames, others, left, right, transform, tolerance, trial)
        if count < 3:
            break
        best[:], inside[:] = transform, trial
    _support(frames, others, left, right, best, tolerance, inside)
    return _distinct(frames, others, left, right, inside)


@njit(cache=True, nogil=True)
def _similarity(
    frame: NDArray[np.float32], other: NDArray[np.float32], transform: NDArray[np.float64]
) -> None:
    ratio = other[2] / frame[2]
    angle = np.deg2rad(float(other[3]) - float(frame[3]))
    a, b = ratio * np.cos(angle), ratio * np.sin(angle)
    transform[0], transform[1], transform[2] = a, -b, other[0] - a * frame[0] + b * frame[1]
    transform[3], transform[4], transform[5] = b, a, other[1] - b * frame[0] - a * frame[1]


@njit(cache=True, nogil=True)
def _support(
    frames: NDArray[np.float32],
    others: NDArray[np.float32],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    transform: NDArray[np.float64],
    tolerance: float,
    inside: NDArray[np.bool_],
) -> int:
    """How many matches lie within `tolerance` of where the transform puts them, at its scale."""
    area = transform[0] * transform[4] - transform[1] * transform[3]
    count = 0
    for i in range(left.shape[0]):
        x, y = frames[left[i], 0], frames[left[i], 1]
        gap_x = transform[0] * x + transform[1] * y + transform[2] - others[right[i], 0]
        gap_y = transform[3] * x + transform[4] * y + transform[5] - others[right[i], 1]
        # Sizes must agree too, within a factor of two: a square of it, as an area.
        ratio = others[right[i], 2] / frames[left[i], 2]
        growth = ratio * ratio
        inside[i] = (
            gap_x * gap_x + gap_y * gap_y <= tolerance * tolerance
            and growth <= 4.0 * area
            and area <= 4.0 * growth
        )
        count += inside[i]
    return count


@njit(cache=True, nogil=True)
def _fit(
    frames: NDArray[np.float32],
    others: NDArray[np.float32],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    inside: NDArray[np.bool_],
    affine: bool,
    transform: NDArray[np.float64],
) -> bool:
    """Least squares over the marked matches; False where they do not fix a transform."""
    n, mean_x, mean_y, mean_u, mean_v = 0, 0.0, 0.0, 0.0, 0.0
    for i in range(left.shape[0]):
        if inside[i]:
            n += 1
            mean_x += frames[left[i], 0]
            mean_y += frames[left[i], 1]
            mean_u += others[right[i], 0]
            mean_v += others[right[i], 1]
    mean_x, mean_y, mean_u, mean_v = mean_x / n, mean_y / n, mean_u / n, mean_v / n
    xx, xy, yy, xu, yu, xv, yv = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(left.shape[0]):
        if inside[i]:
            x, y = frames[left[i], 0] - mean_x, frames[left[i], 1] - mean_y
            u, v = others[right[i], 0] - mean_u, others[right[i], 1] - mean_v
            xx, xy, yy = xx + x * x, xy + x * y, yy + y * y
            xu, yu, xv, yv = xu + x * u, yu + y * u, xv + x * v, yv + y * v
    area = xx * yy - xy * xy
    # Six matches or more, and not near a line: enough for the six numbers of an affine map.
    if affine and n >= 6 and area > 1e-3 * (xx + yy) ** 2:
        transform[0], transform[1] = (xu * yy - yu * xy) / area, (yu * xx - xu * xy) / area
        transform[3], transform[4] = (xv * yy - yv * xy) / area, (yv * xx - xv * xy) / area
    elif xx + yy > 0.0:
        a, b = (xu + yv) / (xx + yy), (xv - yu) / (xx + yy)
        transform[0], transform[1], transform[3], transform[4] = a, -b, b, a
    else:
        return False
    transform[2] = mean_u - transform[0] * mean_x - transform[1] * mean_y
    transform[5] = mean_v - transform[3] * mean_x - transform[4] * mean_y
    return True


@njit(cache=True, nogil=True)
def _distinct(
    frames: NDArray[np.float32],
    others: NDArray[np.float32],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    inside: NDArray[np.bool_],
) -> int:
    """Places that the marked matches join: several matches of one place count once."""
    count = 0
    for i in range(left.shape[0]):
        if not inside[i]:
            continue
        alone = True
        for j in range(i):
            if inside[j] and (
                _same_place(frames[left[i]], frames[left[j]])
                or _same_place(others[right[i]], others[right[j]])
            ):
                alone = False
                break
        count += alone
    return count


@njit(cache=True, nogil=True)
def _same_place(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    return abs(one[0] - other[0]) < 1.0 and abs(one[1] - other[1]) < 1.0

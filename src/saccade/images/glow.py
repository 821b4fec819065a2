"""A glow over a picture: a coarse map of scores brought to the picture's size, along its edges.

    q_i = a_k · I_i + b_k,   (a_k, b_k) = ridge regression of the map on the colours in window k

averaged over the windows around i: the guided filter (He, Sun & Tang 2013) with the picture itself
as guide, so that light that spills over an object's border is drawn back to it. A position of the
map is the same share of the picture whatever its shape: the encoder squeezes the picture, and the
map is stretched back.

    values = (q − min) / (max − min)        0..1; all 0 where the map is even
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.types import Pixels

Floats = NDArray[np.float32]

DIM = 0.25
"""How bright what counts least is: still to be seen."""
WORKING = 256
"""Longest side at which edges are followed; the result is brought to the picture's size."""
_WINDOW = 1 / 8  # of the longest side, to each side of a pixel
_RIDGE = 1e-3
_EVEN = 1e-6  # a map that varies less, against its largest value, has nothing to show


def glow(scores: Floats, guide: Pixels) -> Floats:
    """Scores of a grid [rows, columns] over a picture as a soft map of its size, in 0..1."""
    height, width = guide.shape[:2]
    spread = float(scores.max() - scores.min())
    if not spread > _EVEN * float(np.abs(scores).max()):
        return np.zeros((height, width), np.float32)
    scale = min(1.0, WORKING / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    colours = cv2.resize(guide, size, interpolation=cv2.INTER_AREA)
    even = ((scores - scores.mean()) / spread).astype(np.float32)
    stretched = cv2.resize(even, size, interpolation=cv2.INTER_CUBIC)
    followed = _guided(stretched, colours.astype(np.float32) / np.float32(255))
    large = cv2.resize(followed, (width, height), interpolation=cv2.INTER_LINEAR)
    low, high = float(large.min()), float(large.max())
    values: Floats = (large - low) / max(high - low, 1e-9)
    return values


def lit(rgb: Pixels, values: Floats) -> Pixels:
    """A picture as bright as each place of it counts; `values` [h, w] of its size."""
    bright = DIM + (1.0 - DIM) * values[:, :, None]
    shown: Pixels = np.rint(rgb * bright).astype(np.uint8)
    return shown


def veil(values: Floats) -> Pixels:
    """Black to lay over a picture, the less to be seen through the less counts, RGBA."""
    out = np.zeros((*values.shape, 4), np.uint8)
    out[:, :, 3] = np.rint(255 * (1.0 - DIM) * (1.0 - values))
    return out


def _guided(values: Floats, colours: Floats) -> Floats:
    """The guided filter of values [h, w] by colours [h, w, 3]."""
    reach = max(1, round(max(values.shape) * _WINDOW))
    window = (2 * reach + 1, 2 * reach + 1)

    def mean(plane: Floats) -> Floats:
        blurred: Floats = cv2.blur(plane, window, borderType=cv2.BORDER_REFLECT)
        return blurred

    red, green, blue = (np.ascontiguousarray(colours[:, :, c]) for c in range(3))
    planes = (red, green, blue)
    means = [mean(plane) for plane in planes]
    middle = mean(values)
    ties = [mean(plane * values) - m * middle for plane, m in zip(planes, means, strict=True)]
    spreads = {
        (i, j): mean(planes[i] * planes[j])
        - means[i] * means[j]
        + np.float32(_RIDGE if i == j else 0.0)
        for i in range(3)
        for j in range(i, 3)
    }
    slopes = _solved(spreads, ties)
    offset = middle - sum(a * m for a, m in zip(slopes, means, strict=True))
    out = mean(np.asarray(offset, np.float32))
    for slope, plane in zip(slopes, planes, strict=True):
        out = out + mean(slope) * plane
    return out


def _solved(matrix: dict[tuple[int, int], Floats], right: list[Floats]) -> list[Floats]:
    """X of A x = y for a symmetric A of 3 × 3 planes, by cofactors."""
    a, b, c = matrix[0, 0], matrix[0, 1], matrix[0, 2]
    d, e, f = matrix[1, 1], matrix[1, 2], matrix[2, 2]
    first, second, third = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * first + b * second + c * third
    rows = (
        (first, second, third),
        (second, a * f - c * c, b * c - a * e),
        (third, b * c - a * e, a * d - b * b),
    )
    return [
        np.asarray(sum(m * y for m, y in zip(row, right, strict=True)) / determinant, np.float32)
        for row in rows
    ]

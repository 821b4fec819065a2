"""Local binary patterns: how often the eight neighbours of a pixel are lit in which way.

    code = sum_i 2^i · [neighbour_i >= centre],   neighbour_i at radius 1 and angle i · 45°
    v_b = (sqrt(share of pixels in bin b) − centre_n) / scale_n

A pattern is uniform when its bits change at most twice around the circle. The 58 uniform patterns
of the 256 have a bin each, the others share the last. Bins go by the number n of lit neighbours,
then by the angle of the first: 0 | 1 to 7 at 8 angles each | 8 | rest = 59 signed values, mostly
within ±3. The root keeps the few frequent patterns from drowning the rest; centre and scale, one
pair for each n, are typical of photographs. Adding a constant to all grey levels changes nothing;
mirroring moves shares among the patterns with the same n.

The patterns are those of scikit-image's `local_binary_pattern(gray, 8, 1, "nri_uniform")`.
Source: Ojala, Pietikäinen & Mäenpää, Multiresolution gray-scale and rotation invariant texture
classification with local binary patterns, 2002.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors.blocks import stack
from saccade.kernels.lbp import pattern_counts
from saccade.types import Vectors

_SIDE = 256
_REST = 58
# For 0 to 8 lit neighbours, then the rest.
_CENTRE = np.array([0.23, 0.08, 0.07, 0.10, 0.13, 0.13, 0.09, 0.10, 0.39, 0.35])
_SCALE = np.array([0.05, 0.046, 0.015, 0.026, 0.043, 0.055, 0.013, 0.028, 0.10, 0.05])


def _bins() -> NDArray[np.int64]:
    """Bin of each of the 256 patterns."""
    bins = np.full(256, _REST, np.int64)
    bins[0], bins[255] = 0, _REST - 1
    for lit in range(1, 8):
        for first in range(8):
            pattern = sum(1 << (first + i) % 8 for i in range(lit))
            bins[pattern] = 1 + 8 * (lit - 1) + first
    return bins


BINS = _bins()
"""Bin of each of the 256 patterns, [256]."""
_GROUP = np.array([0, *np.repeat(np.arange(1, 8), 8), 8, 9])


class LocalBinaryPatterns:
    """58 uniform patterns and the rest."""

    name = "lbp"
    version = "1"
    dimension = _REST + 1
    kind = "texture"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Scaled root shares of the patterns, [n, 59]."""
        return stack(_describe, pictures, self.dimension)


def _describe(picture: Picture) -> NDArray[np.float64]:
    gray = picture.fit(_SIDE).gray
    if min(gray.shape) < 3:
        # Without inner pixels: repeat the outer ones, so that every pixel is an inner one.
        gray = np.pad(gray, 1, mode="edge")
    counts = np.bincount(BINS, weights=pattern_counts(gray), minlength=_REST + 1)
    roots: NDArray[np.float64] = np.sqrt(counts / counts.sum())
    scaled: NDArray[np.float64] = (roots - _CENTRE[_GROUP]) / _SCALE[_GROUP]
    return scaled

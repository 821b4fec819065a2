"""Colour histogram: how much of the picture has which colour.

    v_b = sqrt( 1/N · sum_pixels share_b(pixel) ),   b in 4 hues × 4 saturations × 4 values

A pixel is shared linearly among its eight nearest bins, so that a slight change of light moves a
little mass and never all of it. The root (Hellinger) keeps one large flat area from drowning the
rest. 64 values in [0, 1], 2-norm 1. The same for a mirrored or turned picture.

Source: Swain & Ballard, Color indexing, 1991; the root after Arandjelović & Zisserman, 2012.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors.blocks import stack
from saccade.kernels import colour
from saccade.types import Vectors

_SIDE = 256
_BINS = 4


class ColorHistogram:
    """64 soft bins of hue, saturation and value."""

    name = "color-histogram"
    version = "1"
    dimension = _BINS**3
    kind = "colour"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Root histograms, [n, 64], each of 2-norm 1."""
        return stack(_describe, pictures, self.dimension)


def _describe(picture: Picture) -> NDArray[np.float64]:
    mass = colour.soft_histogram(picture.fit(_SIDE).hsv, _BINS).ravel()
    shares: NDArray[np.float64] = np.sqrt(mass / mass.sum())
    return shares

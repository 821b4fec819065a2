"""Colour auto-correlogram: how much of each colour there is, and how it hangs together.

    h_c = share of pixels of colour c
    α_c(k) = P[ neighbour at distance k has colour c | pixel has colour c ]
    v = sqrt( h_c · α_c(k) )

for 36 colours (7 hues × pale or saturated × dark or bright, and 8 greys; HSV) and the distances
1, 3, 5, 7 in the L∞ metric at 128 pixels: 144 values in [0, 1]. h·α is the chance that a random
pair at distance k is of colour c twice. The root, as for histograms, keeps one large area from
drowning the rest. Colours with one coherent area stand above the same colours strewn about. The
same for a mirrored or turned picture.

Source: Huang, Kumar, Mitra, Zhu & Zabih, Image indexing using color correlograms, 1997 (α; where
a ring leaves the picture, α counts the pixels inside only).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors.blocks import stack
from saccade.kernels import colour
from saccade.kernels.correlogram import same_colour_pairs
from saccade.types import Vectors

_SIDE = 128
COLOURS = 36
DISTANCES = np.array([1, 3, 5, 7])
# Upper bounds of orange, yellow, green, cyan, blue, violet and red, which goes on past 360°.
_HUES = np.array([22, 45, 70, 155, 186, 278, 330], np.float32)
# Below these saturation and value a colour is grey; above those it is saturated, and bright.
_LIMITS = np.array([0.1, 0.2, 0.5, 0.6], np.float32)


class ColorCorrelogram:
    """36 colours at four distances."""

    name = "color-correlogram"
    version = "1"
    dimension = COLOURS * len(DISTANCES)
    kind = "colour"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Root shares of equal pairs, [n, 144], distance by distance."""
        return stack(_describe, pictures, self.dimension)


def codes(picture: Picture) -> NDArray[np.uint8]:
    """Colour number 0..35 of each pixel at working size, [h, w]."""
    hsv = picture.fit(256).fit(_SIDE).hsv
    names: NDArray[np.uint8] = colour.named_colours(hsv, _HUES, *_LIMITS)
    return names


def correlogram(named: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The descriptor of colour numbers [h, w]; numbers of 36 and more are left out."""
    equal, pairs = same_colour_pairs(named, COLOURS, DISTANCES)
    counts = np.bincount(named.ravel(), minlength=COLOURS)[:COLOURS]
    shares = counts / max(1, counts.sum())
    roots: NDArray[np.float64] = np.sqrt(shares * equal / np.maximum(pairs, 1))
    return roots


def _describe(picture: Picture) -> NDArray[np.float64]:
    return correlogram(codes(picture)).ravel()

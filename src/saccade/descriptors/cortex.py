"""Cortex: what simple and complex cells of the visual cortex would answer, place by place.

    C1(band, θ)  = max over the band's two scales and over 1/16 × 1/16 of the picture of |Gabor|
    CS(x, c, δ)  = | x at level c − x at level c + δ |,   c in {0, 1, 2}, δ in {3, 4}

of the picture at 128 × 128: C1 of grey for 4 bands × 4 orientations, CS in Gaussian pyramids of
three channels (Itti's, with colours fading in the dark)

    I = (r + g + b) / 3,   RG = 100 (r − g) / max(I, 25),   BY = 100 (b − min(r, g)) / max(I, 25)

Each of the 16 + 18 maps is averaged over 4 × 4 cells; 10 global values close the vector:

    16 C1 maps × 16 cells      256
    18 CS maps × 16 cells      288
    mean of I, RG, BY            3
    deviation of I, RG, BY       3
    strongest band of each θ     4    in all 554

Strengths enter as u = log(1 + s) − centre; half of C1's and 0.3 of each channel's overall
strength are taken out, because the values of a family share it, and CS weighs 0.7. Signed values,
mostly within ±2. Mirroring mirrors the cells and swaps the two slanted orientations.

Sources: Serre, Wolf & Poggio, Object recognition with features inspired by visual cortex, 2005
(C1); Siagian & Itti, Rapid biologically-inspired scene classification, 2007 (34 maps over 16
cells). Li et al. 2012 use 554 values after Song & Tao, Biologically inspired feature manifold for
scene classification, 2010; how the 554 are made up here is our own choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors.blocks import stack
from saccade.descriptors.filters import SIDE, FilterBank, cell_means, frequencies, pad
from saccade.types import Pixels, Vectors

Plane = NDArray[np.float32]

BANDS = 4
ORIENTATIONS = 4
CELLS = 4
CENTRES, STEPS = (0, 1, 2), (3, 4)
_POOLED = 16
_DARK = 25.0
_SHARED_C1, _SHARED_CS = 0.5, 0.3
_CS_WEIGHT = 0.7
# Typical log(1 + s): C1 by band (fine to coarse) and orientation; CS by channel and (c, δ).
_C1_CENTRE = np.array(
    [
        [1.9, 1.77, 1.96, 1.78],
        [1.88, 1.77, 2.0, 1.78],
        [1.78, 1.7, 1.99, 1.71],
        [1.75, 1.69, 2.09, 1.7],
    ]
)
_CS_CENTRE = np.array(
    [
        [2.87, 3.13, 2.96, 3.25, 3.12, 3.4],
        [2.1, 2.33, 2.22, 2.46, 2.35, 2.59],
        [2.19, 2.43, 2.32, 2.59, 2.48, 2.76],
    ]
)
_MEAN_CENTRE, _MEAN_SCALE = np.array([109.0, 1.0, 6.0]), np.array([34.0, 27.0, 28.0])
_REST_CENTRE = np.array([3.94, 3.16, 3.29, 2.14, 1.98, 2.3, 1.99])


class Cortex:
    """C1 maps, centre–surround maps and global values."""

    name = "cortex"
    version = "1"
    dimension = (BANDS * ORIENTATIONS + 3 * len(CENTRES) * len(STEPS)) * CELLS**2 + 10
    kind = "shape"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Scaled strengths, [n, 554]: C1, CS, then the global values."""
        return stack(_describe, pictures, self.dimension)


def spectra() -> NDArray[np.float64]:
    """S1 filters, two scales a band, half an octave apart, [32, 160, 160]."""
    radius, angle = frequencies()
    octaves = np.log2(np.maximum(radius, 1e-9) / 0.35)
    filters = []
    for scale in range(2 * BANDS):
        along = ((octaves + scale / 2) / 0.68) ** 2
        for j in range(ORIENTATIONS):
            turn = (angle + np.pi * j / ORIENTATIONS + np.pi) % (2 * np.pi) - np.pi
            filters.append(np.exp(-0.5 * (along + (turn / (np.pi / 8)) ** 2)))
    return np.array(filters)


@lru_cache(maxsize=1)
def bank() -> FilterBank:
    """The S1 filters, built on first use."""
    return FilterBank(spectra())


def complex_cells(gray: NDArray[np.uint8]) -> Plane:
    """C1 maps, [bands, orientations, 16, 16]."""
    simple = bank().answers(pad(gray.astype(np.float32)))
    pooled = np.stack([_local_maxima(answer) for answer in simple])
    cells: Plane = pooled.reshape(BANDS, 2, ORIENTATIONS, _POOLED, _POOLED).max(axis=1)
    return cells


def opponents(rgb: Pixels) -> tuple[Plane, Plane, Plane]:
    """Intensity, red against green, blue against yellow, each [h, w]."""
    red, green, blue = cv2.split(rgb.astype(np.float32))
    intensity = (red + green + blue) / 3
    # Colour means little in the dark: below a tenth of full light its strength falls off.
    share = 100 / np.maximum(intensity, _DARK)
    return intensity, (red - green) * share, (blue - np.minimum(red, green)) * share


def surround_differences(plane: Plane) -> list[Plane]:
    """CS maps of one channel at 128 × 128, c by c, each at the size of its level c."""
    levels = [plane]
    for _ in range(CENTRES[-1] + STEPS[-1]):
        levels.append(cv2.pyrDown(levels[-1]))
    maps = []
    for centre in CENTRES:
        side = levels[centre].shape[0]
        for step in STEPS:
            around = cv2.resize(levels[centre + step], (side, side))
            maps.append(cv2.absdiff(levels[centre], around))
    return maps


def _describe(picture: Picture) -> NDArray[np.float64]:
    square = picture.fit(256).square(SIDE)
    cells = complex_cells(square.gray)
    c1 = np.array([[cell_means(m, CELLS) for m in band] for band in cells]).astype(np.float64)
    channels = opponents(square.rgb)
    cs = np.array(
        [[cell_means(m, CELLS) for m in surround_differences(x)] for x in channels], np.float64
    )
    means = np.array([x.mean(dtype=np.float64) for x in channels])
    deviations = [x.std(dtype=np.float64) for x in channels]
    strongest = c1.mean(axis=(2, 3)).max(axis=0)
    rest = np.log1p(np.concatenate([deviations, strongest]))
    c1 = np.log1p(c1) - _C1_CENTRE[:, :, None, None]
    cs = np.log1p(cs) - _CS_CENTRE[:, :, None, None]
    c1 -= _SHARED_C1 * c1.mean()
    cs -= _SHARED_CS * cs.mean(axis=(1, 2, 3), keepdims=True)
    means = (means - _MEAN_CENTRE) / _MEAN_SCALE
    return np.concatenate([c1.ravel(), _CS_WEIGHT * cs.ravel(), means, rest - _REST_CENTRE])


def _local_maxima(answer: Plane) -> Plane:
    """The largest value in each of 16 × 16 squares."""
    side = answer.shape[0]
    # Rows first: they lie together in memory, and numpy takes them many at a time.
    tall: Plane = answer.reshape(_POOLED, side // _POOLED, side).max(axis=1)
    maxima: Plane = tall.reshape(_POOLED, _POOLED, side // _POOLED).max(axis=2)
    return maxima

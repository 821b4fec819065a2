"""Gabor texture: how strongly, and how evenly, the picture ripples at each size and direction.

    E(m, k) = (mean, standard deviation) of |W_mk|,   W_mk = answer of scale m, orientation k
    u = log(E + 0.4) − centre_m,   v = u − 0.6 · mean(u)

for 4 scales, whose centres go from 0.4 down to 0.05 cycles a pixel at 128 × 128, and 6
orientations: 24 × 2 = 48 signed values, mostly within ±2. The centre is typical of photographs;
the overall strength, which all values share, is held down to 0.4 of its weight. Mirroring sends
orientation k to 6 − k.

Source: Manjunath & Ma, Texture features for browsing and retrieval of image data, 1996, with its
dictionary of filters, which touch at half their height.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors.blocks import stack
from saccade.descriptors.filters import PADDED, SIDE, FilterBank, pad
from saccade.types import Vectors

SCALES = 4
ORIENTATIONS = 6
_LOWEST, _HIGHEST = 0.05, 0.4
_SHARED = 0.6
_FLOOR = 0.4
# Typical log(E + 0.4) of mean and deviation, from the finest scale to the coarsest.
CENTRE = np.array(
    [
        [0.5299999713897705, 0.6499999761581421],
        [0.7400000095367432, 0.8100000023841858],
        [0.9300000071525574, 0.8799999952316284],
        [1.090000033378601, 0.8700000047683716],
    ]
)


class GaborTexture:
    """Mean and deviation of 24 Gabor filters."""

    name = "gabor-texture"
    version = "1"
    dimension = 2 * SCALES * ORIENTATIONS
    kind = "texture"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Scaled log strengths, [n, 48]: scale, orientation, then mean and deviation."""
        return stack(_describe, pictures, self.dimension)


def answers(picture: Picture) -> list[NDArray[np.float32]]:
    """Sizes of the 24 answers, scale by scale, each [k, k] over the picture made square."""
    gray = picture.fit(256).square(SIDE).gray.astype(np.float32)
    return bank().answers(pad(gray))


def scaled(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean and deviation of each filter, [24, 2], as the descriptor gives them, [48]."""
    values = np.log(strengths + _FLOOR).reshape(SCALES, ORIENTATIONS, 2) - CENTRE[:, None]
    values -= _SHARED * values.mean()
    result: NDArray[np.float64] = values.ravel()
    return result


def spectra() -> NDArray[np.float64]:
    """The filters over the frequencies of a padded plane, [24, 160, 160], of height 1."""
    steps = np.fft.fftfreq(PADDED)
    across, down = np.meshgrid(steps, steps)
    ratio = (_HIGHEST / _LOWEST) ** (1 / (SCALES - 1))
    bumps = []
    for m in range(SCALES):
        centre = _HIGHEST / ratio**m
        # Half heights touch: along the radius the next scale, along the circle the next angle.
        along = (ratio - 1) * centre / ((ratio + 1) * np.sqrt(2 * np.log(2)))
        aside = np.tan(np.pi / (2 * ORIENTATIONS)) * np.sqrt(centre**2 / (2 * np.log(2)) - along**2)
        for k in range(ORIENTATIONS):
            angle = np.pi * k / ORIENTATIONS
            u = across * np.cos(angle) + down * np.sin(angle)
            v = down * np.cos(angle) - across * np.sin(angle)
            bumps.append(np.exp(-0.5 * (((u - centre) / along) ** 2 + (v / aside) ** 2)))
    filters = np.array(bumps)
    # A constant is no texture: without this the broad coarse filters would let some of it pass.
    filters[:, 0, 0] = 0
    return filters


@lru_cache(maxsize=1)
def bank() -> FilterBank:
    """The filters, built on first use."""
    return FilterBank(spectra())


def _describe(picture: Picture) -> NDArray[np.float64]:
    strengths = [(a.mean(dtype=np.float64), a.std(dtype=np.float64)) for a in answers(picture)]
    return scaled(np.array(strengths))

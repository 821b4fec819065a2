"""Colour moments of blocks: the mean colour, its spread and its lean, place by place.

    μ = E[x],   σ = sqrt(E[(x − μ)²]),   s = cbrt(E[(x − μ)³])
    v = (moment − centre) / scale

for each channel of CIE L*a*b* in each of 5 × 5 blocks: 25 × 3 moments × 3 channels = 225 signed
values, mostly within ±3. Centre and scale are fixed figures, the typical value and spread over
photographs, with σ and s held down to 0.7 and 0.5 of the weight of μ: without them what all
photographs share would drown what tells them apart. Mirroring the picture mirrors the blocks.

Source: Stricker & Orengo, Similarity of color images, 1995.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors.blocks import edges, stack
from saccade.kernels import colour
from saccade.types import Vectors

_SIDE = 256
_BLOCKS = 5
# Rows: mean, standard deviation, skewness; columns: L*, a*, b*.
CENTRE = np.array([[47.0, 1.0, 4.0], [14.0, 5.0, 7.0], [0.0, 1.0, 1.0]])
SCALE = np.array([[22.0, 11.0, 17.0], [11.0, 6.5, 7.0], [27.0, 12.0, 14.0]])


class ColorMoments:
    """Three moments of three Lab channels in 5 × 5 blocks."""

    name = "color-moments"
    version = "1"
    dimension = _BLOCKS * _BLOCKS * 9
    kind = "colour"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Scaled moments, [n, 225], ordered block by block, then moment, then channel."""
        return stack(_describe, pictures, self.dimension)


def _describe(picture: Picture) -> NDArray[np.float64]:
    lab = picture.fit(_SIDE).lab
    moments = colour.block_moments(lab, edges(lab.shape[0], _BLOCKS), edges(lab.shape[1], _BLOCKS))
    return scaled(moments).ravel()


def scaled(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Moments [..., 3 moments, 3 channels] as the descriptor gives them."""
    result: NDArray[np.float64] = (moments - CENTRE) / SCALE
    return result

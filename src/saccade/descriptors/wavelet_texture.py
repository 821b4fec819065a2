"""Wavelet texture: how strong the picture's detail is, by size and direction.

    E(band) = (mean |c|, standard deviation of |c|) over the coefficients c of a band
    u = log(1 + E) − centre,   v = u − 3/4 · mean of u over the detail bands

of two trees over the grey picture at 128 × 128 (Daubechies 4, periodic, three levels):

    pyramid  splits the smooth band again and again: 3 levels × 4 bands × 2 = 24
    tree     splits the detail bands instead: (4 + 3 · 4 + 9 · 4) bands × 2 = 104

128 signed values, mostly within ±2. The centre is typical of photographs; three quarters of the
overall strength are taken out, because all bands share it and together they would drown the rest.
Mirroring keeps the values up to the asymmetry of the wavelet.

Sources: Mallat, A theory for multiresolution signal decomposition, 1989; Chang & Kuo, Texture
analysis and classification with tree-structured wavelet transform, 1993; the 24 + 104 after
Chua et al., NUS-WIDE, 2009, whose descriptors Li et al. 2012 use.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pywt
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors.blocks import stack
from saccade.types import Vectors

_SIDE = 128
_LEVELS = 3
_SHARED = 0.75

# Typical log(1 + mean |c|) and log(1 + standard deviation): a row is one split into smooth,
# horizontal, vertical and diagonal; three splits of the pyramid, then thirteen of the tree.
# fmt: off
CENTRE = np.array([
    [4.67, 3.91], [1.60, 1.88], [1.57, 1.88], [1.06, 1.29],
    [4.67, 3.86], [1.90, 2.12], [1.77, 2.04], [1.26, 1.43],
    [4.67, 3.80], [2.05, 2.12], [1.87, 2.02], [1.42, 1.52],
    [4.67, 3.91], [1.60, 1.88], [1.57, 1.88], [1.06, 1.29],
    [1.10, 1.34], [1.34, 1.54], [0.80, 0.93], [1.00, 1.15],
    [1.09, 1.34], [0.83, 0.97], [1.30, 1.54], [1.00, 1.16],
    [0.57, 0.67], [0.69, 0.82], [0.67, 0.78], [0.82, 0.96],
    [1.06, 1.18], [0.94, 1.02], [0.85, 0.93], [0.75, 0.80],
    [0.45, 0.49], [0.50, 0.53], [0.51, 0.56], [0.57, 0.61],
    [0.63, 0.70], [0.56, 0.61], [0.74, 0.82], [0.65, 0.71],
    [0.47, 0.52], [0.54, 0.60], [0.51, 0.56], [0.58, 0.64],
    [1.02, 1.17], [0.84, 0.92], [0.91, 1.04], [0.74, 0.81],
    [0.63, 0.70], [0.73, 0.82], [0.57, 0.62], [0.65, 0.72],
    [0.44, 0.49], [0.39, 0.43], [0.47, 0.52], [0.42, 0.46],
    [0.41, 0.46], [0.46, 0.50], [0.38, 0.41], [0.41, 0.44],
    [0.58, 0.64], [0.52, 0.56], [0.52, 0.57], [0.46, 0.50],
])
# fmt: on
_DETAIL = np.arange(len(CENTRE)) % 4 != 0


class WaveletTexture:
    """Strength of 12 pyramid and 52 tree bands."""

    name = "wavelet-texture"
    version = "1"
    dimension = 2 * len(CENTRE)
    kind = "texture"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Scaled log strengths, [n, 128]: band by band, mean then deviation."""
        return stack(_describe, pictures, self.dimension)


def _describe(picture: Picture) -> NDArray[np.float64]:
    gray = picture.fit(256).square(_SIDE).gray.astype(np.float32)
    values: NDArray[np.float64] = np.log1p(strengths(gray)) - CENTRE
    values -= _SHARED * values[_DETAIL].mean()
    return values.ravel()


def strengths(gray: NDArray[np.float32]) -> NDArray[np.float64]:
    """Mean and standard deviation of the size of coefficients in each of the 64 bands, [64, 2]."""
    first = _split(gray[None])
    pyramid, tree = [first], [first]
    for _ in range(_LEVELS - 1):
        pyramid.append(_split(pyramid[-1][:1]))
        tree.append(_split(tree[-1][np.arange(len(tree[-1])) % 4 != 0]))
    sizes = [np.abs(bands) for bands in pyramid + tree]
    means = [bands.mean(axis=(1, 2), dtype=np.float64) for bands in sizes]
    deviations = [bands.std(axis=(1, 2), dtype=np.float64) for bands in sizes]
    return np.stack([np.concatenate(means), np.concatenate(deviations)], axis=1)


def _split(planes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each plane of [n, h, w] into smooth, horizontal, vertical, diagonal: [4n, h/2, w/2]."""
    smooth, details = pywt.dwt2(planes, "db4", mode="periodization", axes=(1, 2))
    split: NDArray[np.float32] = np.stack([smooth, *details], axis=1)
    # Halved, so that the smooth band stays in grey levels whatever the depth.
    split *= 0.5
    return split.reshape(-1, *split.shape[2:])

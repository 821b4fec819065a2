"""Gist: the layout of a scene, as the strength of oriented detail in each of 4 × 4 cells.

    x = log(1 + plane);  y = x − G ∗ x;  z = y / (0.2 + sqrt(G ∗ y²))        even out the contrast
    E(f, cell) = mean over the cell of |answer of filter f to z|
    u = E / typical − centre_f,   v = u − 0.3 · mean(u)

G passes what lies below 4 cycles a picture. The filters are Gaussians in log-polar frequency:

    H(r, θ) = exp( −3.5 (r / r_i − 1)² − 2π (n_i / 8)² (θ − θ_j)² ),   r_i = 0.3 / 1.85^i

with n_i orientations at scale i, over the plane at 128 × 128 with mirrored borders.

    gist        grey, 4 scales × 8 orientations × 16 cells = 512
    gist-color  R, G, B, 8 + 8 + 4 orientations × 16 cells × 3 = 960

Signed values, mostly within ±2. The centre is typical of photographs; 0.3 of the overall strength,
which all values share, are taken out. Doubling the light of a bright picture changes little;
mirroring mirrors the cells and sends orientation j to −j.

Source: Oliva & Torralba, Modeling the shape of the scene, 2001, and its published parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors.blocks import stack
from saccade.descriptors.filters import PADDED, SIDE, FilterBank, cell_means, frequencies, pad
from saccade.types import Vectors

CELLS = 4
GREY = (8, 8, 8, 8)
COLOUR = (8, 8, 4)
_TYPICAL = 0.05
_SHARED = 0.3
_CUTOFF = 4.0
# Typical E / 0.05 of each scale, from the finest, for edges that run upright, slanted and level.
_CENTRE = ((1.02, 0.80, 1.04), (1.18, 0.95, 1.28), (1.31, 1.08, 1.54), (1.24, 1.07, 1.63))


class Gist:
    """Oriented detail of the grey picture in 4 × 4 cells."""

    name = "gist"
    version = "1"
    dimension = sum(GREY) * CELLS**2
    kind = "shape"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Strengths, [n, 512]: filter by filter (scale, then orientation), then cell."""
        return stack(_describe_gray, pictures, self.dimension)


class GistColor:
    """Oriented detail of red, green and blue in 4 × 4 cells."""

    name = "gist-color"
    version = "1"
    dimension = sum(COLOUR) * CELLS**2 * 3
    kind = "shape"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Strengths, [n, 960]: channel, filter (scale, then orientation), then cell."""
        return stack(_describe_colour, pictures, self.dimension)


def spectra(orientations: Sequence[int]) -> NDArray[np.float64]:
    """Filters with so many orientations at each scale, [f, 160, 160]."""
    radius, angle = frequencies()
    filters = []
    for scale, count in enumerate(orientations):
        along = -3.5 * (radius / (0.3 / 1.85**scale) - 1) ** 2
        for j in range(count):
            turn = (angle + np.pi * j / count + np.pi) % (2 * np.pi) - np.pi
            filters.append(np.exp(along - 2 * np.pi * (count / 8) ** 2 * turn**2))
    return np.array(filters)


def even_out(plane: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The plane at 128 × 128, padded to 160 × 160, its contrast made the same everywhere."""
    from scipy import fft

    blur = _blur()

    def smooth(values: NDArray[np.float32]) -> NDArray[np.float32]:
        smoothed: NDArray[np.float32] = fft.irfft2(fft.rfft2(values) * blur, s=values.shape)
        return smoothed

    detail = pad(np.log1p(plane.astype(np.float32)))
    detail -= smooth(detail)
    # Rounding can leave the smoothed square a little below zero.
    detail /= 0.2 + np.sqrt(np.maximum(smooth(detail * detail), 0))
    return detail


@lru_cache(maxsize=2)
def bank(orientations: tuple[int, ...]) -> FilterBank:
    """The filters, built on first use."""
    return FilterBank(spectra(orientations))


@lru_cache(maxsize=1)
def _blur() -> NDArray[np.float32]:
    radius, _ = frequencies()
    gauss: NDArray[np.float64] = np.exp(-np.log(2) * (radius * PADDED / _CUTOFF) ** 2)
    return gauss[:, : PADDED // 2 + 1].astype(np.float32)


def _centres(orientations: Sequence[int]) -> NDArray[np.float64]:
    centres = []
    for scale, count in enumerate(orientations):
        upright, slanted, level = _CENTRE[scale]
        angles = np.arange(count) / count
        centres += [upright if a == 0 else level if a == 0.5 else slanted for a in angles]
    return np.array(centres)


def _strengths(plane: NDArray[np.uint8], orientations: tuple[int, ...]) -> NDArray[np.float64]:
    answers = bank(orientations).answers(even_out(plane))
    cells = np.array([cell_means(answer, CELLS).ravel() for answer in answers], np.float64)
    strengths: NDArray[np.float64] = cells / _TYPICAL - _centres(orientations)[:, None]
    return strengths


def _describe_gray(picture: Picture) -> NDArray[np.float64]:
    return _held_down(_strengths(picture.fit(256).square(SIDE).gray, GREY))


def _describe_colour(picture: Picture) -> NDArray[np.float64]:
    rgb = picture.fit(256).square(SIDE).rgb
    return _held_down(np.stack([_strengths(rgb[:, :, c], COLOUR) for c in range(3)]))


def _held_down(values: NDArray[np.float64]) -> NDArray[np.float64]:
    rest: NDArray[np.float64] = values - _SHARED * values.mean()
    return rest.ravel()

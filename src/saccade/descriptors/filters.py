"""Banks of filters in the Fourier domain, and the size of what they answer.

    answer_f(x) = | F⁻¹[ F[plane] · H_f ](x) |

H_f is real and lies mostly on one side of the origin, so the answer is the envelope of a Gabor
response: it does not ripple with the phase. A filter that passes a narrow band needs few samples:
of each H_f only the box around its centre that holds nearly all of it is kept, and the answer
comes at the step of that box, sampled at the middle of each step so that a mirrored plane has the
mirrored answer. Moving a box to the origin turns phases only, never sizes.

Planes are square, mirrored outwards by a margin so that opposite borders do not meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SIDE = 128
MARGIN = 16
PADDED = SIDE + 2 * MARGIN
# Sides of boxes: fast to transform, and they put a whole number of samples into the margin and
# into each quarter of the plane.
_BOXES = (40, 60, 80, 100, 120, 160)
# Of a filter's energy under a natural spectrum (1/f), how much its box may lose.
_LOSS = 1e-3


@dataclass(frozen=True)
class Group:
    """Filters with boxes of one size."""

    members: NDArray[np.int64]  # [g] positions of the filters in the bank
    places: NDArray[np.int64]  # [g, box, box] positions in the flat transform
    values: NDArray[np.complex64]  # [g, box, box] H, scaled and turned for the box's samples


class FilterBank:
    """Filters given by their values over the frequencies of a padded plane, [f, 160, 160]."""

    def __init__(self, spectra: NDArray[np.float64]) -> None:
        self.size = len(spectra)
        boxes = [_box(spectrum) for spectrum in spectra]
        self.groups = tuple(
            _group(spectra, boxes, side) for side in sorted({side for side, _, _ in boxes})
        )

    def answers(self, plane: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Size of each filter's answer inside the margins, [k, k] with a k of its own up to 128."""
        from scipy import fft

        transform = fft.fft2(plane).ravel()
        strengths: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * self.size
        for group in self.groups:
            parts = np.take(transform, group.places)
            parts *= group.values
            sizes = np.abs(fft.ifft2(parts, overwrite_x=True))
            margin = MARGIN * sizes.shape[1] // PADDED
            inside = sizes[:, margin : sizes.shape[1] - margin, margin : sizes.shape[2] - margin]
            for member, answer in zip(group.members, inside, strict=True):
                strengths[member] = answer
        return strengths


def pad(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    """A plane of 128 × 128 mirrored outwards to 160 × 160."""
    padded: NDArray[np.float32] = np.pad(plane, MARGIN, mode="symmetric")
    return padded


@lru_cache(maxsize=1)
def frequencies() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Radius (cycles a pixel) and angle (−π..π) of each place of a padded plane's transform."""
    steps = np.fft.fftfreq(PADDED)
    across, down = np.meshgrid(steps, steps)
    return np.hypot(across, down), np.arctan2(down, across)


def cell_means(answer: NDArray[np.float32], cells: int) -> NDArray[np.float32]:
    """Means over a grid of `cells` × `cells`, [cells, cells]; `cells` divides the side."""
    step = answer.shape[0] // cells
    means: NDArray[np.float32] = answer.reshape(cells, step, cells, step).mean(axis=(1, 3))
    return means


def _box(spectrum: NDArray[np.float64]) -> tuple[int, int, int]:
    """Side and corner of the smallest box that holds the filter."""
    radius, _ = frequencies()
    energy = (spectrum / np.maximum(radius, 0.5 / PADDED)) ** 2
    row, column = np.unravel_index(int(spectrum.argmax()), spectrum.shape)
    for side in _BOXES:
        top, left = (row - side // 2) % PADDED, (column - side // 2) % PADDED
        inside = np.roll(energy, (-top, -left), axis=(0, 1))[:side, :side].sum()
        if inside >= (1 - _LOSS) * energy.sum():
            return side, int(top), int(left)
    return PADDED, 0, 0


def _group(spectra: NDArray[np.float64], boxes: list[tuple[int, int, int]], side: int) -> Group:
    members = [i for i, box in enumerate(boxes) if box[0] == side]
    places = np.empty((len(members), side, side), np.int64)
    for place, member in zip(places, members, strict=True):
        _, top, left = boxes[member]
        rows, columns = (top + np.arange(side)) % PADDED, (left + np.arange(side)) % PADDED
        place[:] = rows[:, None] * PADDED + columns
    values = np.stack([spectra[m].ravel()[place] for m, place in zip(members, places, strict=True)])
    # The box's first sample lies at pixel (step − 1) / 2: a shift is a turn of each frequency.
    shift = (PADDED / side - 1) / 2
    steps = np.fft.fftfreq(PADDED)
    turns = np.exp(2j * np.pi * shift * (steps[places // PADDED] + steps[places % PADDED]))
    scale = (side / PADDED) ** 2
    return Group(np.array(members), places, (values * turns * scale).astype(np.complex64))

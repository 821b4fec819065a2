"""Smooth randomness: value noise in the plane and along a line.

    noise(x) = sum_o 2^-o * cubic(grid_o)(x)        scaled to [0, 1]

Each octave o is a grid of uniform numbers, twice as fine as the one before, read between its points
by cubic interpolation.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]
Line = NDArray[np.float64]


def plane(
    rng: np.random.Generator,
    shape: tuple[int, int],
    cells: tuple[float, float],
    *,
    octaves: int = 2,
) -> Plane:
    """Noise of `shape` [h, w] in [0, 1], with about `cells` (rows, columns) coarse blobs."""
    height, width = shape
    total = np.zeros(shape, np.float32)
    for octave in range(octaves):
        rows = max(2, round(cells[0] * 2**octave))
        columns = max(2, round(cells[1] * 2**octave))
        grid = rng.random((rows, columns), dtype=np.float32)
        total += cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC) * 0.5**octave
    scaled: Plane = cv2.normalize(total, None, 0.0, 1.0, cv2.NORM_MINMAX)
    return scaled


def line(
    rng: np.random.Generator, points: int, cells: float, *, octaves: int = 3, sharp: bool = False
) -> Line:
    """Noise along a line, [points] in about [-1, 1]; `sharp` joins the grid by straight strokes."""
    along = np.linspace(0.0, 1.0, points)
    total = np.zeros(points)
    for octave in range(octaves):
        count = max(3, round(cells * 2**octave) + 1)
        grid = rng.uniform(-1.0, 1.0, count)
        spot = along * (count - 1)
        left = np.minimum(spot.astype(np.int64), count - 2)
        part = spot - left
        if not sharp:
            part = part * part * (3.0 - 2.0 * part)
        total += (grid[left] * (1.0 - part) + grid[left + 1] * part) * 0.5**octave
    return total / sum(0.5**octave for octave in range(octaves))

"""Framing: how the picture is cut from what was painted.

    (x, y) seen at (u, v) = centre + turn · ((u, v) - middle) / zoom, mirrored half the time

The centre is chosen at random, as far as the main object stays in view.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Frame:
    """How far the framing may go: the strongest zoom, the largest tilt in degrees, mirroring."""

    zoom: float = 1.5
    tilt: float = 5.0
    mirror: bool = True

    def look(self, mask: NDArray[np.uint8], rng: np.random.Generator) -> tuple[Places, Places]:
        """For every pixel of the picture, the place of the painting that it shows: x and y."""
        height, width = mask.shape
        zoom = float(rng.uniform(1.0, self.zoom))
        turn = math.radians(float(rng.uniform(-self.tilt, self.tilt)))
        flip = -1.0 if self.mirror and rng.random() < 0.5 else 1.0
        centre = _centre(mask, zoom, rng)
        u = (np.arange(width, dtype=np.float32)[None, :] - np.float32(width / 2)) * np.float32(flip)
        v = np.arange(height, dtype=np.float32)[:, None] - np.float32(height / 2)
        cosine, sine = np.float32(math.cos(turn) / zoom), np.float32(math.sin(turn) / zoom)
        x = np.float32(centre[0]) + u * cosine - v * sine
        y = np.float32(centre[1]) + u * sine + v * cosine
        return x, y


SCENIC = Frame()
"""A scene, cut freely."""

STILL = Frame(zoom=1.0, tilt=0.0, mirror=False)
"""The painting as it is."""


def _centre(mask: NDArray[np.uint8], zoom: float, rng: np.random.Generator) -> tuple[float, float]:
    """The middle of the view: anywhere inside the painting, with the main object well inside."""
    centre = []
    for axis, side in ((0, mask.shape[1]), (1, mask.shape[0])):
        half = side / zoom / 2
        spot = side / 2 + float(rng.uniform(-1.0, 1.0)) * (side / 2 - half)
        taken = np.flatnonzero(mask.any(axis=axis))
        if len(taken):
            middle = float(taken[0] + taken[-1]) / 2
            spot = min(max(spot, middle - 0.6 * half), middle + 0.6 * half)
        centre.append(min(max(spot, half), side - half))
    return centre[0], centre[1]

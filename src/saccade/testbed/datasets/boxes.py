"""The box of an Oxford-style query: the part of a picture that asks.

left top right bottom      in pixels of the picture as a viewer shows it, from its upper left
"""

from __future__ import annotations

import math
from pathlib import Path

from saccade.types import Pixels

Box = tuple[float, float, float, float]
LEAST = 8  # pixels a side: less than that shows nothing
_SIDE = 4096  # a box is cut from a picture this large, so that a small one keeps its detail


def within(box: Box, width: int, height: int) -> tuple[int, int, int, int] | None:
    """The whole pixels of a box inside a picture; None where less than a few of them are left.

    >>> within((1.5, 2.0, 30.25, 400.0), 100, 90), within((99.0, 0.0, 180.0, 50.0), 100, 90)
    ((1, 2, 31, 90), None)
    """
    left, top = max(0, math.floor(box[0])), max(0, math.floor(box[1]))
    right, bottom = min(width, math.ceil(box[2])), min(height, math.ceil(box[3]))
    if right - left < LEAST or bottom - top < LEAST:
        return None
    return left, top, right, bottom


def cut(file: Path, box: Box) -> Pixels | None:
    """The pixels of a picture inside a box; None where the box lies outside it."""
    from saccade.scale.decoding import decode

    decoded = decode(file.read_bytes(), side=_SIDE)
    pixels = decoded.picture.rgb
    scale = pixels.shape[1] / decoded.width
    inside = within(box, decoded.width, decoded.height)
    if inside is None:
        return None
    left, top, right, bottom = (round(scale * edge) for edge in inside)
    return pixels[top:bottom, left:right].copy()

"""The eleven colours that have names everywhere (Berlin & Kay 1969), and how much of one is there.

    lightness L*, chroma c = √(a*² + b*²), hue h = atan2(b*, a*)
    share = how well hue, chroma and lightness fit the name, each 0..1, multiplied
    of a picture: the mean share of its blocks, those that have most of it counting most

Photographs are paler than colour charts; a chroma of about 20 is already a colour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

COLOURS = {
    **{
        name: name
        for name in (
            "black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple",
            "pink", "brown",
        )
    },
    "gray": "grey",
}  # fmt: skip
"""Words for colours → the eleven names."""

NAMES = tuple(dict.fromkeys(COLOURS.values()))
"""The eleven, in the order in which they are kept."""
BLOCKS = 8
"""A thing rarely fills a picture: the blocks that have most of a colour speak for it."""


@dataclass(frozen=True, slots=True)
class _Colour:
    """Where a name lies: (from, to) with soft edges; hue in degrees, None where it has none."""

    lightness: tuple[float, float]
    chroma: tuple[float, float]
    hue: tuple[float, float] | None = None


_FAR = 200.0
_CHART = {
    "black": _Colour((-_FAR, 22.0), (-_FAR, 14.0)),
    "grey": _Colour((28.0, 75.0), (-_FAR, 8.0)),
    "white": _Colour((80.0, _FAR), (-_FAR, 10.0)),
    "red": _Colour((15.0, 65.0), (28.0, _FAR), (5.0, 45.0)),
    "orange": _Colour((48.0, 85.0), (42.0, _FAR), (45.0, 72.0)),
    "yellow": _Colour((60.0, _FAR), (32.0, _FAR), (75.0, 108.0)),
    "green": _Colour((12.0, 95.0), (16.0, _FAR), (108.0, 185.0)),
    "blue": _Colour((10.0, 95.0), (16.0, _FAR), (220.0, 305.0)),
    "purple": _Colour((10.0, 75.0), (16.0, _FAR), (307.0, 342.0)),
    "pink": _Colour((50.0, 95.0), (16.0, _FAR), (330.0, 395.0)),
    "brown": _Colour((12.0, 55.0), (12.0, 50.0), (38.0, 88.0)),
}


def share(lab: Array, colour: str) -> Array:
    """How well colours in CIE L*a*b* [..., 3] fit a name, 0..1.

    >>> lab = np.array([[53.2, 80.1, 67.2], [32.3, 79.2, -107.9], [100.0, 0.0, 0.0]])
    >>> [share(lab, name).round(1).tolist() for name in ("red", "blue", "white")]
    [[1.0, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 1.0]]
    """
    wanted = _CHART[colour]
    lightness, a, b = lab[..., 0], lab[..., 1], lab[..., 2]
    out = _within(lightness, *wanted.lightness, soft=8.0)
    out = out * _within(np.hypot(a, b), *wanted.chroma, soft=8.0)
    if wanted.hue is not None:
        first, last = wanted.hue
        middle, half = (first + last) / 2.0, (last - first) / 2.0
        away = np.abs((np.degrees(np.arctan2(b, a)) - middle + 180.0) % 360.0 - 180.0)
        out = out * _within(away, -_FAR, half, soft=10.0)
    return np.asarray(out, np.float64)


def presence(means: Array, colour: str) -> Array:
    """How much of a colour pictures show, 0..1, by the mean colours of their blocks [n, blocks, 3].

    The blocks in the middle count a little more: what is photographed is there.
    """
    shares = share(means, colour) * _middle(means.shape[1])
    best = -np.sort(-shares, axis=1)[:, : min(BLOCKS, means.shape[1])]
    return np.asarray(best.mean(axis=1))


def _middle(blocks: int) -> Array:
    side = round(blocks**0.5)
    if side * side != blocks:
        return np.ones(blocks)
    away = np.abs(np.arange(side) - (side - 1) / 2.0) / max(1.0, (side - 1) / 2.0)
    weights = 1.0 - 0.25 * np.maximum(away[:, None], away[None, :])
    return np.asarray(weights.ravel())


def _within(values: Array, first: float, last: float, *, soft: float) -> Array:
    """1 inside an interval, falling to 0 over `soft` on each side."""
    outside = np.maximum(np.maximum(first - values, values - last), 0.0)
    return np.asarray(np.clip(1.0 - outside / soft, 0.0, 1.0))

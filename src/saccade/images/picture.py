"""A decoded image and the planes made from it, each made once and shared by all descriptors.

    gray  0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), rounded
    lab   CIE L*a*b* of sRGB under D65: L in 0..100, a and b about -128..127
    hsv   hue 0..360, saturation 0..1, value 0..1

Every array is read-only: a descriptor that wrote into one would change what the next one sees.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.types import Pixels

T = TypeVar("T", bound=np.generic)


class ArrayPicture:
    """A picture over an RGB array, [h, w, 3] uint8, of any size from 1 × 1."""

    def __init__(self, rgb: ArrayLike) -> None:
        pixels = np.asarray(rgb)
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
            raise InvalidInput(
                f"a picture is an array [h, w, 3] of uint8 with at least one pixel; "
                f"this one is {list(pixels.shape)} of {pixels.dtype}"
            )
        # A contiguous copy or view of its own, so that freezing it leaves the caller's array alone.
        self._rgb: Pixels = _frozen(np.ascontiguousarray(pixels).view())
        self._resized: dict[tuple[int, int], ArrayPicture] = {}

    @property
    def rgb(self) -> Pixels:
        """RGB as a viewer shows it, [h, w, 3] uint8."""
        return self._rgb

    @cached_property
    def gray(self) -> NDArray[np.uint8]:
        """Luma, [h, w] uint8."""
        return _frozen(cv2.cvtColor(self._rgb, cv2.COLOR_RGB2GRAY))

    @cached_property
    def lab(self) -> NDArray[np.float32]:
        """CIE L*a*b*, [h, w, 3] float32."""
        return _frozen(cv2.cvtColor(self._unit(), cv2.COLOR_RGB2LAB))

    @cached_property
    def hsv(self) -> NDArray[np.float32]:
        """Hue, saturation, value, [h, w, 3] float32."""
        return _frozen(cv2.cvtColor(self._unit(), cv2.COLOR_RGB2HSV))

    def fit(self, side: int) -> ArrayPicture:
        """The picture shrunk so that its longer side is at most `side`; never enlarged."""
        height, width = self._rgb.shape[:2]
        longer = max(height, width)
        if longer <= _checked(side):
            return self
        return self._at(max(1, round(width * side / longer)), max(1, round(height * side / longer)))

    def square(self, side: int) -> ArrayPicture:
        """The picture resized to `side` × `side`, aspect given up."""
        return self._at(_checked(side), side)

    def _at(self, width: int, height: int) -> ArrayPicture:
        if (height, width) == self._rgb.shape[:2]:
            return self
        resized = self._resized.get((width, height))
        if resized is None:
            resized = ArrayPicture(_resize(self._rgb, width, height))
            self._resized[width, height] = resized
        return resized

    def _unit(self) -> NDArray[np.float32]:
        unit: NDArray[np.float32] = self._rgb.astype(np.float32)
        unit *= np.float32(1 / 255)
        return unit


def _resize(rgb: Pixels, width: int, height: int) -> Pixels:
    """Average over areas along each side that shrinks, then interpolate along each that grows."""
    shrunk = (min(width, rgb.shape[1]), min(height, rgb.shape[0]))
    # OpenCV averages areas only when no side grows, so a thin picture takes two steps.
    if shrunk != (rgb.shape[1], rgb.shape[0]):
        rgb = cv2.resize(rgb, shrunk, interpolation=cv2.INTER_AREA)
    if shrunk != (width, height):
        rgb = cv2.resize(rgb, (width, height), interpolation=cv2.INTER_LINEAR)
    return rgb


def _checked(side: int) -> int:
    if side < 1:
        raise InvalidInput(f"a picture cannot be resized to {side} pixels; ask for at least 1")
    return side


def _frozen(array: NDArray[T]) -> NDArray[T]:
    array.flags.writeable = False
    return array

"""The last touch: level of light, colour temperature, vignette, film grain."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.types import Pixels

_LUMA = (0.299, 0.587, 0.114)  # ITU-R BT.601
_VIVID = 1.2  # saturation: dimming and media make colours look duller than they are


def grade(pixels: Pixels, brightness: float, warmth: float, rng: np.random.Generator) -> Pixels:
    """Light and colour temperature as told, a faint vignette, film grain.

    The mean level is brought to 0.24 + 0.48·brightness: lifted by a power curve on the level, which
    leaves hues as they are, or dimmed by a gentle curve and then by the same factor everywhere.
    Red − blue is brought towards 0.45·warmth − 0.15, by a little at most: the mood is near it.
    """
    small = cv2.resize(pixels, (48, 36), interpolation=cv2.INTER_AREA).astype(np.float64) / 255.0
    gap = (0.45 * warmth - 0.15) - float((small[..., 0] - small[..., 2]).mean())
    tilt = float(np.clip(gap * 0.7, -0.09, 0.11))
    gains = np.array([1.0 + tilt, 1.0, 1.0 - tilt])
    luma, target = (small * gains) @ np.array(_LUMA), 0.24 + 0.48 * brightness
    power = min(_power(luma, target), 1.5)
    exposure = min(1.0, target / float((luma**power).mean()))
    levels = np.maximum(np.arange(256.0), 1.0) / 255.0
    curve = (exposure * levels ** (power - 1.0)).clip(0.0, 4.0).astype(np.float32)
    height, width = pixels.shape[:2]
    x = np.linspace(-1.0, 1.0, width, dtype=np.float32)[None, :]
    y = np.linspace(-1.0, 1.0, height, dtype=np.float32)[:, None]
    gray = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    lift = curve[gray] * (1.03 - 0.07 * (x * x + y * y))
    pale = gray * np.float32(1.0 - _VIVID)
    grain = rng.standard_normal((height, width), dtype=np.float32) * np.float32(
        rng.uniform(0.8, 4.5)
    )
    out = np.empty_like(pixels)
    for channel in range(3):
        vivid = pixels[:, :, channel] * np.float32(_VIVID) + pale
        plane = vivid * (lift * np.float32(gains[channel])) + grain
        out[:, :, channel] = np.clip(plane + np.float32(0.5), 0.0, 255.0)
    return out


def _power(luma: NDArray[np.float64], target: float) -> float:
    """The exponent that brings the mean of `luma` to the target, found by halving."""
    low, high = 0.2, 5.0
    for _ in range(24):
        middle = math.sqrt(low * high)
        if float((luma**middle).mean()) > target:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)

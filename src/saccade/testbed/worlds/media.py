"""Media: gouache, ink, pencil, print and wash: the same scene in five hands.

The medium is chosen for each picture, whatever its class, so that texture alone cannot tell classes
apart any more than colour can. Sizes are in 288ths of the height: a larger picture looks the same.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.testbed.worlds import noise
from saccade.types import Pixels


def gouache(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """The paint as it is."""
    return pixels


def ink(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """Colours with drawn outlines."""
    edge = _edges(pixels, 0.8)
    line = np.clip((edge - 26.0) / rng.uniform(90.0, 180.0), 0.0, 0.75)
    return _multiplied(pixels, 1.0 - line)


def pencil(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """Crayon strokes in one direction on pale paper."""
    height, width = pixels.shape[:2]
    across = rng.uniform(0.55, 0.8)
    side = round(math.hypot(height, width)) + 2
    hatch = noise.plane(rng, (side, side), (side * across, side / 22), octaves=2)
    turn = cv2.getRotationMatrix2D(
        (side / 2, side / 2), rng.uniform(20, 70) * rng.choice([-1, 1]), 1
    )
    hatch = cv2.warpAffine(hatch, turn, (side, side), borderMode=cv2.BORDER_REFLECT)
    top, left = (side - height) // 2, (side - width) // 2
    strokes = hatch[top : top + height, left : left + width] - np.float32(0.5)
    paper = cv2.addWeighted(pixels, 0.86, np.full_like(pixels, 250), 0.14, 0.0)
    return _multiplied(paper, 1.0 + strokes * rng.uniform(0.26, 0.46))


def print_(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """A cheap colour print: plates a little out of register, a screen of dots."""
    unit = pixels.shape[0] / 288
    plates = []
    for channel in range(3):
        shift = rng.uniform(-1.1, 1.1, 2) * unit
        matrix = np.array([[1.0, 0.0, shift[0]], [0.0, 1.0, shift[1]]])
        plate = np.ascontiguousarray(pixels[:, :, channel])
        size = (pixels.shape[1], pixels.shape[0])
        plates.append(cv2.warpAffine(plate, matrix, size, borderMode=cv2.BORDER_REPLICATE))
    turn, pitch = rng.uniform(0.2, 1.3), rng.uniform(4.2, 5.6) * unit
    x = np.arange(pixels.shape[1], dtype=np.float32)[None, :]
    y = np.arange(pixels.shape[0], dtype=np.float32)[:, None]
    wave = np.float32(2.0 * math.pi / pitch)
    along, aside = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    dots: NDArray[np.float32] = np.sin(along * wave) * np.sin(aside * wave)
    printed: Pixels = cv2.merge(plates)
    return _multiplied(printed, 1.0 + dots * rng.uniform(0.07, 0.13))


def wash(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """Watercolour: soft patches with darker rims, blooms, a ragged white margin."""
    height, width = pixels.shape[:2]
    soft = cv2.medianBlur(pixels, 5)
    rim = np.clip((_edges(soft, 1.2 * height / 288) - 20.0) / 400.0, 0.0, 0.22)
    bloom = noise.plane(rng, (height, width), (5, 6), octaves=3) - np.float32(0.45)
    soft = _multiplied(soft, (1.0 - rim) * (1.0 + 0.34 * bloom))
    x = np.linspace(-1.0, 1.0, width, dtype=np.float32)[None, :]
    y = np.linspace(-1.0, 1.0, height, dtype=np.float32)[:, None]
    ragged = noise.plane(rng, (height, width), (14, 18), octaves=3)
    margin = np.maximum(np.abs(x), np.abs(y)) + 0.1 * ragged - np.float32(rng.uniform(1.0, 1.1))
    white = np.clip(margin * 22.0, 0.0, 0.92)
    paper = np.array([250.0, 247.0, 240.0], np.float32)
    mixed = soft + (paper - soft) * white[:, :, None] + 0.5
    return np.asarray(np.clip(mixed, 0.0, 255.0), np.uint8)


MEDIA = (gouache, gouache, gouache, ink, pencil, print_, wash)
"""One is drawn for every picture; gouache is three times as likely."""


def _edges(pixels: Pixels, blur: float) -> NDArray[np.float32]:
    """How steep the light changes, about 0..255 and more."""
    gray = cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), (0, 0), blur)
    across = cv2.Sobel(gray, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(gray, cv2.CV_32F, 0, 1)
    steep: NDArray[np.float32] = cv2.magnitude(across, down)
    return steep


def _multiplied(pixels: Pixels, factor: NDArray[np.floating]) -> Pixels:
    out = np.empty_like(pixels)
    for channel in range(3):
        out[:, :, channel] = np.clip(pixels[:, :, channel] * factor + 0.5, 0.0, 255.0)
    return out

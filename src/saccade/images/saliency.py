"""Saliency: where people look first.

    S = ( N(I) + N(C) + N(O) ) / 3        intensity, colour and orientation that stand out

Pyramids of nine levels, each half the size of the one before. A feature stands out where a fine
level (centre, c = 2, 3, 4) differs from a coarse one (surround, s = c + 3, c + 4):

    I(c, s)    = | I(c) − I(s) |
    RG(c, s)   = | (R − G)(c) − (R − G)(s) |,   BY(c, s) with blue and yellow
    O(c, s, θ) = | O(c, θ) − O(s, θ) |,   θ = 0°, 45°, 90°, 135°, Gabor strength of I

N keeps maps with one peak and mutes maps with many alike: a map is scaled to 0..1 and multiplied
by (1 − m)², where m is the mean of its other local maxima. Each family's maps are N-ed, added at
level 4 and N-ed again. The result is float32 [h, w] in 0..1, 0 everywhere when nothing stands out.

Source: Itti, Koch & Niebur, A model of saliency-based visual attention for rapid scene analysis,
1998. It prints the surround of RG and BY as G − R and Y − B; taken literally, red on green would
cancel, against its own words, so the same opponent is taken at both levels. Colour is divided by
the light only where that exceeds a tenth of its maximum over the picture, as there. Pictures are
brought to 512 pixels on their longer side first.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.types import Pixels

Map = NDArray[np.float32]

_SIDE = 512
_LEVELS = 9
_CENTRES, _STEPS = (2, 3, 4), (3, 4)
_ANGLES = (0, 45, 90, 135)
# Colour is not seen in the dark: below this part of the picture's brightest point a pixel has none.
_DARK = 0.1
# A peak counts as a rival when it is the highest of a neighbourhood this wide, at level 4.
_NEIGHBOURHOOD = 7
# In grey levels: maps below this hold rounding, not contrast.
_QUIET = 1.0


def saliency(picture: Picture) -> Map:
    """How much each pixel stands out, [h, w] in 0..1."""
    height, width = picture.rgb.shape[:2]
    rgb = _working(picture).astype(np.float32)
    intensity = rgb.mean(axis=2)
    levels = _pyramid(intensity)
    reference = levels[4].shape
    planes = _opponents(rgb, intensity)
    red_green, blue_yellow = (_pyramid(plane) for plane in planes)
    bright = _combine(levels, reference)
    colour = _combine(red_green, reference) + _combine(blue_yellow, reference)
    oriented = np.zeros(reference, np.float32)
    for angle in _ANGLES:
        strengths = [_strength(level, angle) for level in levels]
        oriented += standing_out(_combine(strengths, reference))
    total = standing_out(bright) + standing_out(colour) + standing_out(oriented)
    return _spread(total, width, height)


def fields(saliency_map: Map) -> NDArray[np.bool_]:
    """The more salient half of the pixels, [h, w] bool; the rest is the other field.

    Of equal values those that come first, row by row, belong to the salient field.

    >>> fields(np.array([[0.1, 0.9], [0.8, 0.2]], np.float32)).tolist()
    [[False, True], [True, False]]
    """
    order = np.argsort(-saliency_map.ravel(), kind="stable")
    mask = np.zeros(saliency_map.size, np.bool_)
    mask[order[: (saliency_map.size + 1) // 2]] = True
    return mask.reshape(saliency_map.shape)


def render_saliency(picture: Picture) -> Pixels:
    """The picture in grey with its saliency as heat over it and the salient half outlined."""
    map_ = saliency(picture)
    heat = cv2.applyColorMap((255 * map_).astype(np.uint8), cv2.COLORMAP_INFERNO)[:, :, ::-1]
    gray = np.repeat(picture.gray[:, :, None], 3, axis=2).astype(np.float32)
    share = (0.25 + 0.65 * map_)[:, :, None]
    overlay = np.rint((1 - share) * gray + share * heat).astype(np.uint8)
    outlines, _ = cv2.findContours(
        fields(map_).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE
    )
    thickness = max(1, max(overlay.shape) // 320)
    return np.asarray(cv2.drawContours(overlay, outlines, -1, (80, 220, 255), thickness), np.uint8)


def standing_out(plane: Map) -> Map:
    """N: scaled to 0..1 and multiplied by (1 − mean of the other local maxima)²."""
    peak = float(plane.max())
    if peak <= 0:
        return np.zeros_like(plane)
    scaled = plane / np.float32(peak)
    size = min(_NEIGHBOURHOOD, *(side | 1 for side in plane.shape))
    highest = cv2.dilate(scaled, np.ones((size, size), np.uint8))
    maxima = scaled[(scaled == highest) & (scaled > 0.05)]
    others = np.sort(maxima)[:-1]
    rivals = float(others.mean()) if len(others) else 0.0
    return np.asarray(scaled * np.float32((1 - rivals) ** 2), np.float32)


def _working(picture: Picture) -> Pixels:
    """RGB with a longer side of 512 pixels, enlarged if need be."""
    rgb = picture.fit(_SIDE).rgb
    height, width = rgb.shape[:2]
    if max(height, width) < _SIDE:
        scale = _SIDE / max(height, width)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        rgb = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    return rgb


def _pyramid(plane: Map) -> list[Map]:
    levels = [plane]
    for _ in range(_LEVELS - 1):
        levels.append(np.asarray(cv2.pyrDown(levels[-1]), np.float32))
    return levels


def _opponents(rgb: Map, intensity: Map) -> tuple[Map, Map]:
    """R − G and B − Y of the broadly tuned colours, the light divided out where there is any."""
    lit = intensity > _DARK * intensity.max()
    lit = np.where(lit, 255 / np.maximum(intensity, 1), 0).astype(np.float32)
    r, g, b = (rgb[:, :, channel] * lit / 3 for channel in range(3))
    red = np.maximum(r - (g + b) / 2, 0)
    green = np.maximum(g - (r + b) / 2, 0)
    blue = np.maximum(b - (r + g) / 2, 0)
    yellow = np.maximum((r + g) / 2 - np.abs(r - g) / 2 - b, 0)
    return red - green, blue - yellow


def _combine(levels: list[Map], shape: tuple[int, ...]) -> Map:
    """Sum over centres and surrounds of N(|centre − surround|), at the size of level 4."""
    total = np.zeros(shape, np.float32)
    for centre in _CENTRES:
        height, width = levels[centre].shape
        for step in _STEPS:
            around = cv2.resize(levels[centre + step], (width, height))
            contrast = cv2.absdiff(levels[centre], around)
            contrast = cv2.resize(contrast, (shape[1], shape[0]), interpolation=cv2.INTER_AREA)
            if contrast.max() > _QUIET:
                total += standing_out(np.asarray(contrast, np.float32))
    return total


def _strength(plane: Map, angle: int) -> Map:
    """Envelope of the Gabor answer along edges turned by `angle`, four pixels a wave."""
    turn = np.deg2rad(angle)
    even, odd = (
        cv2.getGaborKernel((9, 9), 2.0, turn, 4.5, 1.0, phase, cv2.CV_32F)
        for phase in (0, np.pi / 2)
    )
    even -= even.mean()
    scale = np.abs(even).sum()
    answers = [
        cv2.filter2D(plane, -1, kernel / scale, borderType=cv2.BORDER_REPLICATE)
        for kernel in (even, odd)
    ]
    return np.asarray(cv2.magnitude(*answers), np.float32)


def _spread(total: Map, width: int, height: int) -> Map:
    """The map at the picture's size, smooth, from 0 to 1."""
    smooth = cv2.GaussianBlur(total, (0, 0), 0.8, borderType=cv2.BORDER_REPLICATE)
    large = np.asarray(cv2.resize(smooth, (width, height), interpolation=cv2.INTER_CUBIC))
    low, high = float(smooth.min()), float(smooth.max())
    if high - low <= 1e-6:
        return np.zeros((height, width), np.float32)
    return np.clip((large - low) / (high - low), 0, 1).astype(np.float32)

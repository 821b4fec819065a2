"""Saliency against a transcription of its formulas, on a picture with something of everything."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from saccade.images.picture import ArrayPicture
from saccade.images.saliency import saliency, standing_out


def scene() -> np.ndarray:
    """Spots of several sizes, hues and brightnesses over a slanted pattern, 512 pixels wide."""
    y, x = np.mgrid[:384, :512]
    pixels = np.stack([110 + 25 * np.sin((x + y) / s) for s in (9, 14, 23)], axis=2)
    for top, left, size, colour in [
        (30, 40, 12, (230, 60, 60)), (60, 300, 60, (60, 70, 230)), (200, 90, 30, (230, 230, 40)),
        (250, 350, 100, (40, 170, 60)), (150, 450, 20, (250,) * 3), (330, 20, 16, (9, 9, 9)),
    ]:  # fmt: skip
        pixels[top : top + size, left : left + size] = colour
    return pixels.astype(np.uint8)


def stand_out_sum(maps: list[np.ndarray], shape: tuple[int, int]) -> np.ndarray:
    """Σ N(|centre − surround|) over c = 2, 3, 4 and s = c + 3, c + 4, at level 4."""
    total = np.zeros(shape)
    for c, s in [(2, 5), (2, 6), (3, 6), (3, 7), (4, 7), (4, 8)]:
        gap = np.abs(maps[c] - cv2.resize(maps[s], maps[c].shape[::-1]))
        gap = cv2.resize(gap, shape[::-1], interpolation=cv2.INTER_AREA)
        if gap.max() > 1:  # less is rounding
            total += standing_out(gap)
    return total.astype(np.float32)


def pyramid(plane: np.ndarray) -> list[np.ndarray]:
    levels = [plane.astype(np.float32)]
    for _ in range(8):
        levels.append(cv2.pyrDown(levels[-1]))
    return levels


def gabor(plane: np.ndarray, degrees: int) -> np.ndarray:
    """|answer| of a complex Gabor filter of 4½ pixels a wave, its even part without a mean."""
    even, odd = (
        cv2.getGaborKernel((9, 9), 2.0, np.deg2rad(degrees), 4.5, 1.0, phase, cv2.CV_32F)
        for phase in (0.0, np.pi / 2)
    )
    even = even - even.mean()
    parts = [
        cv2.filter2D(plane, -1, part / np.abs(even).sum(), borderType=cv2.BORDER_REPLICATE)
        for part in (even, odd)
    ]
    return np.hypot(*parts)


def test_saliency_is_the_mean_of_three_conspicuities() -> None:
    """S = N(ΣN(I)) + N(ΣN(RG) + ΣN(BY)) + N(Σ_θ N(ΣN(O_θ))), scaled to 0..1 (Itti et al. 1998)."""
    pixels = scene()
    rgb = pixels.astype(np.float32)
    intensity = rgb.mean(axis=2)
    lit = np.where(intensity > 25.5, 85 / np.maximum(intensity, 1), 0)  # the light divided out
    r, g, b = (rgb[:, :, i] * lit for i in range(3))
    red, green = np.maximum(r - (g + b) / 2, 0), np.maximum(g - (r + b) / 2, 0)
    blue = np.maximum(b - (r + g) / 2, 0)
    yellow = np.maximum((r + g) / 2 - np.abs(r - g) / 2 - b, 0)
    levels = pyramid(intensity)
    shape = levels[4].shape
    bright = stand_out_sum(levels, shape)
    colour = sum(stand_out_sum(pyramid(p), shape) for p in (red - green, blue - yellow))
    turned = sum(
        standing_out(stand_out_sum([gabor(level, angle) for level in levels], shape))
        for angle in (0, 45, 90, 135)
    )
    total = sum(standing_out(part) for part in (bright, colour, turned))
    smooth = cv2.GaussianBlur(total, (0, 0), 0.8, borderType=cv2.BORDER_REPLICATE)
    large = cv2.resize(smooth, (512, 384), interpolation=cv2.INTER_CUBIC)
    expected = np.clip((large - smooth.min()) / np.ptp(smooth), 0, 1)
    np.testing.assert_allclose(saliency(ArrayPicture(pixels)), expected, atol=2e-3)


@pytest.mark.parametrize("size", [10, 150])
def test_small_and_large_things_stand_out_alike(size: int) -> None:
    """Fine and coarse pairs of levels: the middle of the thing is the most salient place."""
    pixels = np.full((384, 512, 3), 80, np.uint8)
    middle = (200, 260)
    low = [at - size // 2 for at in middle]
    pixels[low[0] : low[0] + size, low[1] : low[1] + size] = 160
    found = saliency(ArrayPicture(pixels))
    assert found[middle] > 0.7
    assert found[:60].max() < 0.3

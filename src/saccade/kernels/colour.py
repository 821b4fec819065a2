"""Loops over the colours of a picture: soft HSV histograms, HSV codes, moments of blocks."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def soft_histogram(hsv, side):  # type: ignore[no-untyped-def]
    """Mass of `side`³ bins of hue × saturation × value, each pixel shared by its 8 nearest.

    `hsv` is [h, w, 3]. The centres of the hue bins lie at (i + 1/2) · 360 / side and hue is a
    circle; the outer centres of saturation and value lie at 0 and 1.
    """
    mass = np.zeros((side, side, side), np.float64)
    for y in range(hsv.shape[0]):
        for x in range(hsv.shape[1]):
            hue = hsv[y, x, 0] * np.float32(side / 360.0) - np.float32(0.5)
            if hue < 0.0:
                hue += side
            saturation = hsv[y, x, 1] * np.float32(side - 1)
            value = hsv[y, x, 2] * np.float32(side - 1)
            i = int(hue)
            j = min(int(saturation), side - 2)
            k = min(int(value), side - 2)
            hue -= i
            saturation -= j
            value -= k
            i %= side
            for a in range(2):
                share_a = hue if a else np.float32(1.0) - hue
                bin_a = (i + a) % side
                for b in range(2):
                    share_b = share_a * (saturation if b else np.float32(1.0) - saturation)
                    mass[bin_a, j + b, k] += share_b * (np.float32(1.0) - value)
                    mass[bin_a, j + b, k + 1] += share_b * value
    return mass


@njit(cache=True, nogil=True)
def block_moments(plane, rows, columns):  # type: ignore[no-untyped-def]
    """Mean, standard deviation and cube root of the third central moment, [blocks, 3, channels].

    `plane` is [h, w, channels]; `rows` and `columns` are first and last-plus-one, [k, 2].
    """
    channels = plane.shape[2]
    out = np.empty((rows.shape[0] * columns.shape[0], 3, channels), np.float64)
    block = 0
    for r in range(rows.shape[0]):
        for c in range(columns.shape[0]):
            count = (rows[r, 1] - rows[r, 0]) * (columns[c, 1] - columns[c, 0])
            total = np.zeros(channels)
            for y in range(rows[r, 0], rows[r, 1]):
                for x in range(columns[c, 0], columns[c, 1]):
                    for k in range(channels):
                        total[k] += plane[y, x, k]
            mean = total / count
            second = np.zeros(channels)
            third = np.zeros(channels)
            for y in range(rows[r, 0], rows[r, 1]):
                for x in range(columns[c, 0], columns[c, 1]):
                    for k in range(channels):
                        gap = plane[y, x, k] - mean[k]
                        second[k] += gap * gap
                        third[k] += gap * gap * gap
            for k in range(channels):
                out[block, 0, k] = mean[k]
                out[block, 1, k] = np.sqrt(second[k] / count)
                out[block, 2, k] = np.cbrt(third[k] / count)
            block += 1
    return out


@njit(cache=True, nogil=True)
def named_colours(hsv, hues, pale, dim, saturated, bright):  # type: ignore[no-untyped-def]
    """Colour number of each pixel, [h, w] uint8: 4 for each hue, then 8 greys.

    `hues` are the rising upper bounds of the hues in degrees; what lies above the last of them
    belongs to the first hue. Below `pale` saturation or `dim` value a pixel is grey; `saturated`
    and `bright` divide each hue into its four.
    """
    height, width = hsv.shape[:2]
    codes = np.empty((height, width), np.uint8)
    count = hues.shape[0]
    for y in range(height):
        for x in range(width):
            hue, saturation, value = hsv[y, x, 0], hsv[y, x, 1], hsv[y, x, 2]
            if saturation < pale or value < dim:
                codes[y, x] = 4 * count + min(int(value * 8), 7)
            else:
                part = 0
                while part < count and hue >= hues[part]:
                    part += 1
                codes[y, x] = 4 * (part % count) + 2 * (saturation > saturated) + (value > bright)
    return codes

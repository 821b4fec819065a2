"""Colour descriptors against slow, obvious numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from saccade.descriptors.color_correlogram import ColorCorrelogram, codes
from saccade.descriptors.color_histogram import ColorHistogram
from saccade.descriptors.color_moments import CENTRE, SCALE, ColorMoments
from saccade.images.picture import ArrayPicture

SIZES = [(23, 31), (5, 5), (3, 40), (1, 1), (40, 2)]


def photo(height: int, width: int) -> ArrayPicture:
    rng = np.random.default_rng(height * 1000 + width)
    coarse = rng.integers(0, 256, (height // 4 + 1, width // 4 + 1, 3))
    smooth = coarse.repeat(4, axis=0).repeat(4, axis=1)[:height, :width]
    return ArrayPicture(
        np.clip(smooth + rng.integers(-20, 20, smooth.shape), 0, 255).astype(np.uint8)
    )


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_color_histogram_is_the_mean_of_hat_functions(height, width):
    """A bin's mass is the mean over pixels of the product of three triangular memberships."""
    picture = photo(height, width)
    hue, saturation, value = picture.hsv.reshape(-1, 3).astype(np.float64).T
    expected = np.empty((4, 4, 4))
    for i, j, k in itertools.product(range(4), repeat=3):
        away = np.abs(hue - (i + 0.5) * 90.0)
        away = np.minimum(away, 360.0 - away) / 90.0
        share = np.maximum(0, 1 - away)
        share = share * np.maximum(0, 1 - np.abs(saturation * 3 - j))
        share = share * np.maximum(0, 1 - np.abs(value * 3 - k))
        expected[i, j, k] = share.mean()
    found = ColorHistogram().describe([picture])[0]
    np.testing.assert_allclose(found**2, expected.ravel(), atol=1e-5)


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_color_moments_are_those_of_each_block(height, width):
    """Mean, standard deviation and root of the third moment, block by block."""
    picture = photo(height, width)
    lab = picture.lab.astype(np.float64)
    expected = []
    for i, j in itertools.product(range(5), repeat=2):
        top, left = min(round(i * height / 5), height - 1), min(round(j * width / 5), width - 1)
        bottom, right = (
            max(round((i + 1) * height / 5), top + 1),
            max(round((j + 1) * width / 5), left + 1),
        )
        block = lab[top:bottom, left:right].reshape(-1, 3)
        gap = block - block.mean(axis=0)
        expected.append([block.mean(axis=0), block.std(axis=0), np.cbrt((gap**3).mean(axis=0))])
    found = ColorMoments().describe([picture]).reshape(25, 3, 3) * SCALE + CENTRE
    np.testing.assert_allclose(found[:, :2], np.array(expected)[:, :2], atol=1e-3)
    # The cube root has no bounded slope at zero: compare the moments themselves.
    np.testing.assert_allclose(found[:, 2] ** 3, np.array(expected)[:, 2] ** 3, atol=1.0, rtol=1e-4)


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_correlogram_counts_equal_pairs_on_rings(height, width):
    """Every pixel's ring walked pixel by pixel, as far as it lies in the picture."""
    picture = photo(height, width)
    named = codes(picture).astype(int)
    expected = np.zeros((4, 36))
    for row, distance in enumerate((1, 3, 5, 7)):
        equal, pairs = np.zeros(36), np.zeros(36)
        for dy, dx in itertools.product(range(-distance, distance + 1), repeat=2):
            if max(abs(dy), abs(dx)) != distance:
                continue
            here = named[max(0, -dy) : height - max(0, dy), max(0, -dx) : width - max(0, dx)]
            there = named[max(0, dy) : height - max(0, -dy), max(0, dx) : width - max(0, -dx)]
            if here.shape == there.shape and here.size:
                pairs += np.bincount(here.ravel(), minlength=36)
                equal += np.bincount(here[here == there], minlength=36)
        share = np.bincount(named.ravel(), minlength=36) / named.size
        expected[row] = np.sqrt(share * equal / np.maximum(pairs, 1))
    found = ColorCorrelogram().describe([picture])[0]
    np.testing.assert_allclose(found, expected.ravel(), atol=1e-6)


def test_colour_numbers_follow_their_bounds():
    """Seven hues by saturation and value, eight greys, by plain comparisons."""
    picture = photo(23, 31)
    hue, saturation, value = picture.hsv.reshape(-1, 3).T
    part = np.digitize(hue, [22, 45, 70, 155, 186, 278, 330]) % 7
    chromatic = 4 * part + 2 * (saturation > 0.5) + (value > 0.6)
    grey = 28 + np.minimum((value * 8).astype(int), 7)
    expected = np.where((saturation < 0.1) | (value < 0.2), grey, chromatic)
    np.testing.assert_array_equal(codes(picture).ravel(), expected)

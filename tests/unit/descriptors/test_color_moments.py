"""ColorMoments: mean, spread and lean of Lab in 5 × 5 blocks."""

from __future__ import annotations

import numpy as np

from saccade.descriptors.color_moments import CENTRE, SCALE, ColorMoments
from saccade.images.picture import ArrayPicture


def photo(seed: int, height: int = 37, width: int = 52) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def blocks(pixels: np.ndarray) -> np.ndarray:
    """Row of blocks × column of blocks × moment × channel."""
    return ColorMoments().describe([ArrayPicture(pixels)]).reshape(5, 5, 3, 3)


def test_mirroring_mirrors_the_blocks():
    """The left column of the picture is the right column of its mirror."""
    pixels = photo(1)
    np.testing.assert_allclose(blocks(pixels[:, ::-1]), blocks(pixels)[:, ::-1], atol=1e-4)
    np.testing.assert_allclose(blocks(pixels[::-1]), blocks(pixels)[::-1], atol=1e-4)


def test_a_flat_picture_has_no_spread_and_no_lean():
    """Only the means say anything, the same in every block."""
    moments = blocks(np.full((30, 30, 3), (200, 40, 90), np.uint8)) * SCALE + CENTRE
    np.testing.assert_allclose(moments[:, :, 1:], 0.0, atol=1e-3)
    assert np.ptp(moments[:, :, 0], axis=(0, 1)).max() < 1e-3


def test_enlarging_a_picture_changes_nothing():
    """Each pixel four times: the same distribution in every block."""
    pixels = photo(2, 35, 50)
    large = pixels.repeat(2, axis=0).repeat(2, axis=1)
    np.testing.assert_allclose(blocks(large), blocks(pixels), atol=1e-4)


def test_a_few_bright_pixels_lean_upwards():
    """The third moment is positive when the outliers are bright, negative when they are dark."""
    dark = np.zeros((50, 50, 3), np.uint8)
    dark[::5, ::5] = 255
    lean = (blocks(dark) * SCALE + CENTRE)[:, :, 2, 0]
    assert (lean > 0).all()
    assert ((blocks(255 - dark) * SCALE + CENTRE)[:, :, 2, 0] < 0).all()

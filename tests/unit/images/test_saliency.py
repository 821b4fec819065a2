"""Saliency: what differs from its surround stands out, what repeats does not."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.images.picture import ArrayPicture
from saccade.images.saliency import fields, render_saliency, saliency, standing_out


def bars(odd: tuple[int, int]) -> np.ndarray:
    """Upright bars on a grid; the odd one lies level."""
    pixels = np.full((256, 384, 3), 90, np.uint8)
    for row in range(4):
        for column in range(6):
            y, x = 32 + 64 * row, 32 + 64 * column
            if (row, column) == odd:
                pixels[y - 4 : y + 4, x - 18 : x + 18] = 170
            else:
                pixels[y - 18 : y + 18, x - 4 : x + 4] = 170
    return pixels


def peak(pixels: np.ndarray) -> tuple[int, int]:
    found = saliency(ArrayPicture(pixels))
    return tuple(int(i) for i in np.unravel_index(found.argmax(), found.shape))


def test_a_red_spot_on_green_stands_out():
    """Colour alone, at the same brightness, draws the eye."""
    pixels = np.full((200, 300, 3), (40, 120, 40), np.uint8)
    pixels[60:90, 200:230] = (120, 40, 40)
    y, x = peak(pixels)
    assert 50 <= y < 100
    assert 190 <= x < 240


def test_a_blue_spot_on_yellow_stands_out():
    """Neither brighter nor redder nor greener: blue against yellow alone draws the eye."""
    pixels = np.full((200, 300, 3), (120, 120, 0), np.uint8)
    pixels[60:90, 200:230] = (0, 0, 240)
    y, x = peak(pixels)
    assert 50 <= y < 100
    assert 190 <= x < 240


def test_a_bright_spot_on_grey_stands_out():
    """Intensity alone draws the eye."""
    pixels = np.full((200, 300, 3), 90, np.uint8)
    pixels[140:160, 40:60] = 220
    y, x = peak(pixels)
    assert 130 <= y < 170
    assert 30 <= x < 70


def test_one_bar_that_lies_among_upright_ones_stands_out():
    """Orientation alone draws the eye."""
    y, x = peak(bars((2, 4)))
    assert 32 + 128 - 32 <= y < 32 + 128 + 32
    assert 32 + 256 - 32 <= x < 32 + 256 + 32


def test_a_map_with_one_peak_is_kept_and_one_with_many_muted():
    """N is (1 − mean of the other maxima)² of the map scaled to one."""
    one = np.zeros((30, 30), np.float32)
    one[10, 12] = 7
    np.testing.assert_allclose(standing_out(one).max(), 1.0)
    two = one.copy()
    two[25, 25] = 3.5
    np.testing.assert_allclose(standing_out(two)[10, 12], (1 - 0.5) ** 2)
    many = np.zeros((30, 30), np.float32)
    many[2::8, 2::8] = 7
    assert standing_out(many).max() == 0.0


def test_a_flat_picture_has_nothing_salient():
    """Zero everywhere, and no division by zero."""
    found = saliency(ArrayPicture(np.full((50, 70, 3), 130, np.uint8)))
    assert found.shape == (50, 70)
    assert not found.any()


@pytest.mark.parametrize("size", [(1, 1), (1, 700), (700, 1), (3, 5), (90, 60)])
def test_any_size_gives_a_map_of_that_size_within_bounds(size):
    """Small and thin pictures too: finite, float32, from 0 to 1."""
    pixels = np.random.default_rng(1).integers(0, 256, (*size, 3), dtype=np.uint8)
    found = saliency(ArrayPicture(pixels))
    assert found.shape == size
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    assert found.min() >= 0
    assert found.max() <= 1


def test_the_salient_field_is_half_of_the_pixels():
    """The larger values, and of equal ones those that come first."""
    values = np.random.default_rng(2).random((9, 11)).astype(np.float32)
    mask = fields(values)
    assert mask.sum() == 50
    assert values[mask].min() >= values[~mask].max()
    assert fields(np.zeros((2, 4), np.float32)).tolist() == [[True] * 4, [False] * 4]


def test_mirroring_mirrors_the_map():
    """The eye has no better side, up to where the samples of the pyramids fall."""
    pixels = np.full((192, 256, 3), (60, 100, 60), np.uint8)
    pixels[60:90, 170:210] = (200, 60, 60)
    first = saliency(ArrayPicture(pixels))
    second = saliency(ArrayPicture(pixels[:, ::-1]))
    assert np.corrcoef(first[:, ::-1].ravel(), second.ravel())[0, 1] > 0.9


def test_the_rendering_is_warmest_where_it_is_most_salient():
    """Heat over grey, at the picture's own size."""
    pixels = np.full((120, 160, 3), 90, np.uint8)
    pixels[70:90, 30:50] = 230
    found = saliency(ArrayPicture(pixels))
    shown = render_saliency(ArrayPicture(pixels))
    assert shown.shape == pixels.shape
    assert shown.dtype == np.uint8
    warmth = shown[:, :, 0].astype(int) - shown[:, :, 2]
    assert warmth[found > 0.9].mean() > warmth[found < 0.1].mean() + 50


def test_a_dark_picture_has_colours_too():
    """The cut-off is a tenth of the picture's own brightest point, not of full light."""
    pixels = np.full((200, 300, 3), (6, 18, 6), np.uint8)  # nothing is brighter than 10 of 255
    pixels[60:90, 200:230] = (18, 6, 6)
    y, x = peak(pixels)
    assert 50 <= y < 100
    assert 190 <= x < 240


def test_colour_in_the_shadow_of_a_bright_picture_does_not_count():
    """Below a tenth of the brightest point a pixel has no colour: the same spot is not seen."""
    pixels = np.full((200, 300, 3), (6, 18, 6), np.uint8)
    pixels[60:90, 200:230] = (18, 6, 6)
    pixels[:, :20] = 255
    found = saliency(ArrayPicture(pixels))
    assert found[60:90, 200:230].max() < 0.1

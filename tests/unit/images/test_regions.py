"""Regions: parts of a picture that belong together, 4 to 12 of them."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.images.picture import ArrayPicture
from saccade.images.regions import LabelledRegion, regions, regions_of, render_regions, segment


def quarters(noise: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Four colours in four unequal quarters with some noise, and which is where."""
    rng = np.random.default_rng(1)
    truth = np.zeros((120, 160), int)
    truth[:, 90:] += 1
    truth[70:] += 2
    colours = np.array([(200, 40, 40), (40, 160, 60), (50, 60, 190), (220, 210, 80)])
    pixels = colours[truth] + rng.integers(-noise, noise + 1, (120, 160, 3))
    return pixels.clip(0, 255).astype(np.uint8), truth


def test_four_plain_quarters_are_four_regions():
    """Each region lies in one quarter, nearly pixel by pixel."""
    pixels, truth = quarters()
    labels = segment(ArrayPicture(pixels))
    for label in range(4):
        inside = truth[labels == label]
        assert (inside == np.bincount(inside).argmax()).mean() > 0.97
    assert len(np.unique([np.bincount(truth[labels == k]).argmax() for k in range(4)])) == 4


@pytest.mark.parametrize(("top", "left", "side"), [(40, 20, 60), (37, 31, 60), (20, 90, 50)])
def test_rough_and_smooth_of_one_colour_are_two_regions(top, left, side):
    """The spread of lightness tells them apart where the mean does not, wherever the border is."""
    grey = np.repeat(np.arange(256, dtype=np.uint8)[:, None, None], 3, axis=2)
    light = ArrayPicture(grey).lab[:, 0, 0]
    dark, middle, pale = (np.abs(light - level).argmin() for level in (35, 55, 75))
    pixels = np.full((120, 160, 3), middle, np.uint8)
    board = np.indices((side, side)).sum(axis=0) % 2 == 0
    inside = np.s_[top : top + side, left : left + side]
    pixels[inside] = np.where(board, dark, pale)[:, :, None]
    labels = segment(ArrayPicture(pixels))
    rough = np.zeros(labels.shape, bool)
    rough[inside] = True
    for label in range(labels.max() + 1):
        share = rough[labels == label].mean()
        assert min(share, 1 - share) < 0.1


@pytest.mark.parametrize("mast", [46, 60, 74, 86])
def test_one_area_on_both_sides_of_a_mast_is_one_region(mast):
    """What a thin upright bar divides is not cut in two."""
    pixels = np.full((120, 160, 3), (120, 170, 230), np.uint8)
    pixels[80:] = (60, 110, 50)
    pixels[20:80, mast : mast + 12] = (120, 60, 30)
    pixels[10:40, 120:150] = (250, 240, 120)
    labels = segment(ArrayPicture(pixels))
    sky = labels[40, mast - 14]
    assert sky == labels[40, mast + 26]
    assert sky != labels[40, mast + 6]
    assert sky != labels[100, mast - 14]


@pytest.mark.parametrize("seed", range(3))
def test_there_are_four_to_twelve_regions_and_they_cover_the_picture(seed):
    """Noise, blobs or nothing at all: every pixel has a region, the largest is number 0."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (6, 8, 3), dtype=np.uint8)
    pixels = coarse.repeat(15, axis=0).repeat(15, axis=1) if seed else np.full((90, 120, 3), 99)
    labels = segment(ArrayPicture(pixels.astype(np.uint8)))
    assert labels.shape == (90, 120)
    assert labels.dtype == np.int32
    sizes = np.bincount(labels.ravel())
    assert 4 <= len(sizes) <= 12
    assert (sizes > 0).all()
    assert (np.diff(sizes) <= 0).all()


def test_the_same_picture_has_the_same_regions():
    """Nothing is left to chance."""
    pixels, _ = quarters(40)
    first, second = (segment(ArrayPicture(pixels)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("size", "expected"),
    [((1, 1), 1), ((1, 2), 2), ((2, 2), 4), ((1, 700), None), ((9, 300), None)],
)
def test_small_and_thin_pictures_have_regions_too(size, expected):
    """As many as pixels when there are fewer than four, else four to twelve."""
    pixels = np.random.default_rng(3).integers(0, 256, (*size, 3), dtype=np.uint8)
    labels = segment(ArrayPicture(pixels))
    count = int(labels.max()) + 1
    assert labels.shape == size
    assert count == expected if expected else 4 <= count <= 12


def test_a_region_knows_its_box_and_its_share():
    """Boxes are tight, shares sum to one, numbers go up."""
    labels = np.zeros((10, 20), np.int32)
    labels[2:5, 3:9] = 1
    assert regions_of(labels)[1] == LabelledRegion(1, (2, 3, 5, 9), 18 / 200)
    pixels, _ = quarters()
    found = regions(ArrayPicture(pixels))
    assert [region.label for region in found] == list(range(len(found)))
    assert sum(region.area for region in found) == pytest.approx(1.0)


def test_the_rendering_shows_borders_in_white_over_mean_colours():
    """White exactly where regions meet; elsewhere the picture's own colours, washed."""
    pixels, truth = quarters(0)
    shown = render_regions(ArrayPicture(pixels))
    assert shown.shape == pixels.shape
    assert shown.dtype == np.uint8
    white = (shown == 255).all(axis=2)
    assert 0.005 < white.mean() < 0.1
    assert white[:, 86:94].any(axis=1).mean() > 0.9
    plain = ~white & (truth == 0)
    np.testing.assert_allclose(np.median(shown[plain], axis=0), (200, 40, 40), atol=6)

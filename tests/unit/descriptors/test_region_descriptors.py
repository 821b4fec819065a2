"""Regions described by colour correlogram, colour moments and Gabor texture."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.descriptors.color_correlogram import ColorCorrelogram
from saccade.descriptors.color_moments import CENTRE, SCALE
from saccade.descriptors.gabor_texture import GaborTexture
from saccade.descriptors.regions import DIMENSION, describe_regions
from saccade.errors import InvalidInput
from saccade.images.picture import ArrayPicture


def halves() -> tuple[ArrayPicture, np.ndarray]:
    """Smooth red on the left, green stripes on the right."""
    pixels = np.full((128, 128, 3), (200, 40, 40), np.uint8)
    pixels[:, 64:] = (30, 120, 40)
    pixels[:, 64::4] = (60, 230, 80)
    labels = np.zeros((128, 128), np.int32)
    labels[:, 64:] = 1
    return ArrayPicture(pixels), labels


def test_one_region_over_all_is_the_whole_picture():
    """A single label gives the picture's own correlogram and Gabor texture."""
    picture = ArrayPicture(np.random.default_rng(1).integers(0, 256, (90, 110, 3), dtype=np.uint8))
    vector = describe_regions(picture, np.zeros((90, 110), np.int32))[0]
    assert vector.shape == (DIMENSION,)
    np.testing.assert_allclose(
        vector[:144] * 1.7, ColorCorrelogram().describe([picture])[0], atol=1e-4
    )
    np.testing.assert_allclose(vector[153:] * 3.8, GaborTexture().describe([picture])[0], atol=1e-3)


def test_moments_are_those_of_the_regions_own_pixels():
    """Mean, deviation and lean of Lab, worked out by hand from the mask."""
    picture, labels = halves()
    vectors = describe_regions(picture, labels)
    for label in range(2):
        colours = picture.lab[labels == label].astype(np.float64)
        gaps = colours - colours.mean(axis=0)
        expected = [colours.mean(axis=0), colours.std(axis=0), np.cbrt((gaps**3).mean(axis=0))]
        found = vectors[label, 144:153].reshape(3, 3) * 2.7 * SCALE + CENTRE
        np.testing.assert_allclose(found, expected, atol=0.01)


def test_colours_of_other_regions_do_not_enter():
    """The red half has no green in its correlogram, and the other way round."""
    picture, labels = halves()
    red, green = describe_regions(picture, labels)[:, :144].reshape(2, 4, 36).sum(axis=1)
    assert not (red > 0)[green > 0].any()


def test_stripes_show_in_their_own_region():
    """The striped half has more texture at the finest scales than the smooth one."""
    picture, labels = halves()
    smooth, striped = describe_regions(picture, labels)[:, 153:].reshape(2, 4, 6, 2)
    assert striped[:2, 0, 0].max() > smooth[:2, 0, 0].max() + 0.1


def test_a_tiny_region_is_described():
    """One pixel of a large picture still has a colour."""
    pixels = np.full((600, 800, 3), 90, np.uint8)
    pixels[300, 400] = (255, 0, 0)
    labels = np.zeros((600, 800), np.int32)
    labels[300, 400] = 1
    vectors = describe_regions(ArrayPicture(pixels), labels)
    assert np.isfinite(vectors).all()


def test_a_label_map_of_another_size_is_refused():
    """The message names both sizes."""
    picture, _ = halves()
    with pytest.raises(InvalidInput, match=r"\(5, 5\).*\(128, 128\)"):
        describe_regions(picture, np.zeros((5, 5), np.int32))


@pytest.mark.parametrize("numbers", [(0, 2), (1, 2), (-1, 0)])
def test_numbers_with_gaps_are_refused(numbers):
    """Rows are found by number, so no number may lack a region."""
    picture, labels = halves()
    renamed = np.where(labels == 0, *(np.int32(n) for n in numbers))
    with pytest.raises(InvalidInput, match="without gaps"):
        describe_regions(picture, renamed)

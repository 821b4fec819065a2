"""ColorCorrelogram: how much of a colour, and how it hangs together."""

from __future__ import annotations

import numpy as np

from saccade.descriptors.color_correlogram import ColorCorrelogram, codes, correlogram
from saccade.images.picture import ArrayPicture


def describe(pixels: np.ndarray) -> np.ndarray:
    return ColorCorrelogram().describe([ArrayPicture(pixels)]).reshape(4, 36)


def two_colours(mask: np.ndarray) -> np.ndarray:
    return np.where(mask[:, :, None], (220, 20, 20), (20, 20, 220)).astype(np.uint8)


def test_a_picture_of_one_colour_is_one_in_that_colour():
    """All pairs are equal, at every distance, up to the border."""
    vector = describe(np.full((40, 30, 3), (10, 200, 30), np.uint8))
    assert (vector > 0).sum(axis=1).tolist() == [1, 1, 1, 1]
    np.testing.assert_allclose(vector.max(axis=1), 1.0)


def test_one_area_stands_above_the_same_colour_strewn_about():
    """The histogram is the same; the correlogram knows the difference."""
    rng = np.random.default_rng(1)
    whole = np.zeros((60, 60), bool)
    whole[:, :30] = True
    strewn = rng.permutation(whole.ravel()).reshape(60, 60)
    together, apart = describe(two_colours(whole)), describe(two_colours(strewn))
    present = together[0] > 0
    assert (together[:, present] > apart[:, present] + 0.1).all()


def test_likeness_falls_with_distance():
    """In a picture of blobs a near neighbour is more often alike than a far one."""
    blobs = np.add.outer(np.arange(60) // 10, np.arange(60) // 10) % 2 == 0
    vector = describe(two_colours(blobs))
    present = vector[0] > 0
    assert (np.diff(vector[:, present], axis=0) < 0).all()


def test_mirroring_and_turning_change_nothing():
    """Rings are square and symmetric."""
    pixels = np.random.default_rng(2).integers(0, 256, (30, 44, 3), dtype=np.uint8)
    for other in (pixels[:, ::-1], pixels[::-1], pixels.transpose(1, 0, 2)):
        np.testing.assert_allclose(describe(other), describe(pixels), atol=1e-6)


def test_greys_and_hues_have_numbers_of_their_own():
    """Black, white, and the pure colours all differ; red is red on both sides of 0°."""
    shades = [(0, 0, 0), (255, 255, 255), (128, 128, 128), (255, 0, 0), (255, 0, 20)]
    shades += [(255, 255, 0), (0, 255, 0), (0, 255, 255), (0, 0, 255), (255, 0, 255)]
    named = [int(codes(ArrayPicture(np.array([[s]], np.uint8)))[0, 0]) for s in shades]
    assert named[3] == named[4]
    assert len(set(named)) == len(named) - 1
    assert max(named) < 36


def test_pixels_left_out_count_as_another_colour():
    """A region's correlogram has no entry for what lies outside it."""
    named = np.full((20, 20), 255, np.uint8)
    named[5:15, 5:15] = 7
    vector = correlogram(named)
    assert np.flatnonzero(vector.sum(axis=0)).tolist() == [7]
    assert (vector[:, 7] < 1).all()

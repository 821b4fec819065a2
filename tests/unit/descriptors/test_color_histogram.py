"""ColorHistogram: soft HSV bins, root, the same for a mirrored picture."""

from __future__ import annotations

import numpy as np

from saccade.descriptors.color_histogram import ColorHistogram
from saccade.images.picture import ArrayPicture


def photo(seed: int, height: int = 40, width: int = 60) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_vectors_have_unit_two_norm():
    """Squares are shares, so they sum to one."""
    vectors = ColorHistogram().describe([ArrayPicture(photo(1)), ArrayPicture(photo(2))])
    assert vectors.shape == (2, 64)
    np.testing.assert_allclose((vectors**2).sum(axis=1), 1.0, rtol=1e-5)


def test_mirroring_and_turning_change_nothing():
    """A histogram does not know where a colour was."""
    pixels = photo(3)
    turned = [pixels, pixels[:, ::-1], pixels[::-1], pixels.transpose(1, 0, 2)]
    vectors = ColorHistogram().describe([ArrayPicture(p) for p in turned])
    for other in vectors[1:]:
        np.testing.assert_allclose(other, vectors[0], atol=1e-6)


def test_a_slight_change_of_light_moves_little():
    """Two near shades on both sides of a bin's edge stay alike."""
    shades = [np.full((9, 9, 3), level, np.uint8) for level in (126, 128, 30)]
    first, near, far = ColorHistogram().describe([ArrayPicture(shade) for shade in shades])
    assert np.linalg.norm(first - near) < 0.1 < np.linalg.norm(first - far)


def test_pure_red_lies_between_the_first_and_the_last_hue():
    """Hue is a circle: red shares its mass between the bins on both sides of 0°."""
    red = np.zeros((4, 4, 3), np.uint8)
    red[..., 0] = 255
    bins = ColorHistogram().describe([ArrayPicture(red)]).reshape(4, 4, 4) ** 2
    np.testing.assert_allclose(bins[[0, 3], 3, 3], 0.5, atol=1e-6)

"""What each descriptor's version gives: stored columns rely on it."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import descriptors
from saccade.descriptors.regions import describe_regions
from saccade.images.picture import ArrayPicture

# Version, 2-norm, and six values from the first to the last, on the picture below.
VALUES = {
    "color-histogram": ("1", 1.0, [0.0155, 0.0228, 0.151, 0.1627, 0.1021, 0.0843]),
    "color-moments": ("1", 26.358, [0.1192, -0.94, 0.561, -1.7714, 2.7079, 2.0698]),
    "color-correlogram": ("1", 1.3422, [0.1061, 0.0, 0.1145, 0.0443, 0.0682, 0.0]),
    "edge-directions": ("1", 1.3074, [0.0179, -0.4443, -0.4246, -0.2107, -0.2104, -0.2164]),
    "wavelet-texture": ("1", 3.1426, [0.5463, 0.0777, -0.106, -0.1533, -0.0651, 0.0504]),
    "gabor-texture": ("1", 3.6183, [-0.494, -0.6546, -0.3083, -0.5676, 0.1786, 0.0039]),
    "lbp": ("1", 16.9128, [-4.1045, -3.6424, 0.6269, 0.4659, -1.0494, -5.5168]),
    "gist": ("1", 13.269, [-0.6285, -0.5722, -0.9598, -0.0709, -0.2117, 0.804]),
    "gist-color": ("1", 17.9594, [-0.4045, -0.2613, -0.3788, -0.5169, -0.4235, -0.2249]),
    "cortex": ("1", 15.8853, [-0.6305, -0.7812, 0.3317, -0.2404, 0.6562, -0.3053]),
}


@pytest.fixture(scope="module")
def picture() -> ArrayPicture:
    """Waves in three channels and three plain rectangles."""
    y, x = np.mgrid[:180, :240].astype(float)
    red = 120 + 60 * np.sin(x / 9 + y / 31)
    green = 110 + 70 * np.cos(y / 13) * np.sin(x / 40)
    rgb = np.stack([red, green, 90 + 80 * np.sin((x - y) / 21)], axis=2)
    rgb[40:90, 30:80] = (220, 60, 40)
    rgb[100:160, 140:220] = (40, 90, 200)
    rgb[20:35, 150:230] = (240, 235, 210)
    return ArrayPicture(rgb.clip(0, 255).astype(np.uint8))


def test_every_descriptor_computed_here_is_held() -> None:
    """Only encoders, whose values are their weights', are left out."""
    held = {name for name in descriptors.DESCRIPTORS if not name.startswith("embedding")}
    assert held == VALUES.keys()


@pytest.mark.parametrize("name", VALUES)
def test_a_version_has_its_values(name: str, picture: ArrayPicture) -> None:
    """Whoever changes what a descriptor gives changes its version too, and then this table."""
    version, norm, expected = VALUES[name]
    descriptor = descriptors.make(name)
    assert descriptor.version == version
    vector = descriptor.describe([picture])[0].astype(float)
    assert np.linalg.norm(vector) == pytest.approx(norm, abs=2e-3)
    places = np.linspace(0, len(vector) - 1, 6).astype(int)
    np.testing.assert_allclose(vector[places], expected, atol=1e-3)


def test_regions_have_their_values(picture: ArrayPicture) -> None:
    """Two halves of the picture: correlogram, moments and texture over their own pixels."""
    halves = (np.indices((180, 240))[1] >= 100).astype(np.int32)
    found = describe_regions(picture, halves).astype(float)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), [2.5261, 2.6005], atol=1e-3)
    expected = [
        [0.0504, 0.0238, 0.0, 0.2269, -0.0979, -0.1984, -0.0783],
        [0.0696, 0.0311, 0.0, -0.1106, 0.2225, -0.1322, 0.0181],
    ]
    np.testing.assert_allclose(found[:, [0, 60, 100, 146, 150, 170, 200]], expected, atol=1e-3)

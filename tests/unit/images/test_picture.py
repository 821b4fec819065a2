from __future__ import annotations

import numpy as np
import pytest

from saccade.contracts import Picture
from saccade.errors import InvalidInput
from saccade.images.picture import ArrayPicture

RED, GREEN, BLUE, WHITE, BLACK = (
    np.array([[c]], np.uint8) for c in ([255, 0, 0], [0, 255, 0], [0, 0, 255], [255] * 3, [0, 0, 0])
)


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 256, (height, width, 3), np.uint8)


def test_gray_is_bt601_luma() -> None:
    """Gray weighs red, green and blue by 0.299, 0.587 and 0.114."""
    rgb = noise(9, 11)
    expected = rgb @ np.array([0.299, 0.587, 0.114])
    assert np.abs(ArrayPicture(rgb).gray - expected).max() <= 0.51


@pytest.mark.parametrize(
    ("rgb", "lab"),
    [
        (WHITE, (100, 0, 0)),
        (BLACK, (0, 0, 0)),
        (RED, (53.24, 80.09, 67.20)),
        (GREEN, (87.73, -86.18, 83.18)),
        (BLUE, (32.30, 79.19, -107.86)),
    ],
)
def test_lab_matches_the_textbook_values(rgb: np.ndarray, lab: tuple[float, ...]) -> None:
    """The primaries of sRGB have their known L*a*b* under D65."""
    np.testing.assert_allclose(ArrayPicture(rgb).lab[0, 0], lab, atol=0.35)


@pytest.mark.parametrize(
    ("rgb", "hsv"),
    [(RED, (0, 1, 1)), (GREEN, (120, 1, 1)), (BLUE, (240, 1, 1)), (WHITE, (0, 0, 1))],
)
def test_hsv_is_in_degrees_and_fractions(rgb: np.ndarray, hsv: tuple[float, ...]) -> None:
    """Hue is in degrees, saturation and value go from 0 to 1."""
    np.testing.assert_allclose(ArrayPicture(rgb).hsv[0, 0], hsv, atol=1e-4)


def test_planes_are_float32_and_made_once() -> None:
    """A second look at a plane gives the same array."""
    picture: Picture = ArrayPicture(noise(5, 4))
    assert picture.lab.dtype == picture.hsv.dtype == np.float32
    assert picture.lab is picture.lab
    assert picture.hsv is picture.hsv
    assert picture.gray is picture.gray


def test_sizes_are_shared() -> None:
    """Two descriptors that ask for the same size get the same picture."""
    picture = ArrayPicture(noise(50, 40))
    assert picture.square(16) is picture.square(16)
    assert picture.fit(20) is picture.fit(20)


def test_fit_keeps_the_aspect_and_never_enlarges() -> None:
    """The longer side becomes the side asked for, unless the picture is smaller already."""
    picture = ArrayPicture(noise(50, 100))
    assert picture.fit(40).rgb.shape == (20, 40, 3)
    assert picture.fit(100) is picture
    assert picture.fit(1000) is picture


@pytest.mark.parametrize("shape", [(1, 1), (1, 4000), (4000, 1), (3, 3)])
def test_square_works_from_any_shape(shape: tuple[int, int]) -> None:
    """Every picture has a square version, however thin it is."""
    assert ArrayPicture(noise(*shape)).square(32).rgb.shape == (32, 32, 3)


def test_fit_leaves_a_thin_picture_one_pixel() -> None:
    """A line stays a line."""
    assert ArrayPicture(noise(1, 4000)).fit(64).rgb.shape == (1, 64, 3)


def test_shrinking_averages_areas() -> None:
    """Half the size is the mean of two by two pixels."""
    rgb = noise(8, 8)
    expected = rgb.reshape(4, 2, 4, 2, 3).mean(axis=(1, 3))
    assert np.abs(ArrayPicture(rgb).square(4).rgb - expected).max() <= 0.51


def test_shrinking_a_thin_picture_averages_along_it() -> None:
    """A side that shrinks is averaged even while the other one grows."""
    rgb = np.zeros((1, 64, 3), np.uint8)
    rgb[:, ::2] = 200
    assert np.abs(ArrayPicture(rgb).square(4).rgb.astype(int) - 100).max() <= 1


def test_arrays_are_read_only() -> None:
    """A descriptor cannot change what the next one sees."""
    picture = ArrayPicture(noise(4, 4))
    for plane in (picture.rgb, picture.gray, picture.lab, picture.hsv, picture.square(2).rgb):
        assert not plane.flags.writeable


def test_the_callers_array_stays_writable() -> None:
    """Making a picture takes nothing away from who made the pixels."""
    rgb = noise(4, 4)
    ArrayPicture(rgb)
    assert rgb.flags.writeable


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((4, 4, 3)),
        np.zeros((0, 4, 3), np.uint8),
    ],
)
def test_what_is_no_rgb_array_is_refused(wrong: np.ndarray) -> None:
    """The error says what a picture is and what was given."""
    with pytest.raises(InvalidInput, match="array \\[h, w, 3\\] of uint8"):
        ArrayPicture(wrong)


def test_a_side_below_one_is_refused() -> None:
    """No picture has zero pixels."""
    with pytest.raises(InvalidInput, match="at least 1"):
        ArrayPicture(noise(4, 4)).square(0)

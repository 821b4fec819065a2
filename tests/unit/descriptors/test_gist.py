"""Gist: oriented detail in 4 × 4 cells, grey and colour."""

from __future__ import annotations

import numpy as np

from saccade.descriptors.gist import Gist, GistColor, even_out
from saccade.images.picture import ArrayPicture


def picture(gray: np.ndarray) -> ArrayPicture:
    return ArrayPicture(np.repeat(gray.astype(np.uint8)[:, :, None], 3, axis=2))


def cloud(seed: int) -> np.ndarray:
    """Noise with a falling spectrum, like a photograph's."""
    rng = np.random.default_rng(seed)
    radius = np.hypot(*np.meshgrid(np.fft.fftfreq(128), np.fft.fftfreq(128)))
    transform = np.fft.fft2(rng.standard_normal((128, 128))) / np.maximum(radius, 0.01)
    plane = np.fft.ifft2(transform).real
    return np.round(120 + 40 * plane / plane.std()).clip(10, 240)


def test_detail_is_found_in_its_cell():
    """A patch of stripes in one cell raises that cell above all others, at its orientation."""
    gray = np.full((128, 128), 100)
    gray[32:64, 96:128] += (np.arange(32) // 2 % 2 * 60).astype(int)
    cells = Gist().describe([picture(gray)]).reshape(4, 8, 4, 4)
    finest = cells[0]
    assert np.unravel_index(finest.argmax(), finest.shape) == (0, 1, 3)


def test_mirroring_mirrors_cells_and_orientations():
    """The right column becomes the left one, and orientation j becomes −j."""
    gray = cloud(1)
    first, second = Gist().describe([picture(gray), picture(gray[:, ::-1])])
    first, second = first.reshape(4, 8, 4, 4), second.reshape(4, 8, 4, 4)
    mirrored = first[:, [0, 7, 6, 5, 4, 3, 2, 1], :, ::-1]
    np.testing.assert_allclose(second, mirrored, atol=0.15)
    assert np.corrcoef(second.ravel(), mirrored.ravel())[0, 1] > 0.995


def test_half_the_light_is_nearly_the_same_scene():
    """Ratios survive a change of light; another scene is far."""
    gray = cloud(2)
    same, half, other = Gist().describe([picture(gray), picture(gray / 2), picture(cloud(3))])
    assert np.linalg.norm(same - half) < 0.2 * np.linalg.norm(same - other)


def test_evened_planes_are_bounded_and_flat_ones_empty():
    """A flat plane has nothing to even out, and no division by zero."""
    np.testing.assert_allclose(even_out(np.full((128, 128), 77, np.uint8)), 0, atol=1e-3)
    assert np.abs(even_out(cloud(4).astype(np.uint8))).max() < 10


def test_colour_channels_are_described_one_by_one():
    """Stripes in red alone raise the red part alone."""
    pixels = np.full((128, 128, 3), 100, np.uint8)
    pixels[:, :, 0] += (np.arange(128) // 2 % 2 * 60).astype(np.uint8)
    red, green, blue = GistColor().describe([ArrayPicture(pixels)]).reshape(3, 20, 16)
    assert red.max() > green.max() + 1
    np.testing.assert_array_equal(green, blue)

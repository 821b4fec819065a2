"""WaveletTexture: strength of detail by size and direction."""

from __future__ import annotations

import numpy as np

from saccade.descriptors.wavelet_texture import CENTRE, WaveletTexture, strengths
from saccade.images.picture import ArrayPicture


def picture(gray: np.ndarray) -> ArrayPicture:
    return ArrayPicture(np.repeat(gray.astype(np.uint8)[:, :, None], 3, axis=2))


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(40, 160, (128, 128))


def test_a_flat_picture_has_brightness_and_no_detail():
    """Only the smooth bands hold anything: the grey level, at every depth."""
    found = strengths(np.full((128, 128), 90, np.float32))
    smooth = np.zeros(64, bool)
    smooth[[0, 4, 8, 12]] = True
    np.testing.assert_allclose(found[smooth, 0], 90, rtol=1e-4)
    np.testing.assert_allclose(found[~smooth], 0, atol=1e-3)


def test_light_moves_the_smooth_bands_only():
    """A constant added to all grey levels leaves the detail as it was."""
    gray = noise(1).astype(np.float32)
    before, after = strengths(gray), strengths(gray + 50)
    smooth = [0, 4, 8, 12]
    np.testing.assert_allclose(after[smooth, 0], before[smooth, 0] + 50, rtol=1e-4)
    np.testing.assert_allclose(
        np.delete(after, smooth, axis=0), np.delete(before, smooth, axis=0), atol=1e-3
    )


def test_stripes_are_found_in_their_direction():
    """Level stripes fill the horizontal band, upright stripes the vertical one."""
    stripes = np.tile(np.arange(128) % 2 * 100.0, (128, 1)).astype(np.float32)
    upright, level = strengths(stripes), strengths(np.ascontiguousarray(stripes.T))
    assert upright[1:4, 0].argmax() == 1
    assert level[1:4, 0].argmax() == 0


def test_turning_the_picture_swaps_the_two_directions():
    """Transposing exchanges horizontal and vertical in every split of the pyramid."""
    gray = noise(2).astype(np.float32)
    before, after = strengths(gray), strengths(np.ascontiguousarray(gray.T))
    order = [0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11]
    np.testing.assert_allclose(after[:12], before[order], rtol=1e-4)


def test_overall_strength_is_held_down():
    """Three quarters of what all bands share are taken out of the vector."""
    gray = noise(3)
    vector = WaveletTexture().describe([picture(gray)])[0].reshape(64, 2)
    raw = np.log1p(strengths(gray.astype(np.float32))) - CENTRE
    detail = np.arange(64) % 4 != 0
    np.testing.assert_allclose(vector[detail].mean(), 0.25 * raw[detail].mean(), rtol=1e-3)

"""GaborTexture: mean and deviation of 24 Gabor filters."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.descriptors.gabor_texture import GaborTexture, answers, spectra
from saccade.images.picture import ArrayPicture


def picture(gray: np.ndarray) -> ArrayPicture:
    return ArrayPicture(np.repeat(gray.astype(np.uint8)[:, :, None], 3, axis=2))


def wave(frequency: float, angle: float) -> np.ndarray:
    y, x = np.mgrid[:128, :128]
    phase = 2 * np.pi * frequency * (x * np.cos(angle) + y * np.sin(angle))
    return np.round(127 + 100 * np.sin(phase))


def means(gray: np.ndarray) -> np.ndarray:
    return np.array([answer.mean() for answer in answers(picture(gray))]).reshape(4, 6)


@pytest.mark.parametrize("scale", range(4))
@pytest.mark.parametrize("orientation", range(6))
def test_each_filter_answers_its_own_wave_most(scale, orientation):
    """A wave at a filter's frequency and angle finds that filter."""
    gray = wave(0.4 / 2**scale, np.pi * orientation / 6)
    assert np.unravel_index(means(gray).argmax(), (4, 6)) == (scale, orientation)


def test_neighbouring_filters_touch_at_half_height():
    """Halfway between two centres of one scale, in the radius, both filters pass about half."""
    bank = spectra().reshape(4, 6, 160, 160)
    # On the axis of orientation 0: frequencies 0.2 and 0.1 at places 32 and 16 of 160.
    between = np.argmin(np.abs(bank[1, 0, 0, 16:33] - bank[2, 0, 0, 16:33])) + 16
    assert bank[1, 0, 0, between] == pytest.approx(0.5, abs=0.15)


def test_light_changes_nothing():
    """A constant added to all grey levels is not seen: the filters pass no constant."""
    gray = np.random.default_rng(1).integers(40, 160, (128, 128))
    first, second = GaborTexture().describe([picture(gray), picture(gray + 60)])
    np.testing.assert_allclose(first, second, atol=0.02)


def test_mirroring_sends_an_orientation_to_its_mirror():
    """Orientation k becomes 6 − k; level and upright stay."""
    gray = wave(0.1, 0.5) / 2 + np.random.default_rng(2).integers(0, 90, (128, 128))
    first, second = GaborTexture().describe([picture(gray), picture(gray[:, ::-1])])
    order = [0, 5, 4, 3, 2, 1]
    np.testing.assert_allclose(second.reshape(4, 6, 2), first.reshape(4, 6, 2)[:, order], atol=0.05)

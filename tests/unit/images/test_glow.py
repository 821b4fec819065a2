"""A coarse map brought to a picture's size along its edges."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.images.glow import DIM, glow, lit, veil


def scene() -> tuple[np.ndarray, np.ndarray]:
    """A red square on green, and where it is."""
    pixels = np.zeros((70, 105, 3), np.uint8)
    pixels[:] = (40, 120, 50)
    inside = np.zeros((70, 105), bool)
    inside[22:48, 38:67] = True
    pixels[inside] = (200, 40, 30)
    return pixels, inside


def test_light_that_spills_over_a_border_is_drawn_back() -> None:
    """The square's corners are brighter than the ground just outside, which the grid cannot say."""
    pixels, inside = scene()
    scores = np.zeros((7, 7), np.float32)
    scores[2:5, 2:5] = 1.0
    found = glow(scores, pixels)
    assert (found.shape, found.min(), found.max()) == ((70, 105), 0.0, 1.0)
    near = np.zeros_like(inside)
    near[16:54, 32:73] = True
    assert found[inside].min() > found[near & ~inside].mean() + 0.2


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (12, 240), (300, 15)])
def test_any_shape_has_a_map(shape: tuple[int, int]) -> None:
    """Of its size, in 0..1, finite."""
    scores = np.arange(49, dtype=np.float32).reshape(7, 7)
    found = glow(scores, np.full((*shape, 3), 90, np.uint8))
    assert found.shape == shape
    assert np.isfinite(found).all()
    assert found.min() >= 0.0
    assert found.max() <= 1.0


def test_an_even_map_is_dark() -> None:
    """Nothing stands out, and nothing is made to."""
    assert glow(np.full((7, 7), 3.0, np.float32), scene()[0]).max() == 0.0


def test_the_veil_is_clear_where_it_counts() -> None:
    """Black of an alpha that leaves the least still to be seen; the same by light."""
    values = np.array([[0.0, 1.0]], np.float32)
    over = veil(values)
    assert over[0, 1].tolist() == [0, 0, 0, 0]
    assert over[0, 0, 3] == round(255 * (1 - DIM))
    shown = lit(np.full((1, 2, 3), 200, np.uint8), values)
    assert shown[0, :, 0].tolist() == [round(200 * DIM), 200]

from __future__ import annotations

import numpy as np

from saccade.images.decode import decode
from saccade.images.picture import ArrayPicture
from saccade.images.thumbnails import thumbnail


def gradient(height: int, width: int) -> ArrayPicture:
    rgb = np.zeros((height, width, 3), np.uint8)
    rgb[..., 0] = np.linspace(0, 255, width).astype(np.uint8)
    rgb[..., 1] = np.linspace(0, 255, height).astype(np.uint8)[:, None]
    return ArrayPicture(rgb)


def test_a_thumbnail_is_a_webp_of_the_size_asked_for() -> None:
    """The longer side is the side asked for."""
    small = decode(thumbnail(gradient(400, 800), side=320))
    assert (small.format, small.width, small.height) == ("WebP", 320, 160)


def test_a_thumbnail_looks_like_its_picture() -> None:
    """What is shown is the picture, up to the losses of WebP."""
    picture = gradient(100, 200)
    shown = decode(thumbnail(picture)).picture.rgb
    assert np.abs(shown.astype(int) - picture.rgb).mean() < 4


def test_a_small_picture_is_not_enlarged() -> None:
    """One pixel stays one pixel."""
    assert decode(thumbnail(gradient(1, 1))).width == 1


def test_thumbnails_are_the_same_every_time() -> None:
    """The same picture gives the same bytes."""
    assert thumbnail(gradient(90, 70)) == thumbnail(gradient(90, 70))

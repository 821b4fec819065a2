"""Camera RAW → the picture the camera shows: its own preview, or the sensor's data developed.

Most cameras put a JPEG of good size into their files. Where there is none, or a mere stamp, the raw
data is developed at half its size with the camera's own white balance. Needs the package rawpy.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

from saccade.errors import NotAnImage
from saccade.images.rendering import ORIENTATION, Limits, Rendered, render, shrunk
from saccade.types import Pixels

# How LibRaw writes that the camera was turned, as quarter turns against the clock.
_QUARTER_TURNS = {3: 2, 5: 1, 6: 3}
# A preview smaller than this is a stamp for the camera's own display.
_LEAST_SIDE = 480


def render_raw(data: bytes, *, side: int | None, limits: Limits) -> Rendered:
    """The picture in the bytes of a camera RAW file."""
    import rawpy

    with rawpy.imread(BytesIO(data)) as raw:
        width, height = raw.sizes.width, raw.sizes.height
        if width * height > limits.max_pixels:
            raise NotAnImage(
                f"{width} × {height} pixels are over the limit of {limits.max_pixels:,}"
            )
        turns = _QUARTER_TURNS.get(raw.sizes.flip, 0)
        rgb = _preview(raw, turns, side, limits)
        if rgb is None:
            rgb = _developed(raw, side)
    return Rendered(rgb, *((height, width) if turns % 2 else (width, height)), "RAW")


def _preview(raw: Any, turns: int, side: int | None, limits: Limits) -> Pixels | None:
    """The camera's own JPEG, upright; None where there is none worth showing."""
    import rawpy

    try:
        found = raw.extract_thumb()
        if found.format != rawpy.ThumbFormat.JPEG:
            return None
        rgb = render(found.data, side=side, limits=limits).rgb
    except (rawpy.LibRawError, NotAnImage):
        return None
    if max(rgb.shape[:2]) < min(_LEAST_SIDE, raw.sizes.width, raw.sizes.height):
        return None
    with Image.open(BytesIO(found.data), formats=["JPEG"]) as preview:
        says_itself = preview.getexif().get(ORIENTATION, 1) != 1
    return rgb if says_itself else np.ascontiguousarray(np.rot90(rgb, turns))


def _developed(raw: Any, side: int | None) -> Pixels:
    """The sensor's data as a picture, upright: LibRaw turns it."""
    rgb: Pixels = raw.postprocess(half_size=True, use_camera_wb=True, output_bps=8)
    size = shrunk(rgb.shape[1], rgb.shape[0], side)
    if size is None:
        return rgb
    image = Image.fromarray(rgb).resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    return np.asarray(image)

"""Camera RAW → the picture the camera shows: its own preview, or the sensor's data developed.

Most cameras put a JPEG of good size into their files. Where there is none, or a mere stamp, the raw
data is developed at half its size with the camera's own white balance. Needs the package rawpy.
"""

from __future__ import annotations

import logging
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from saccade import trace
from saccade.errors import NotAnImage
from saccade.images.origin import origin_in
from saccade.images.rendering import ORIENTATION, Limits, Rendered, render, shrunk
from saccade.types import Pixels

if TYPE_CHECKING:
    from rawpy import RawPy

log = logging.getLogger(__name__)

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
    size = (height, width) if turns % 2 else (width, height)
    return Rendered(rgb, *size, "RAW", origin_in(data))


def _preview(raw: RawPy, turns: int, side: int | None, limits: Limits) -> Pixels | None:
    """The camera's own JPEG, upright; None where there is none worth showing."""
    import rawpy

    try:
        thumbnail = raw.extract_thumb()
        if thumbnail.format != rawpy.ThumbFormat.JPEG:
            return None
        rgb = render(thumbnail.data, side=side, limits=limits).rgb
    except (rawpy.LibRawError, NotAnImage) as error:
        trace.swallowed(log, error, doing="reading the preview of a raw picture")
        return None
    if max(rgb.shape[:2]) < min(_LEAST_SIDE, raw.sizes.width, raw.sizes.height):
        return None
    with Image.open(BytesIO(thumbnail.data), formats=["JPEG"]) as preview:
        says_itself = preview.getexif().get(ORIENTATION, 1) != 1
    return rgb if says_itself else np.ascontiguousarray(np.rot90(rgb, turns))


def _developed(raw: RawPy, side: int | None) -> Pixels:
    """The sensor's data as a picture, upright: LibRaw turns it."""
    rgb: Pixels = raw.postprocess(half_size=True, use_camera_wb=True, output_bps=8)
    if rgb.shape[2] == 1:  # a sensor without colours
        rgb = np.repeat(rgb, 3, axis=2)
    size = shrunk(rgb.shape[1], rgb.shape[0], side)
    if size is None:
        return rgb
    image = Image.fromarray(rgb).resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    return np.asarray(image)

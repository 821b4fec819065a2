"""Bytes → RGB as a viewer shows it, as one array; what a decoding process runs.

    header → limits → pixels → shrink → 8-bit RGB over white → sRGB → upright

The limits are held against the header, so a decompression bomb costs nothing. JPEG is decoded at
1/2, 1/4 or 1/8 of its size where that suffices (`draft`). Deep and transparent pictures are
converted and shrunk block by block, so that none is in memory twice. All are turned upright last,
when there are few pixels left to turn.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from PIL import (
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageFile,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from saccade import trace
from saccade.errors import NotAnImage
from saccade.images import colour, cost, formats
from saccade.images.origin import origin_of
from saccade.images.quiet import without_pillow_warnings
from saccade.types import UNKNOWN_ORIGIN, Origin, Pixels

log = logging.getLogger(__name__)

SIDE = 640
"""Longer side of the pictures that descriptors see."""

# The plug-ins are called directly: Image.open would try every format it knows, and it judges size
# by a limit that belongs to the whole process.
_READERS: dict[str, type[ImageFile.ImageFile]] = {
    "JPEG": JpegImagePlugin.JpegImageFile,
    "PNG": PngImagePlugin.PngImageFile,
    "WebP": WebPImagePlugin.WebPImageFile,
    "TIFF": TiffImagePlugin.TiffImageFile,
    "BMP": BmpImagePlugin.BmpImageFile,
    "GIF": GifImagePlugin.GifImageFile,
}
ORIENTATION = 0x0112
"""The EXIF tag that says how the camera was held."""

_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# Shrinking first averages whole blocks of pixels, until this many times the size is left.
_GAP = 2.0
# One value a strip: each becomes an object long before a pixel is read.
_MOST_VALUES = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What is refused unread. The pixels are within Pillow's own limit of 179 million."""

    max_bytes: int = 256 * 2**20
    max_pixels: int = 160_000_000
    max_memory: int = 896 * 2**20
    max_scans: int = 50


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Rendered:
    """Pixels at working size, [h, w, 3] uint8, and the size a viewer shows the original at."""

    rgb: Pixels
    width: int
    height: int
    format: str
    origin: Origin = UNKNOWN_ORIGIN


def render(data: bytes, *, side: int | None = SIDE, limits: Limits = DEFAULT_LIMITS) -> Rendered:
    """The picture in `data`, its longer side at most `side` (None keeps the full size).

    Raises:
        NotAnImage: empty, over a limit, truncated, corrupt, or no format that is read here.
    """
    if not data:
        raise NotAnImage("the file is empty")
    if len(data) > limits.max_bytes:
        raise NotAnImage(f"{len(data):,} bytes are over the limit of {limits.max_bytes:,}")
    format = formats.recognise(data)
    with without_pillow_warnings():
        try:
            return _read(data, format, side, limits)
        except NotAnImage:
            raise
        except Image.DecompressionBombError as error:
            raise NotAnImage("more pixels than Pillow reads at once") from error
        except MemoryError as error:
            raise NotAnImage(f"this {format} takes more memory than a picture may") from error
        # Hostile bytes make decoders raise almost anything: struct.error, zlib.error, KeyError …
        except Exception as error:
            raise NotAnImage(f"truncated or corrupt {format}: {_sentence(error)}") from error


def _read(data: bytes, format: str, side: int | None, limits: Limits) -> Rendered:
    if format == formats.RAW:
        from saccade.images.raw import render_raw

        return render_raw(data, side=side, limits=limits)
    if format == "WebP":
        # Its reader makes room for the picture before it says how large that is.
        width, height = cost.webp_size(data)
        _check_pixels(width, height, limits)
        _check_memory(cost.decoder_bytes("", format, data, width * height), format, limits)
    if format == "TIFF" and any(n > _MOST_VALUES for _, n, _ in formats.tiff_entries(data)):
        raise NotAnImage(f"a TIFF with a list of more than {_MOST_VALUES:,} values")
    with _reader(format)(BytesIO(data)) as image:
        width, height = image.size
        _check_pixels(width, height, limits)
        size = shrunk(width, height, side)
        drafted = image.draft(None, size) if size else None
        _check_cost(image, format, data, limits, whole=size is None)
        image.load()
        # Read after the pixels: a PNG may say it at its end, and a TIFF is upright by now.
        orientation, origin = _orientation(image), origin_of(image)
        plain = _resized(image, size, drafted[1] if drafted else None)
        shown = colour.over_white(colour.to_srgb(plain, image.info.get("icc_profile")))
    if orientation in _UPRIGHT:
        shown = shown.transpose(_UPRIGHT[orientation])
    if orientation >= 5:
        width, height = height, width
    return Rendered(np.asarray(shown), width, height, format, origin)


def _reader(format: str) -> type[ImageFile.ImageFile]:
    if format == formats.AVIF:
        from PIL import AvifImagePlugin

        return AvifImagePlugin.AvifImageFile
    if format == formats.HEIC:
        from pillow_heif import HeifImageFile

        reader: type[ImageFile.ImageFile] = HeifImageFile
        return reader
    return _READERS[format]


def _check_cost(
    image: Image.Image, format: str, data: bytes, limits: Limits, *, whole: bool
) -> None:
    """Refuse a picture that would take too much memory or too many passes over it."""
    pixels = image.width * image.height  # after `draft`: what is decoded to
    needed = cost.decoder_bytes(image.mode, format, data, pixels)
    if whole:
        needed += 3 * 4 * pixels  # converted, laid over white, and as an array
    if format == "TIFF":
        needed += cost.tiff_strip(getattr(image, "tag_v2", {}), *image.size)
    if format == "JPEG":
        jpeg = cost.jpeg_scans(data, most=limits.max_scans)
        if jpeg.scans > limits.max_scans:
            raise NotAnImage(f"a JPEG of more than {limits.max_scans} scans")
        needed += jpeg.coefficients
    _check_memory(needed, format, limits)


def _check_pixels(width: int, height: int, limits: Limits) -> None:
    if width * height > limits.max_pixels:
        raise NotAnImage(f"{width} × {height} pixels are over the limit of {limits.max_pixels:,}")


def _check_memory(needed: int, format: str, limits: Limits) -> None:
    if needed > limits.max_memory:
        raise NotAnImage(
            f"this {format} would take {needed / 2**20:,.0f} MiB of memory to read, "
            f"over the limit of {limits.max_memory / 2**20:,.0f}",
            hint="save it smaller, or as a plain JPEG",
        )


def _resized(
    image: Image.Image, size: tuple[int, int] | None, box: tuple[float, float, float, float] | None
) -> Image.Image:
    """The image in 8-bit channels, shrunk to `size` where there is one."""
    if size is None:
        return colour.eight_bit(image)
    if colour.is_plain(image):
        return image.resize(size, Image.Resampling.BICUBIC, box=box, reducing_gap=_GAP)
    # The two steps that `resize` takes, with the first one done block by block.
    factors = tuple(
        int(full / small / _GAP) or 1 for full, small in zip(image.size, size, strict=True)
    )
    reduced = colour.reduced(image, (factors[0], factors[1]))
    part = (0.0, 0.0, image.width / factors[0], image.height / factors[1])
    return colour.unmultiplied(reduced.resize(size, Image.Resampling.BICUBIC, box=part))


def shrunk(width: int, height: int, side: int | None) -> tuple[int, int] | None:
    """The size to shrink to for this longer side; None where the picture is small enough."""
    longer = max(width, height)
    if side is None or longer <= side:
        return None
    return max(1, round(width * side / longer)), max(1, round(height * side / longer))


def _orientation(image: Image.Image) -> int:
    try:
        value = image.getexif().get(ORIENTATION, 1)
    # Camera data is often damaged; the pixels are good all the same.
    except Exception as error:
        trace.swallowed(log, error, doing="reading which way up a picture is")
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _sentence(error: Exception) -> str:
    first = str(error).strip().partition("\n")[0]
    return first or type(error).__name__

"""Bytes → the RGB a viewer shows, shrunk on the way in.

    header → limits → pixels → shrink → 8-bit RGB over white → sRGB → upright

The content decides the format, never the file's name. The limits are held against the header, so a
decompression bomb costs nothing. JPEG is decoded at 1/2, 1/4 or 1/8 of its size where that suffices
(`draft`), and turned upright last, when there are few pixels left to turn.
"""

from __future__ import annotations

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

from saccade.errors import NotAnImage
from saccade.images import colour
from saccade.images.picture import ArrayPicture
from saccade.images.quiet import without_pillow_warnings

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
_SIGNATURES = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"II+\0", "TIFF"),
    (b"MM\0+", "TIFF"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
)
_ORIENTATION = 0x0112
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What is refused unread. The pixels are within Pillow's own limit of 179 million."""

    max_bytes: int = 256 * 1024 * 1024
    max_pixels: int = 160_000_000


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Decoded:
    """A picture at working size, and the size a viewer shows the original at."""

    picture: ArrayPicture
    width: int
    height: int
    format: str


def decode(data: bytes, *, side: int | None = SIDE, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """The picture in `data`, its longer side at most `side` (None keeps the full size).

    Raises:
        NotAnImage: empty, over a limit, truncated, corrupt, or no format that is read here.
    """
    if not data:
        raise NotAnImage("the file is empty")
    if len(data) > limits.max_bytes:
        raise NotAnImage(f"{len(data):,} bytes are over the limit of {limits.max_bytes:,}")
    format = _format(data)
    with without_pillow_warnings():
        try:
            return _read(data, format, side, limits)
        except NotAnImage:
            raise
        except Image.DecompressionBombError as error:
            raise NotAnImage("more pixels than Pillow reads at once") from error
        # Hostile bytes make decoders raise almost anything: struct.error, zlib.error, MemoryError …
        except Exception as error:
            raise NotAnImage(f"truncated or corrupt {format}: {_sentence(error)}") from error


def _format(data: bytes) -> str:
    for signature, format in _SIGNATURES:
        if data.startswith(signature):
            return format
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "WebP"
    raise NotAnImage("not a JPEG, PNG, WebP, TIFF, BMP or GIF image")


def _read(data: bytes, format: str, side: int | None, limits: Limits) -> Decoded:
    with _READERS[format](BytesIO(data)) as image:
        width, height = image.size
        if width * height > limits.max_pixels:
            raise NotAnImage(
                f"{width} × {height} pixels are over the limit of {limits.max_pixels:,}"
            )
        size = _shrunk(width, height, side)
        drafted = image.draft(None, size) if size else None
        image.load()
        # Read after the pixels: a PNG may say it at its end, and a TIFF is upright by now.
        orientation = _orientation(image)
        plain = colour.eight_bit(image)
        if size:
            box = drafted[1] if drafted else None
            plain = plain.resize(size, Image.Resampling.BICUBIC, box=box, reducing_gap=2.0)
        shown = colour.over_white(colour.to_srgb(plain, image.info.get("icc_profile")))
    if orientation in _UPRIGHT:
        shown = shown.transpose(_UPRIGHT[orientation])
    if orientation >= 5:
        width, height = height, width
    return Decoded(ArrayPicture(np.asarray(shown)), width, height, format)


def _shrunk(width: int, height: int, side: int | None) -> tuple[int, int] | None:
    """Size to shrink to, or None where the picture is small enough."""
    longer = max(width, height)
    if side is None or longer <= side:
        return None
    return max(1, round(width * side / longer)), max(1, round(height * side / longer))


def _orientation(image: Image.Image) -> int:
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    # Camera data is often damaged; the pixels are good all the same.
    except Exception:
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _sentence(error: Exception) -> str:
    first = str(error).strip().partition("\n")[0]
    return first or type(error).__name__

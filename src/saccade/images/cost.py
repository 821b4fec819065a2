"""What decoding will take, read off the header before a pixel is touched.

    bytes = file + what the decoder holds at once (mode × pixels, strips, coefficients)

A progressive JPEG holds every coefficient of the picture, and each of its scans goes over all of
them: half a megabyte can ask for a minute. A TIFF of one strip holds that strip beside the picture.
The figures for WebP and AVIF are measured: they build the picture several times over.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass

_BYTES_A_PIXEL = {"1": 1, "L": 1, "P": 1, "I;16": 2, "I;16B": 2, "I;16L": 2, "I;16N": 2}
_SEVERAL_TIMES_OVER = {"WebP": 17, "AVIF": 20, "HEIC": 20}

_MARKER = re.compile(rb"\xff+([^\x00\xd0-\xd7\xff])")
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PROGRESSIVE = frozenset([0xC2, 0xC6, 0xCA, 0xCE])
_SCAN, _END = 0xDA, 0xD9

_TILE_WIDTH, _TILE_LENGTH, _ROWS_A_STRIP, _BITS = 322, 323, 278, 258


@dataclass(frozen=True, slots=True)
class JpegScans:
    """How a JPEG is put together: coefficients kept at once (bytes), and scans over them."""

    coefficients: int
    scans: int


def jpeg_scans(data: bytes, *, most: int) -> JpegScans:
    """Walk a JPEG's markers; counting ends one beyond `most`."""
    at, scans, coefficients = 2, 0, 0
    progressive, components = False, 1
    while scans <= most:
        marker = _MARKER.search(data, at)
        if marker is None or marker[1][0] == _END:
            break
        code, body = marker[1][0], marker.end()
        length = int.from_bytes(data[body : body + 2], "big")
        if code in _FRAMES:
            progressive, components = code in _PROGRESSIVE, data[body + 7]
            coefficients = _coefficients(data[body : body + length])
        elif code == _SCAN:
            scans += 1
            if not progressive and data[body + 2] == components:
                return JpegScans(0, 1)  # all of it in one go: nothing is kept
        at = body + max(length, 2)
    return JpegScans(coefficients, scans)


def _coefficients(frame: bytes) -> int:
    """Two bytes a coefficient, as many as each component has samples."""
    height, width, components = struct.unpack_from(">HHB", frame, 3)
    sampling = [divmod(frame[9 + 3 * i], 16) for i in range(components)]
    most_x, most_y = (max(1, *(s[axis] for s in sampling), 1) for axis in (0, 1))
    return sum(2 * -(-width * x // most_x) * -(-height * y // most_y) for x, y in sampling)


def webp_size(data: bytes) -> tuple[int, int]:
    """Width and height as a WebP's first chunk gives them; raises struct.error on a stump."""
    if data[12:16] == b"VP8X":
        low_width, high_width, low_height, high_height = struct.unpack_from("<HBHB", data, 24)
        return low_width + (high_width << 16) + 1, low_height + (high_height << 16) + 1
    if data[12:16] == b"VP8L":
        (sizes,) = struct.unpack_from("<I", data, 21)
        return (sizes & 0x3FFF) + 1, (sizes >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def decoder_bytes(mode: str, format: str, data: bytes, pixels: int) -> int:
    """Bytes held at once to decode so many pixels of a mode, the file among them."""
    a_pixel = _SEVERAL_TIMES_OVER.get(format) or _BYTES_A_PIXEL.get(mode, 4)
    return len(data) + a_pixel * pixels


def tiff_strip(tags: Mapping[int, object], width: int, height: int) -> int:
    """Bytes of the largest piece that a TIFF is decoded by: it may be the whole picture."""
    bits = tags.get(_BITS)
    # Some kinds are decoded to four bytes a pixel, whatever they are stored as.
    a_pixel = max(4, sum(bits) // 8) if isinstance(bits, tuple) else 4
    if _TILE_WIDTH in tags:
        return _whole(tags.get(_TILE_WIDTH), width) * _whole(tags.get(_TILE_LENGTH), 1) * a_pixel
    return width * min(_whole(tags.get(_ROWS_A_STRIP), height), height) * a_pixel


def _whole(value: object, default: int) -> int:
    return value if isinstance(value, int) and value > 0 else default

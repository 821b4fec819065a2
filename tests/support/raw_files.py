"""A camera RAW file (DNG) written by code: a flat sensor under a Bayer filter, and a preview."""

from __future__ import annotations

import struct
from io import BytesIO

import numpy as np
from PIL import Image

_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 10: 8}
_FORMS = {1: "B", 3: "H", 4: "I"}
Entry = tuple[int, int, list[int] | bytes]


def dng(
    width: int,
    height: int,
    colour: tuple[int, int, int],
    *,
    orientation: int = 1,
    preview: int = 0,
    grey: bool = False,
) -> bytes:
    """A DNG of one colour; `preview` is the longer side of a red JPEG inside, 0 for none.

    A `grey` one has a sensor without a filter.
    """
    sensor = np.empty((height, width), "<u2")
    red, green, blue = (channel * 257 for channel in colour)
    sensor[0::2, 0::2], sensor[1::2, 1::2] = red, blue
    sensor[0::2, 1::2] = sensor[1::2, 0::2] = green
    body = bytearray(b"II*\0" + bytes(4))
    raw_at = _append(body, sensor.tobytes())
    raw: list[Entry] = [
        (254, 4, [0]), (256, 4, [width]), (257, 4, [height]), (258, 3, [16]), (259, 3, [1]),
        (262, 3, [34892 if grey else 32803]), (273, 4, [raw_at]), (277, 3, [1]), (278, 4, [height]),
        (279, 4, [sensor.nbytes]), (284, 3, [1]), (33421, 3, [2, 2]), (33422, 1, [0, 1, 1, 2]),
    ]  # fmt: skip
    identity = [n for row in np.eye(3, dtype=int) for value in row for n in (int(value), 1)]
    camera: list[Entry] = [
        (271, 2, b"Saccade\0"), (272, 2, b"Pinhole\0"), (274, 3, [orientation]),
        (50706, 1, [1, 4, 0, 0]), (50708, 2, b"Saccade Pinhole\0"), (50721, 10, identity),
        (50728, 5, [1, 1, 1, 1, 1, 1]),
    ]  # fmt: skip
    if preview:
        small = _preview(preview, width, height)
        at = _append(body, small)
        sub = _directory(body, raw)
        first: list[Entry] = [
            (254, 4, [1]), (256, 4, [preview]), (257, 4, [preview * height // width]),
            (258, 3, [8, 8, 8]), (259, 3, [7]), (262, 3, [6]), (273, 4, [at]), (277, 3, [3]),
            (278, 4, [preview * height // width]), (279, 4, [len(small)]), (284, 3, [1]),
            (330, 4, [sub]), *camera,
        ]  # fmt: skip
    else:
        first = [*raw, *camera]
    start = _directory(body, first)
    body[4:8] = struct.pack("<I", start)
    return bytes(body)


def _preview(side: int, width: int, height: int) -> bytes:
    out = BytesIO()
    Image.new("RGB", (side, side * height // width), (220, 20, 20)).save(out, "JPEG")
    return out.getvalue()


def _append(body: bytearray, data: bytes) -> int:
    at = len(body)
    body += data + bytes(len(data) % 2)
    return at


def _directory(body: bytearray, entries: list[Entry]) -> int:
    listing = b""
    for tag, kind, values in sorted(entries, key=lambda entry: entry[0]):
        if isinstance(values, bytes):
            packed, count = values, len(values)
        elif kind in (5, 10):
            packed, count = struct.pack(f"<{len(values)}i", *values), len(values) // 2
        else:
            packed, count = struct.pack(f"<{len(values)}{_FORMS[kind]}", *values), len(values)
        if len(packed) > 4:
            packed = struct.pack("<I", _append(body, packed))
        listing += struct.pack("<HHI", tag, kind, count) + packed.ljust(4, b"\0")
    return _append(body, struct.pack("<H", len(entries)) + listing + bytes(4))

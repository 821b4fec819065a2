"""Which picture format this is: by a file's ending for a scan, by its bytes for a decoder.

Read always      JPEG PNG WebP TIFF BMP GIF
Read if there    AVIF (with most builds of Pillow), HEIC (pillow-heif), camera RAW (rawpy)
Known, not read  Photoshop, JPEG 2000, JPEG XL, SVG …: named, so that nobody wonders where they are

The content decides the format, never the file's name. Camera RAW is mostly TIFF with a preview in
front, so a TIFF is looked at more closely.
"""

from __future__ import annotations

import struct
from functools import cache
from importlib.util import find_spec

from saccade.errors import NotAnImage

EXTENSIONS = frozenset(
    [".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".tif", ".tiff", ".bmp", ".dib", ".gif"]
)
"""Endings of the files that are read always, in lower case."""

HEIC, AVIF, RAW = "HEIC", "AVIF", "camera RAW"

_SOMETIMES = {
    HEIC: (".heic", ".heif", ".hif"),
    AVIF: (".avif",),
    RAW: (
        *(".3fr", ".arw", ".cr2", ".cr3", ".crw", ".dng", ".erf", ".iiq", ".mrw", ".nef", ".nrw"),
        *(".orf", ".pef", ".raf", ".rw2", ".rwl", ".sr2", ".srf", ".srw", ".x3f"),
    ),
}
_NEVER = {
    "Photoshop": (".psd", ".psb"),
    "JPEG 2000": (".jp2", ".j2k", ".jpf", ".jpx"),
    "JPEG XL": (".jxl",),
    "SVG": (".svg", ".svgz"),
    "OpenEXR": (".exr",),
    "Radiance HDR": (".hdr",),
    "Targa": (".tga",),
    "Netpbm": (".pbm", ".pgm", ".ppm", ".pnm"),
    "GIMP": (".xcf",),
}
_BY_EXTENSION = {
    ending: name
    for table in (_SOMETIMES, _NEVER)
    for name, group in table.items()
    for ending in group
}
_MISSING = {
    HEIC: "HEIC is read with the package pillow-heif: pip install 'saccade[heic]'",
    AVIF: "AVIF is read with a newer Pillow: pip install --upgrade pillow",
    RAW: "camera RAW is read with the package rawpy: pip install 'saccade[raw]'",
}
_SIGNATURES = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
    (b"FUJIFILMCCD-RAW", RAW),
    (b"IIRO", RAW),
    (b"IIRS", RAW),
    (b"MMOR", RAW),
    (b"IIU\0", RAW),
    (b"FOVb", RAW),
    (b"\0MRM", RAW),
    (b"8BPS", "Photoshop"),
    (b"\0\0\0\x0cjP  ", "JPEG 2000"),
    (b"\0\0\0\x0cJXL ", "JPEG XL"),
    (b"\xff\x0a", "JPEG XL"),
    (b"\x76\x2f\x31\x01", "OpenEXR"),
)
_TIFF_STARTS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_HEIC_BRANDS = frozenset(
    [b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"hevm", b"hevs", b"mif1", b"msf1"]
)
# Numbers that camera makers use for the compression of their own raw data.
_RAW_COMPRESSIONS = frozenset([32767, 32769, 32770, 34713, 65000, 65535])
_NEW_SUBFILE, _COMPRESSION, _SUB_IFDS, _DNG_VERSION = 254, 259, 330, 50706


def unread(extension: str) -> str | None:
    """Why a file with this ending (lower case) is left out: a sentence, or None where it is read.

    The sentence is empty where the ending is no picture's at all.

    >>> unread(".jpg"), unread(".txt"), unread(".psd")
    (None, '', 'Photoshop files are not read; save it as JPEG, PNG or TIFF')
    """
    if extension in EXTENSIONS:
        return None
    name = _BY_EXTENSION.get(extension)
    if name is None:
        return ""
    if name in _NEVER:
        return f"{name} files are not read; save it as JPEG, PNG or TIFF"
    return None if available(name) else _MISSING[name]


def ending(data: bytes) -> str:
    r"""How a file with these bytes is called, where nothing else says it.

    >>> ending(b"\x89PNG\r\n\x1a\n")
    '.png'
    """
    name = recognise(data)
    first = {"JPEG": ".jpg", "TIFF": ".tif", "WebP": ".webp", RAW: ".dng"}
    return first.get(name, f".{name.lower()}")


@cache
def available(format: str) -> bool:
    """Whether the package that reads this format is installed."""
    if format == AVIF:
        from PIL import features

        return "avif" in features.modules and bool(features.check("avif"))
    package = {HEIC: "pillow_heif", RAW: "rawpy"}.get(format)
    return package is None or find_spec(package) is not None


def recognise(data: bytes) -> str:
    """The format of these bytes, which can be read here.

    Raises:
        NotAnImage: no picture, or of a format that cannot be read here; the hint says what would.
    """
    name = _format(data)
    if name is None:
        raise NotAnImage("not a JPEG, PNG, WebP, TIFF, BMP or GIF image")
    if name in _NEVER:
        raise NotAnImage(f"{name} files are not read", hint="save it as JPEG, PNG or TIFF")
    if not available(name):
        raise NotAnImage(f"{name} cannot be read yet", hint=_MISSING[name])
    return name


def _format(data: bytes) -> str | None:
    for signature, name in _SIGNATURES:
        if data.startswith(signature):
            return name
    if data.startswith(_TIFF_STARTS):
        return RAW if _is_camera_raw(data) else "TIFF"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "WebP"
    if data[4:8] == b"ftyp":
        return _of_brands(data)
    return None


def _of_brands(data: bytes) -> str | None:
    """The format of an ISO media file, by the brands that its first box lists."""
    end = min(int.from_bytes(data[:4], "big"), 256)
    brands = {data[8:12], *(data[at : at + 4] for at in range(16, end - 3, 4))}
    if brands & {b"avif", b"avis"}:
        return AVIF
    if data[8:12] == b"crx ":
        return RAW
    return HEIC if brands & _HEIC_BRANDS else None


def _is_camera_raw(data: bytes) -> bool:
    """Whether a TIFF's first directory is that of a camera's raw file."""
    if data[8:10] == b"CR":
        return True
    tags = {tag: value for tag, _, value in tiff_entries(data)}
    previewed = bool(tags.get(_NEW_SUBFILE, 0) & 1) and _SUB_IFDS in tags
    return _DNG_VERSION in tags or previewed or tags.get(_COMPRESSION) in _RAW_COMPRESSIONS


def tiff_entries(data: bytes) -> list[tuple[int, int, int]]:
    """The first directory of a TIFF as (tag, count, first value or offset); as far as it goes."""
    order = "<" if data.startswith(b"II") else ">"
    big = data[2:4] in (b"+\0", b"\0+")
    number, long, first, step, value_at = ("Q", "Q", 8, 20, 12) if big else ("H", "I", 2, 12, 8)
    directory = []
    try:
        (start,) = struct.unpack_from(order + long, data, 8 if big else 4)
        (entries,) = struct.unpack_from(order + number, data, start)
        for at in range(start + first, start + first + step * min(entries, 65535), step):
            tag, kind, count = struct.unpack_from(f"{order}HH{long}", data, at)
            form = order + ("H" if kind == 3 else long)
            directory.append((tag, count, struct.unpack_from(form, data, at + value_at)[0]))
    except (struct.error, OverflowError, IndexError):
        pass  # cut short: whoever reads it will say so
    return directory

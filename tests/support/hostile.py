"""Pictures that mean harm, made by code: small files that ask for much, and files that are damaged.

Every one is within the limits of bytes and pixels, or is refused by them; `SIDE`² is just under the
limit of 160 million pixels.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO

import numpy as np
from PIL import Image

from raw_files import dng
from saccade.images.formats import AVIF, HEIC, RAW, available

SIDE = 12_600


def png(
    width: int, height: int, *, bits: int = 8, colour: int = 2, extra: bytes = b"", rows: int = -1
) -> bytes:
    """A black PNG that says nothing, at length; `rows` of its rows are there (all by default)."""
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    row = bytes(1 + (width * channels * bits + 7) // 8)
    press = zlib.compressobj(1)
    pressed = b"".join(press.compress(row) for _ in range(height if rows < 0 else rows))
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))
        + extra
        + _chunk(b"IDAT", pressed + press.flush())
        + _chunk(b"IEND", b"")
    )


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def transparent_palette(width: int, height: int) -> bytes:
    """A PNG of one colour, half transparent."""
    extra = _chunk(b"PLTE", bytes([10, 20, 30])) + _chunk(b"tRNS", bytes([128]))
    return png(width, height, colour=3, extra=extra)


def tiff(
    width: int,
    height: int,
    *,
    bits: tuple[int, ...] = (8, 8, 8),
    kind: int = 1,
    photometric: int = 2,
    strips: int = 1,
    given: int | None = None,
    tags: dict[int, tuple[int, int]] | None = None,
) -> bytes:
    """A deflated TIFF of zeros in `strips` strips, `given` rows of each (all by default).

    `tags` override: number → (type, value).
    """
    rows = -(-height // strips)
    a_row = width * sum(bits) // 8
    press = zlib.compressobj(1)
    zeros = bytes(a_row)
    strip = b"".join(press.compress(zeros) for _ in range(given or rows)) + press.flush()
    entries: dict[int, tuple[int, tuple[int, ...]]] = {
        256: (4, (width,)),
        257: (4, (height,)),
        258: (3, bits),
        259: (3, (8,)),
        262: (3, (photometric,)),
        277: (3, (len(bits),)),
        278: (4, (rows,)),
        339: (3, (kind,) * len(bits)),
    }
    entries.update({tag: (form, (value,)) for tag, (form, value) in (tags or {}).items()})
    # The strips are all the same, so they may all lie in one place.
    entries[279] = (4, (len(strip),) * strips)
    entries[273] = (4, (8,) * strips)
    return _little_tiff(entries, strip)


def _little_tiff(entries: dict[int, tuple[int, tuple[int, ...]]], body: bytes) -> bytes:
    start = 8 + len(body) + len(body) % 2
    after = start + 2 + 12 * len(entries) + 4
    directory, extra = struct.pack("<H", len(entries)), b""
    for tag, (form, values) in sorted(entries.items()):
        packed = struct.pack(f"<{len(values)}{'H' if form == 3 else 'I'}", *values)
        directory += struct.pack("<HHI", tag, form, len(values))
        if len(packed) <= 4:
            directory += packed.ljust(4, b"\0")
        else:
            directory += struct.pack("<I", after + len(extra))
            extra += packed
    header = b"II*\0" + struct.pack("<I", start)
    return header + body.ljust(start - 8, b"\0") + directory + bytes(4) + extra


def many_scans(width: int, height: int, scans: int) -> bytes:
    """A progressive JPEG that goes over its picture `scans` times and says the same each time."""
    out = BytesIO()
    Image.new("RGB", (256, 256)).save(out, "JPEG", progressive=True, subsampling=0)
    data = bytearray(out.getvalue())
    frame = data.index(b"\xff\xc2")
    # The scans end early for so large a picture; a decoder takes the rest for more of the same.
    data[frame + 5 : frame + 9] = struct.pack(">HH", height, width)
    starts = [at for at in range(len(data) - 1) if data[at : at + 2] == b"\xff\xda"]
    last = bytes(data[starts[-1] : data.rindex(b"\xff\xd9")])
    return bytes(data[: starts[-1]]) + last * (scans - len(starts) + 1) + b"\xff\xd9"


def one_colour(format: str, width: int, height: int, mode: str = "RGB", **options: object) -> bytes:
    """Whatever Pillow writes for a picture of one colour."""
    out = BytesIO()
    Image.new(mode, (width, height)).save(out, format, **options)
    return out.getvalue()


def run_length_bitmap(width: int, height: int) -> bytes:
    """A BMP of eight bits whose rows are runs of one pixel each."""
    row = b"\1\7" * width + b"\0\0"
    body = row * height + b"\0\1"
    palette = bytes(1024)
    offset = 54 + len(palette)
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 1, len(body), 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", offset + len(body), 0, 0, offset) + info + palette + body


def crowd_of_strips(count: int) -> bytes:
    """A small TIFF whose list of strips has `count` entries, all of them the same strip."""
    small = tiff(16, 16, strips=1)
    entries = {
        256: (4, (16,)),
        257: (4, (16,)),
        258: (3, (8, 8, 8)),
        259: (3, (1,)),
        262: (3, (2,)),
        273: (4, (8,) * count),
        277: (3, (3,)),
        278: (4, (1,)),
        279: (4, (48,) * count),
    }
    return _little_tiff(entries, small[:768].ljust(768, b"\0"))


GREEDY: dict[str, Callable[[], bytes]] = {
    "float TIFF": lambda: tiff(SIDE, SIDE, bits=(32,), kind=3, photometric=1, strips=1000),
    "float TIFF of one strip": lambda: tiff(SIDE, SIDE, bits=(32,), kind=3, photometric=1, given=1),
    "16-bit TIFF": lambda: tiff(SIDE, SIDE, bits=(16,), photometric=1, strips=1000),
    "colour TIFF of one strip": lambda: tiff(SIDE, SIDE, given=1),
    "L*a*b* TIFF": lambda: tiff(SIDE, SIDE, photometric=8, strips=1000),
    "TIFF of one huge tile": lambda: tiff(64, 64, tags={322: (4, 40_000), 323: (4, 40_000)}),
    "TIFF with a crowd of strips": lambda: crowd_of_strips(8_000_000),
    "PNG": lambda: png(SIDE, SIDE),
    "PNG with alpha": lambda: png(SIDE, SIDE, colour=6),
    "deep PNG": lambda: png(SIDE, SIDE, bits=16, colour=0),
    "PNG with a transparent palette": lambda: transparent_palette(SIDE, SIDE),
    "PNG of one row": lambda: png(SIDE * SIDE, 1, bits=16, colour=0),
    "WebP": lambda: one_colour("WEBP", 7000, 7000, lossless=True, method=0),
    "progressive JPEG": lambda: many_scans(11_500, 11_500, 10),
    "JPEG of 206 scans": lambda: many_scans(4000, 4000, 206),
    "JPEG of 50 scans": lambda: many_scans(8000, 8000, 50),
    "BMP of runs": lambda: run_length_bitmap(4000, 4000),
    "GIF": lambda: one_colour("GIF", SIDE, SIDE, "P"),
}
"""Name → a file of at most a few megabytes that asks for as much as it can."""


def damaged(seed: int, count: int) -> Iterator[bytes]:
    """`count` mutations of small pictures in every format: bytes changed, cut, repeated."""
    return (data for _, data in damaged_by_kind(seed, count))


def damaged_by_kind(seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """The same, each with the format that it was."""
    rng = np.random.default_rng(seed)
    whole = small_pictures(rng)
    kinds = sorted(whole)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        data = bytearray(whole[kind][rng.integers(len(whole[kind]))])
        for _ in range(rng.integers(1, 4)):
            if len(data) > 16:  # else there is hardly anything left to change
                _MUTATIONS[rng.integers(len(_MUTATIONS))](data, rng)
        yield kind, bytes(data)


def small_pictures(rng: np.random.Generator) -> dict[str, list[bytes]]:
    """Small pictures of every format that is read here, by its name."""
    rgb = rng.integers(0, 256, (40, 56, 3), np.uint8)
    plain, deep = Image.fromarray(rgb), Image.fromarray(rgb[..., 0].astype(np.uint16) * 257)
    with_alpha = plain.copy()
    with_alpha.putalpha(Image.fromarray(rgb[..., 1]))
    found: dict[str, list[bytes]] = {}
    for image, format, options in (
        (plain, "JPEG", {}),
        (plain, "JPEG", {"progressive": True}),
        (plain.convert("CMYK"), "JPEG", {}),
        (plain, "PNG", {}),
        (with_alpha, "PNG", {}),
        (deep, "PNG", {}),
        (plain.convert("P"), "PNG", {"transparency": 3}),
        (plain, "WEBP", {}),
        (with_alpha, "WEBP", {"lossless": True}),
        (plain, "TIFF", {}),
        (plain, "TIFF", {"compression": "tiff_lzw"}),
        (plain, "TIFF", {"compression": "tiff_deflate"}),
        (plain, "TIFF", {"compression": "jpeg"}),
        (deep, "TIFF", {"compression": "packbits"}),
        (Image.fromarray(rgb[..., 0].astype(np.float32)), "TIFF", {}),
        (plain, "BMP", {}),
        (plain.convert("P"), "BMP", {}),
        (plain, "GIF", {"save_all": True, "append_images": [plain.rotate(90)]}),
    ):
        out = BytesIO()
        image.save(out, format, **options)
        found.setdefault(format, []).append(out.getvalue())
    if available(AVIF):
        out = BytesIO()
        plain.save(out, "AVIF", speed=10)
        found[AVIF] = [out.getvalue()]
    if available(HEIC):
        found[HEIC] = [_heic(plain), _heic(with_alpha)]
    if available(RAW):
        colour = (200, 120, 40)
        found[RAW] = [dng(64, 48, colour), dng(64, 48, colour, orientation=6, preview=32)]
    return found


def _heic(image: Image.Image) -> bytes:
    import pillow_heif

    out = BytesIO()
    pillow_heif.from_pillow(image).save(out, quality=50)
    return out.getvalue()


def _change(data: bytearray, rng: np.random.Generator) -> None:
    for at in rng.integers(0, len(data), rng.integers(1, 9)):
        data[at] = rng.integers(256)


def _change_early(data: bytearray, rng: np.random.Generator) -> None:
    data[rng.integers(2, min(len(data), 200))] = rng.choice([0, 1, 127, 128, 254, 255])


def _flip(data: bytearray, rng: np.random.Generator) -> None:
    data[rng.integers(len(data))] ^= 1 << rng.integers(8)


def _cut(data: bytearray, rng: np.random.Generator) -> None:
    del data[rng.integers(8, len(data)) :]


def _repeat(data: bytearray, rng: np.random.Generator) -> None:
    start = rng.integers(8, len(data))
    part = data[start : start + rng.integers(1, 400)]
    data[start:start] = part * int(rng.integers(1, 6))


def _remove(data: bytearray, rng: np.random.Generator) -> None:
    start = rng.integers(8, len(data))
    del data[start : start + rng.integers(1, 100)]


_MUTATIONS = (_change, _change_early, _flip, _cut, _repeat, _remove)

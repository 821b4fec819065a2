from __future__ import annotations

import struct
import threading
import warnings
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageCms

from saccade.errors import NotAnImage
from saccade.images.decode import Limits, decode

WIDTH, HEIGHT = 48, 32


def scene() -> np.ndarray:
    """Four quarters in four colours: orientation and colour can be read off the corners."""
    rgb = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    rgb[: HEIGHT // 2, : WIDTH // 2] = 200, 40, 40
    rgb[: HEIGHT // 2, WIDTH // 2 :] = 40, 180, 60
    rgb[HEIGHT // 2 :, : WIDTH // 2] = 40, 60, 200
    rgb[HEIGHT // 2 :, WIDTH // 2 :] = 230, 220, 80
    return rgb


def encode(image: Image.Image, format: str, **options: object) -> bytes:
    out = BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def shown(data: bytes) -> np.ndarray:
    return decode(data).picture.rgb.astype(int)


def png(
    width: int, height: int, *, bits: int, colour: int, rows: bytes, extra: bytes = b""
) -> bytes:
    """A PNG written by hand, for kinds that Pillow does not write."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + extra
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


RGB = Image.fromarray(scene())


@pytest.mark.parametrize(
    ("format", "options", "tolerance"),
    [
        ("JPEG", {"quality": 95, "subsampling": 0}, 6),
        ("PNG", {}, 0),
        ("WEBP", {"lossless": True}, 0),
        ("TIFF", {}, 0),
        ("TIFF", {"compression": "tiff_lzw"}, 0),
        ("TIFF", {"big_tiff": True}, 0),
        ("BMP", {}, 0),
        ("GIF", {}, 0),
    ],
)
def test_every_format_gives_the_same_pixels(
    format: str, options: dict[str, object], tolerance: int
) -> None:
    """One picture in six formats is one picture."""
    decoded = decode(encode(RGB, format, **options))
    assert decoded.format.upper() == format
    assert (decoded.width, decoded.height) == (WIDTH, HEIGHT)
    assert np.abs(decoded.picture.rgb.astype(int) - scene()).max() <= tolerance


def test_the_first_frame_of_an_animation_is_shown() -> None:
    """A GIF that moves is its first picture."""
    other = Image.new("RGB", RGB.size, "black")
    data = encode(RGB, "GIF", save_all=True, append_images=[other])
    assert np.abs(shown(data) - scene()).max() == 0


def test_greyscale_becomes_three_equal_channels() -> None:
    """Grey is grey."""
    rgb = shown(encode(RGB.convert("L"), "PNG"))
    assert (rgb == np.asarray(RGB.convert("L"))[..., None]).all()


def test_a_palette_shows_its_colours() -> None:
    """The numbers of a palette image stand for colours."""
    rgb = shown(encode(RGB.convert("P", palette=Image.Palette.ADAPTIVE), "PNG"))
    assert np.abs(rgb - scene()).max() <= 1


def test_one_bit_is_black_and_white() -> None:
    """A scan of one bit a pixel goes from 0 to 255."""
    rgb = shown(encode(Image.fromarray(scene()[..., 0] > 100), "PNG"))
    assert set(np.unique(rgb)) == {0, 255}


@pytest.mark.parametrize("format", ["PNG", "WEBP", "TIFF"])
def test_what_is_transparent_shows_white(format: str) -> None:
    """Alpha is laid over white, in proportion."""
    rgba = np.dstack([scene(), np.full((HEIGHT, WIDTH), 255, np.uint8)])
    rgba[:4, :, 3] = 0
    rgba[4:8, :, 3] = 128
    options = {"lossless": True, "exact": True} if format == "WEBP" else {}
    rgb = shown(encode(Image.fromarray(rgba), format, **options))
    assert (rgb[:4] == 255).all()
    half = scene()[4:8] * (128 / 255) + 255 * (127 / 255)
    assert np.abs(rgb[4:8] - half).max() <= 2
    assert np.abs(rgb[8:] - scene()[8:]).max() <= 1


def test_grey_with_alpha_shows_white() -> None:
    """LA is laid over white too."""
    grey = RGB.convert("L")
    grey.putalpha(0)
    assert (shown(encode(grey, "PNG")) == 255).all()


def test_a_palette_with_a_transparent_entry_shows_white() -> None:
    """The entry that a GIF or PNG calls transparent is not its colour."""
    indexed = RGB.convert("P", palette=Image.Palette.ADAPTIVE, colors=4)
    entry = indexed.getpixel((0, 0))
    for format in ("PNG", "GIF"):
        rgb = shown(encode(indexed, format, transparency=entry))
        assert (rgb[0, 0] == 255).all(), format
        assert np.abs(rgb[-1, -1] - scene()[-1, -1]).max() <= 1, format


def test_a_transparent_colour_of_a_plain_png_shows_white() -> None:
    """An RGB PNG may name one colour as transparent."""
    rgb = shown(encode(RGB, "PNG", transparency=(200, 40, 40)))
    assert (rgb[0, 0] == 255).all()
    assert (rgb[-1, -1] == scene()[-1, -1]).all()


def test_a_transparent_bytes_palette_raises_no_warning() -> None:
    """Pillow warns of palettes with partial alpha; nobody here can act on that."""
    indexed = RGB.convert("P", palette=Image.Palette.ADAPTIVE, colors=4)
    data = encode(indexed, "PNG", transparency=bytes([0, 128, 255, 255]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        decode(data)


@pytest.mark.parametrize("format", ["JPEG", "TIFF"])
def test_cmyk_shows_the_colours_meant(format: str) -> None:
    """Ink values become light, and those that Adobe stores inverted too."""
    rgb = shown(encode(RGB.convert("CMYK"), format))
    assert np.abs(rgb - scene()).mean() < 8


def test_lab_shows_the_colours_meant() -> None:
    """A TIFF in L*a*b* is shown in sRGB, shrunk or not."""
    srgb, lab = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
    stored = ImageCms.profileToProfile(RGB, srgb, lab, outputMode="LAB")
    assert stored is not None
    data = encode(stored, "TIFF")
    assert np.abs(shown(data) - scene()).max() <= 10
    small = decode(data, side=12).picture.rgb.astype(int)
    assert np.abs(small[1, 1] - scene()[0, 0]).max() <= 10


def sixteen_bit_ramp() -> np.ndarray:
    return np.linspace(0, 65535, WIDTH * HEIGHT).astype(np.uint16).reshape(HEIGHT, WIDTH)


@pytest.mark.parametrize("format", ["PNG", "TIFF"])
def test_sixteen_bit_grey_keeps_its_range(format: str) -> None:
    """65535 is white: nothing is cut off at 255."""
    rgb = shown(encode(Image.fromarray(sixteen_bit_ramp()), format))
    assert np.abs(rgb[..., 0] - sixteen_bit_ramp() / 257).max() <= 0.51


def test_sixteen_bit_grey_in_the_other_byte_order_keeps_its_range() -> None:
    """A big-endian TIFF shows the same greys."""
    ramp = sixteen_bit_ramp()
    tags = [
        (256, 4, WIDTH), (257, 4, HEIGHT), (258, 3, 16), (259, 3, 1), (262, 3, 1),
        (273, 4, 122), (277, 3, 1), (278, 4, HEIGHT), (279, 4, ramp.nbytes),
    ]  # fmt: skip
    body = b"MM\0*" + struct.pack(">IH", 8, len(tags))
    for tag, kind, value in tags:
        body += struct.pack(">HHI", tag, kind, 1)
        body += struct.pack(">HH", value, 0) if kind == 3 else struct.pack(">I", value)
    body += struct.pack(">I", 0)
    assert len(body) == 122
    rgb = shown(body + ramp.astype(">u2").tobytes())
    assert np.abs(rgb[..., 0] - ramp / 257).max() <= 0.51


def test_sixteen_bit_colour_keeps_its_range() -> None:
    """A PNG of 16 bits a channel shows its high bytes."""
    wide = scene().astype(np.uint16) * 257
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in wide)
    assert np.abs(shown(png(WIDTH, HEIGHT, bits=16, colour=2, rows=rows)) - scene()).max() <= 1


def test_sixteen_bit_grey_with_alpha_shows_white() -> None:
    """A PNG of 16-bit grey and alpha is read."""
    wide = np.zeros((HEIGHT, WIDTH, 2), np.uint16)
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in wide)
    assert (shown(png(WIDTH, HEIGHT, bits=16, colour=4, rows=rows)) == 255).all()


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        (np.linspace(0, 1, 64, dtype=np.float32), 0, 255),
        (np.linspace(-3, 900000, 64, dtype=np.float32), 0, 255),
        (np.linspace(0, 255, 64, dtype=np.float32), 0, 255),
        (np.linspace(0, 128, 64, dtype=np.float32), 0, 128),
        (np.linspace(0, 65535, 64).astype(np.int32), 0, 255),
        (np.full(64, 7, np.int32), 7, 7),
        (np.full(64, np.nan, np.float32), 0, 0),
        (np.full(64, -5.0, np.float32), 0, 0),
    ],
)
def test_scientific_tiffs_are_stretched(values: np.ndarray, low: int, high: int) -> None:
    """Float and 32-bit images are shown in the range of 8 bits."""
    rgb = shown(encode(Image.fromarray(values.reshape(8, 8)), "TIFF"))
    assert (rgb.min(), rgb.max()) == (low, high)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format", ["JPEG", "TIFF", "PNG", "WEBP"])
def test_pictures_stand_upright(format: str, orientation: int) -> None:
    """All eight EXIF orientations show the same picture, and its size as shown."""
    stored = {
        1: lambda a: a,
        2: lambda a: a[:, ::-1],
        3: lambda a: a[::-1, ::-1],
        4: lambda a: a[::-1],
        5: lambda a: a.swapaxes(0, 1),
        6: lambda a: a.swapaxes(0, 1)[::-1],
        7: lambda a: a[::-1, ::-1].swapaxes(0, 1),
        8: lambda a: a.swapaxes(0, 1)[:, ::-1],
    }[orientation](scene())
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = Image.fromarray(np.ascontiguousarray(stored))
    options = {"JPEG": {"quality": 95}, "WEBP": {"lossless": True}}.get(format, {})
    decoded = decode(encode(image, format, exif=exif, **options))
    assert (decoded.width, decoded.height) == (WIDTH, HEIGHT)
    rgb = decoded.picture.rgb.astype(int)
    for corner in [(2, 2), (2, -3), (-3, 2), (-3, -3)]:
        assert np.abs(rgb[corner] - scene()[corner]).max() <= 12, corner


def test_a_large_jpeg_is_shrunk_to_the_side_asked_for() -> None:
    """The picture is small, the size reported is that of the original."""
    large = RGB.resize((WIDTH * 40, HEIGHT * 40), Image.Resampling.NEAREST)
    exif = Image.Exif()
    exif[0x0112] = 6
    decoded = decode(encode(large, "JPEG", exif=exif), side=160)
    assert (decoded.width, decoded.height) == (HEIGHT * 40, WIDTH * 40)
    assert decoded.picture.rgb.shape == (160, 107, 3)
    assert np.abs(decoded.picture.rgb[5, -5].astype(int) - scene()[0, 0]).max() <= 6


def test_shrinking_needs_a_limit_that_is_exceeded() -> None:
    """No side keeps every pixel; a large side keeps a small picture as it is."""
    data = encode(RGB, "PNG")
    assert decode(data, side=None).picture.rgb.shape == (HEIGHT, WIDTH, 3)
    assert decode(data, side=WIDTH).picture.rgb.shape == (HEIGHT, WIDTH, 3)
    assert decode(data, side=24).picture.rgb.shape == (16, 24, 3)


@pytest.mark.parametrize("size", [(1, 1), (1, 4000), (4000, 1)])
@pytest.mark.parametrize("format", ["PNG", "JPEG"])
def test_thin_pictures_are_read(format: str, size: tuple[int, int]) -> None:
    """A line of pixels is a picture."""
    decoded = decode(encode(Image.new("RGB", size, "red"), format))
    assert (decoded.width, decoded.height) == size
    assert min(decoded.picture.rgb.shape[:2]) == 1


def test_a_colour_profile_is_followed() -> None:
    """Equal numbers under another profile are another colour, and grey stays grey."""
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB"))
    assert np.abs(shown(encode(RGB, "PNG", icc_profile=lab.tobytes())) - scene()).max() == 0
    swapped = encode(RGB, "PNG", icc_profile=profile_with_swapped_red_and_green())
    assert np.abs(shown(swapped) - scene()).max() > 100


def profile_with_swapped_red_and_green() -> bytes:
    """An sRGB profile whose red and green primaries have changed places."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    # The table of tags starts at 128: a count, then (name, offset, size) of each.
    for index in range(struct.unpack_from(">I", data, 128)[0]):
        at = 132 + 12 * index
        name = bytes(data[at : at + 4])
        if name in (b"rXYZ", b"gXYZ"):
            data[at : at + 4] = b"gXYZ" if name == b"rXYZ" else b"rXYZ"
        if name == b"desc":
            # Named differently, or it would be taken for sRGB itself.
            offset, size = struct.unpack_from(">II", data, at + 4)
            body = bytes(data[offset : offset + size])
            data[offset : offset + size] = body.replace(b"\0s\0R\0G\0B", b"\0o\0d\0d\0d")
    return bytes(data)


@pytest.mark.parametrize("profile", [b"junk", b"\0" * 200])
def test_an_unusable_profile_is_ignored(profile: bytes) -> None:
    """A broken profile leaves the colours as they are."""
    assert np.abs(shown(encode(RGB, "PNG", icc_profile=profile)) - scene()).max() == 0


def test_a_profile_keeps_transparency() -> None:
    """Alpha survives the change of colours."""
    rgba = RGB.copy()
    rgba.putalpha(0)
    data = encode(rgba, "PNG", icc_profile=profile_with_swapped_red_and_green())
    assert (shown(data) == 255).all()


def test_the_name_of_the_format_is_read_from_the_bytes() -> None:
    """A PNG that calls itself something else is a PNG all the same."""
    assert decode(encode(RGB, "PNG")).format == "PNG"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"hello, I am a text", "not a JPEG, PNG, WebP, TIFF, BMP or GIF image"),
        (b"<svg xmlns='x'/>", "not a JPEG"),
        (b"RIFF\x00\x00\x00\x00WAVE", "not a JPEG"),
        (b"BMW is a car", "truncated or corrupt BMP"),
        (b"\xff\xd8\xff", "truncated or corrupt JPEG"),
        (b"\x89PNG\r\n\x1a\n", "truncated or corrupt PNG"),
        (b"GIF89a", "truncated or corrupt GIF"),
        (b"II*\0\x08\0\0\0", "truncated or corrupt TIFF"),
        (b"RIFF\x00\x00\x00\x00WEBP", "truncated or corrupt WebP"),
    ],
)
def test_what_is_no_picture_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    """The reason is one sentence that a person can read."""
    with pytest.raises(NotAnImage) as caught:
        decode(data)
    assert str(caught.value).startswith(reason)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF"])
def test_half_a_picture_is_refused(format: str) -> None:
    """A file that was cut short is not shown half."""
    noise = np.random.default_rng(3).integers(0, 256, (64, 64, 3), np.uint8)
    data = encode(Image.fromarray(noise), format)
    with pytest.raises(NotAnImage, match="truncated or corrupt"):
        decode(data[: len(data) // 2])


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF"])
def test_damaged_bytes_never_crash(format: str) -> None:
    """Whatever bytes are changed, the answer is a picture or NotAnImage."""
    rng = np.random.default_rng(11)
    good = np.frombuffer(encode(RGB, format), np.uint8)
    outcomes = set()
    for _ in range(60):
        bad = good.copy()
        bad[rng.integers(0, len(bad), 8)] = rng.integers(0, 256, 8)
        try:
            outcomes.add(decode(bad.tobytes()).picture.rgb.ndim)
        except NotAnImage:
            outcomes.add(0)
    assert outcomes <= {0, 3}


def test_a_decompression_bomb_is_refused_from_its_header() -> None:
    """A header that promises too many pixels is enough; there are none behind it."""
    bomb = png(60_000, 60_000, bits=8, colour=2, rows=b"")
    with pytest.raises(NotAnImage, match="60000 × 60000 pixels are over the limit of 160,000,000"):
        decode(bomb)


def test_a_webp_bomb_is_refused_before_its_reader_makes_room() -> None:
    """A WebP whose header promises too much is refused for its size, in all three ways."""
    simple = b"VP8 \x0a\0\0\0\x30\x01\0\x9d\x01\x2a" + struct.pack("<HH", 16383, 16383)
    lossless = b"VP8L\x05\0\0\0\x2f" + struct.pack("<I", 16382 | 16382 << 14)
    extended = b"VP8X\x0a\0\0\0" + bytes(4) + (59_999).to_bytes(3, "little") * 2
    for chunk, size in ((simple, 16383), (lossless, 16383), (extended, 60_000)):
        bomb = b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk
        with pytest.raises(NotAnImage, match=f"{size} × {size} pixels are over the limit"):
            decode(bomb)


def test_the_limits_can_be_set() -> None:
    """Pixels and bytes have a limit each, and the reason names it."""
    data = encode(RGB, "PNG")
    with pytest.raises(NotAnImage, match="48 × 32 pixels are over the limit of 100"):
        decode(data, limits=Limits(max_pixels=100))
    with pytest.raises(NotAnImage, match="bytes are over the limit of 10"):
        decode(data, limits=Limits(max_bytes=10))
    assert decode(data, limits=Limits(max_bytes=len(data), max_pixels=WIDTH * HEIGHT)).width == 48


def test_decoding_leaves_the_filters_of_warnings_as_they_were() -> None:
    """Silencing Pillow is over when decoding is, from many threads too."""
    data = encode(RGB, "PNG")
    before = list(warnings.filters)
    threads = [threading.Thread(target=lambda: [decode(data) for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(warnings.filters) == before


def test_decoding_is_the_same_every_time() -> None:
    """The same bytes give the same pixels."""
    data = encode(RGB.resize((900, 600)), "JPEG")
    assert (decode(data).picture.rgb == decode(data).picture.rgb).all()

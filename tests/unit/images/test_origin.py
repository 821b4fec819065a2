"""When and with what a picture was taken, as its camera wrote it down."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from saccade.images.origin import origin_from, origin_in
from saccade.images.rendering import render
from saccade.scale.decoding import decode, origin
from saccade.types import Origin

MAKER, MODEL, CHANGED, TAKEN, DIGITIZED = 0x010F, 0x0110, 0x0132, 0x9003, 0x9004


def photograph(format: str = "JPEG") -> bytes:
    exif = Image.Exif()
    exif[MAKER], exif[MODEL] = "Canon", "EOS 5D"
    exif.get_ifd(0x8769)[TAKEN] = "2019:05:01 12:34:56"
    told = Image.Exif()
    told.load(exif.tobytes())  # as a file has it: a TIFF is written from no other
    out = BytesIO()
    Image.new("RGB", (8, 6)).save(out, format, exif=told)
    return out.getvalue()


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WebP", "TIFF"])
def test_every_format_tells_it(format: str) -> None:
    """With the pixels, and alone, here and in a decoding process."""
    data = photograph(format)
    told = Origin("2019-05-01T12:34:56", "Canon EOS 5D")
    assert render(data).origin == decode(data).origin == told
    assert origin_in(data) == origin(data) == told


def test_the_beginning_of_a_file_is_enough() -> None:
    """A photograph of megabytes need not be read to its end."""
    noise = Image.effect_noise((900, 900), 90.0)
    exif = Image.Exif()
    exif[MODEL] = "iPhone X"
    out = BytesIO()
    noise.save(out, "JPEG", quality=95, exif=exif)
    assert origin(out.getvalue()[:4096]).camera == "iPhone X"


@pytest.mark.parametrize(
    ("tags", "camera", "told"),
    [
        ({}, {}, Origin()),
        ({CHANGED: "2001:02:03 04:05:06"}, {}, Origin("2001-02-03T04:05:06")),
        (
            {CHANGED: "2001:02:03 04:05:06"},
            {DIGITIZED: "2000:02:03 04:05:06"},
            Origin("2000-02-03T04:05:06"),
        ),
        ({}, {TAKEN: "2019-05-01"}, Origin("2019-05-01T00:00:00")),
        ({}, {TAKEN: "    :  :     :  :  "}, Origin()),
        ({}, {TAKEN: "2019:13:01 00:00:00"}, Origin()),
        ({}, {TAKEN: "1200:01:01 00:00:00"}, Origin()),
        ({}, {TAKEN: 7}, Origin()),
        ({MAKER: "NIKON", MODEL: "NIKON D70"}, {}, Origin(camera="NIKON D70")),
        ({MAKER: "Apple\0"}, {}, Origin(camera="Apple")),
        ({MODEL: b"X\xff\x00100"}, {}, Origin(camera="X 100")),
        ({MODEL: "m" * 400}, {}, Origin(camera="m" * 100)),
    ],
)
def test_what_cameras_write_is_read_with_care(tags, camera, told) -> None:
    """The best time there is; a clock that was not set, and what is no text, say nothing."""
    assert origin_from(tags, camera) == told


def test_what_is_no_picture_says_nothing() -> None:
    """And is no error: whoever reads the pixels will say so."""
    assert origin(b"this is no picture") == origin(photograph()[:20]) == Origin()

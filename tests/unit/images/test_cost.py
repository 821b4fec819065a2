from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

import hostile
from saccade.errors import NotAnImage
from saccade.images import cost
from saccade.images.decode import Limits, decode


def jpeg(width: int, height: int, **options: object) -> bytes:
    out = BytesIO()
    Image.effect_noise((width, height), 90).convert("RGB").save(out, "JPEG", **options)
    return out.getvalue()


def test_a_plain_jpeg_keeps_nothing() -> None:
    """It is decoded as it is read, in one scan."""
    assert cost.jpeg_scans(jpeg(64, 48), most=50) == cost.JpegScans(0, 1)


def test_a_progressive_jpeg_keeps_its_coefficients() -> None:
    """Two bytes for each sample of each component; half the colour is half of those."""
    full = cost.jpeg_scans(jpeg(64, 48, progressive=True, subsampling=0), most=50)
    assert full.coefficients == 2 * 3 * 64 * 48
    assert 2 <= full.scans <= 12
    halved = cost.jpeg_scans(jpeg(64, 48, progressive=True, subsampling=2), most=50)
    assert halved.coefficients == 2 * (64 * 48 + 2 * 32 * 24)


def test_scans_are_counted_to_the_end_of_the_picture_and_no_further() -> None:
    """A film behind the picture, as telephones write, is none of it."""
    data = jpeg(64, 48, progressive=True)
    alone = cost.jpeg_scans(data, most=50).scans
    assert cost.jpeg_scans(data + b"\xff\xda" * 500, most=50).scans == alone
    assert cost.jpeg_scans(hostile.many_scans(64, 64, 40), most=50).scans == 40
    assert cost.jpeg_scans(hostile.many_scans(64, 64, 400), most=50).scans == 51


def test_the_limit_of_scans_can_be_set() -> None:
    """And is named."""
    data = hostile.many_scans(64, 64, 20)
    assert decode(data, limits=Limits(max_scans=20)).width == 64
    with pytest.raises(NotAnImage, match="a JPEG of more than 19 scans"):
        decode(data, limits=Limits(max_scans=19))


@pytest.mark.parametrize(
    "stump", [b"\xff\xd8\xff", b"\xff\xd8\xff\xc2", b"\xff\xd8\xff\xc2\0\x11\x08"]
)
def test_a_stump_of_a_jpeg_is_refused(stump: bytes) -> None:
    """In one sentence."""
    with pytest.raises(NotAnImage, match="truncated or corrupt JPEG"):
        decode(stump)


def test_a_picture_over_the_limit_of_memory_is_refused_unread() -> None:
    """Pixels, strips and coefficients all count; the reason says how much it would be."""
    few = Limits(max_memory=2**20)
    out = BytesIO()
    Image.new("RGB", (600, 600)).save(out, "PNG")
    for data in (
        out.getvalue(),
        hostile.tiff(200, 200, strips=1, tags={322: (4, 2000), 323: (4, 2000)}),
        hostile.many_scans(2000, 2000, 10),
        hostile.one_colour("WEBP", 300, 300, lossless=True),
    ):
        with pytest.raises(NotAnImage, match="MiB of memory to read, over the limit of 1"):
            decode(data, limits=few)

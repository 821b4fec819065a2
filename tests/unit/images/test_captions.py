"""What people wrote into their files, and what cameras did."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from saccade.images.captions import LONGEST, caption

DESCRIPTION, KEYWORDS, SECOND, COMMENT = 0x010E, 0x9C9E, 0x8769, 0x9286


def written(format_: str = "JPEG", *, comment: bytes = b"", **tags: object) -> bytes:
    """A small picture with texts in its EXIF block."""
    picture = Image.new("RGB", (16, 12), (90, 120, 150))
    exif = picture.getexif()
    for name, value in tags.items():
        exif[{"description": DESCRIPTION, "keywords": KEYWORDS}[name]] = value
    if comment:
        exif.get_ifd(SECOND)[COMMENT] = comment
    out = io.BytesIO()
    picture.save(out, format_, exif=exif)
    return out.getvalue()


@pytest.mark.parametrize("format_", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_title_and_keywords_are_read(format_: str) -> None:
    """In every format that has an EXIF block."""
    keywords = "grey heron;river".encode("utf-16-le")
    data = written(format_, description="At the weir", keywords=keywords)
    assert caption(data) == "At the weir; grey heron;river"


@pytest.mark.parametrize(
    "comment",
    [b"ASCII\0\0\0early", b"UNICODE\0" + "early".encode("utf-16-le"), b"\0" * 8 + b"early"],
)
def test_a_comment_is_read_by_its_characters(comment: bytes) -> None:
    """ASCII, UTF-16, or nothing said."""
    assert caption(written(comment=comment)) == "early"


def test_what_a_camera_writes_by_itself_is_left_out() -> None:
    """Otherwise the word camera would find whole collections."""
    assert caption(written(description="OLYMPUS DIGITAL CAMERA         ")) == ""
    assert caption(written(description="DSC 0012")) == ""


def test_a_long_text_is_cut_and_control_characters_are_taken_out() -> None:
    """It is looked through at every search."""
    assert caption(written(description="a\x07b\nc")) == "a b c"
    assert len(caption(written(description="word " * 2000))) == LONGEST


def test_a_file_without_text_has_none() -> None:
    """Pictures without a block, and what is no picture."""
    assert [caption(data) for data in (written(), b"", b"\xff\xd8", b"II*\0", b"RIFF")] == [""] * 5


@given(st.data())
def test_a_damaged_block_is_read_as_far_as_it_goes(data: st.DataObject) -> None:
    """Whatever is changed or cut off: a text comes back, and in no time."""
    whole = bytearray(written(description="At the weir", comment=b"ASCII\0\0\0early"))
    for _ in range(data.draw(st.integers(0, 8))):
        whole[data.draw(st.integers(2, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    assert len(caption(bytes(whole[:cut]))) <= LONGEST


@given(st.binary(max_size=400))
def test_no_directory_leads_astray(rest: bytes) -> None:
    """Offsets that point anywhere, directories within themselves."""
    assert len(caption(b"II*\0" + rest)) <= LONGEST

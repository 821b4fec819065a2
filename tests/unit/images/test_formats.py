from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from raw_files import dng
from saccade.errors import NotAnImage
from saccade.images import formats
from saccade.images.decode import decode
from saccade.images.scan import scan
from saccade.types import Skipped

CAMERA = (40, 200, 60)


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no optional package were there."""
    monkeypatch.setattr(formats, "available", lambda name: name not in formats._SOMETIMES)


def heic(**options: object) -> bytes:
    heif = pytest.importorskip("pillow_heif", reason="HEIC needs pillow-heif")
    out = BytesIO()
    heif.from_pillow(Image.new("RGB", (96, 64), (200, 40, 40))).save(out, **options)
    return out.getvalue()


def avif() -> bytes:
    if not formats.available(formats.AVIF):
        pytest.skip("this Pillow has no AVIF")
    out = BytesIO()
    Image.new("RGB", (96, 64), (200, 40, 40)).save(out, "AVIF")
    return out.getvalue()


def test_heic_is_read_where_its_package_is() -> None:
    """What telephones write."""
    decoded = decode(heic())
    assert (decoded.format, decoded.width, decoded.height) == ("HEIC", 96, 64)
    assert np.abs(decoded.picture.rgb.mean((0, 1)) - (200, 40, 40)).max() < 6


def test_avif_is_read() -> None:
    """What browsers save."""
    decoded = decode(avif())
    assert (decoded.format, decoded.width, decoded.height) == ("AVIF", 96, 64)
    assert np.abs(decoded.picture.rgb.mean((0, 1)) - (200, 40, 40)).max() < 6


@pytest.mark.parametrize(("orientation", "size"), [(1, (1200, 800)), (6, (800, 1200))])
@pytest.mark.parametrize("preview", [1000, 160, 0])
def test_camera_raw_shows_its_preview_or_is_developed(
    orientation: int, size: tuple[int, int], preview: int
) -> None:
    """A preview of good size is shown; a stamp is not; both stand upright."""
    pytest.importorskip("rawpy", reason="camera RAW needs rawpy")
    decoded = decode(dng(1200, 800, CAMERA, orientation=orientation, preview=preview))
    assert (decoded.width, decoded.height) == size
    height, width = decoded.picture.rgb.shape[:2]
    assert (width > height) == (size[0] > size[1])
    red, green, _ = decoded.picture.rgb.mean((0, 1))
    assert (red > green) == (preview == 1000)


@pytest.mark.parametrize("side", [None, 16])
def test_camera_raw_without_colours_is_grey(side: int | None) -> None:
    """A sensor without a filter gives one plane; the picture has three that are equal."""
    pytest.importorskip("rawpy", reason="camera RAW needs rawpy")
    rgb = decode(dng(64, 48, CAMERA, grey=True), side=side).picture.rgb
    assert rgb.shape[2] == 3
    assert (rgb[..., 0] == rgb[..., 2]).all()


def test_a_tiff_is_camera_raw_only_if_a_camera_says_so() -> None:
    """A plain TIFF stays one; a DNG's first page is not taken for the picture."""
    out = BytesIO()
    Image.new("RGB", (20, 10)).save(out, "TIFF")
    assert formats.recognise(out.getvalue()) == "TIFF"
    big = BytesIO()
    Image.new("RGB", (20, 10)).save(big, "TIFF", big_tiff=True)
    assert formats.recognise(big.getvalue()) == "TIFF"
    for preview in (0, 160):
        assert formats._format(dng(64, 48, CAMERA, preview=preview)) == formats.RAW


@pytest.mark.parametrize(
    ("data", "package"),
    [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "pillow-heif"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avif", "newer Pillow"),
        (b"FUJIFILMCCD-RAW 0201", "rawpy"),
        (b"\0\0\0\x18ftypcrx \0\0\0\0crx isom", "rawpy"),
        (b"II*\0\x10\0\0\0CR\2\0", "rawpy"),
    ],
)
def test_what_needs_a_package_says_which(
    nothing_installed: None, data: bytes, package: str
) -> None:
    """The hint is the command."""
    with pytest.raises(NotAnImage) as caught:
        decode(data)
    assert "cannot be read yet" in caught.value.message
    assert package in caught.value.hint
    assert "pip install" in caught.value.hint


def test_a_scan_lists_what_it_cannot_read(nothing_installed: None, tmp_path: Path) -> None:
    """A folder of telephone pictures is not an empty folder."""
    for name in ["a.HEIC", "b.avif", "c.nef", "d.psd", "e.svg", "f.txt", "g.jpg"]:
        (tmp_path / name).write_bytes(b"x")
    skipped = {Path(s.path).name: s.reason for s in scan(tmp_path) if isinstance(s, Skipped)}
    assert set(skipped) == {"a.HEIC", "b.avif", "c.nef", "d.psd", "e.svg"}
    assert "pip install 'saccade[heic]'" in skipped["a.HEIC"]
    assert "pip install 'saccade[raw]'" in skipped["c.nef"]
    assert skipped["d.psd"] == "Photoshop files are not read; save it as JPEG, PNG or TIFF"


def test_a_scan_finds_what_an_installed_package_reads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Installing it is all there is to do."""
    monkeypatch.setattr(formats, "available", lambda name: True)
    for name in ["a.heic", "b.avif", "c.nef", "d.psd"]:
        (tmp_path / name).write_bytes(b"x")
    found = {Path(item.path).name for item in scan(tmp_path) if not isinstance(item, Skipped)}
    assert found == {"a.heic", "b.avif", "c.nef"}


@pytest.mark.parametrize("start", [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"])
@pytest.mark.parametrize(
    "rest", [b"", b"\xff" * 4, b"\xff" * 40, b"\x08\0\0\0\xff\xff" + b"\1" * 50]
)
def test_a_stump_of_a_tiff_is_no_trouble(start: bytes, rest: bytes) -> None:
    """Whatever its offsets point at."""
    assert formats.recognise(start + rest) == "TIFF"
    with pytest.raises(NotAnImage, match="TIFF"):
        decode(start + rest)

"""Originals in a zip: whole, by their names, one at a time."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from PIL import Image

from saccade.engine import Engine
from saccade.engine.rooms import archive
from saccade.errors import InvalidInput, NoSuchImage


@pytest.fixture
def made(tmp_path: Path) -> Engine:
    """Three pictures, two of them of one name, in a store."""
    for shade, place in enumerate(("a/one.png", "b/one.png", "b/two.png")):
        file = tmp_path / place
        file.parent.mkdir(exist_ok=True)
        Image.new("RGB", (40, 30), (60 * shade, 90, 120)).save(file)
    engine = Engine(tmp_path / "s.saccade", warm=False)
    engine.add(tmp_path, recipe="color-histogram", workers=1)
    return engine


def test_a_zip_holds_the_originals_by_their_names(made: Engine) -> None:
    """Bit for bit, each once; a name that is taken gets a number."""
    records = made.images()
    ids = [one.image_id for one in records]
    with made, ZipFile(BytesIO(b"".join(made.library.zipped([*ids, ids[0]])))) as found:
        assert found.testzip() is None
        assert sorted(found.namelist()) == ["one-2.png", "one.png", "two.png"]
        packed = {found.read(name) for name in found.namelist()}
    assert packed == {Path(one.paths[0]).read_bytes() for one in records}


def test_what_has_vanished_is_named_in_it(made: Engine) -> None:
    """The others are there."""
    gone, *_ = made.images()
    Path(gone.paths[0]).unlink()
    every = [one.image_id for one in made.images()]
    with made, ZipFile(BytesIO(b"".join(made.library.zipped(every)))) as found:
        assert len(found.namelist()) == 3
        assert found.read(archive.MISSING).decode() == f"{Path(gone.paths[0]).name}\n"


def test_what_is_too_much_is_refused_before_the_first_byte(
    made: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None, too many, too large, or one that is not there."""
    ids = [one.image_id for one in made.images()]
    with made:
        with pytest.raises(InvalidInput, match="0 pictures"):
            made.library.zipped([])
        with pytest.raises(NoSuchImage):
            made.library.zipped([ids[0], "0" * 32])
        monkeypatch.setattr(archive, "MOST", 2)
        with pytest.raises(InvalidInput, match="3 pictures: a zip holds 1 to 2"):
            made.library.zipped(ids)
        monkeypatch.setattr(archive, "MOST_BYTES", 10)
        with pytest.raises(InvalidInput, match="a zip holds 10 at most"):
            made.library.zipped(ids[:2])

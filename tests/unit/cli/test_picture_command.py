"""`saccade picture`: one picture in, replaced, out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import taken
from saccade.cli.app import build
from saccade.engine import Engine
from saccade.errors import SaccadeError


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A store of two pictures beside others."""
    album = taken.draw(tmp_path / "pictures")
    every = sorted(album.rglob("*.jpg"))
    (tmp_path / "some").mkdir()
    every[0].rename(tmp_path / "some" / "first.jpg")
    with Engine(tmp_path / "album.saccade", warm=False) as engine:
        engine.add(tmp_path / "some", recipe="color-histogram")
    every[1].rename(tmp_path / "one.jpg")
    every[2].rename(tmp_path / "two.jpg")
    return tmp_path


def say(place: Path, *words: object) -> str:
    """Run the command line; what it prints."""
    more = ["--store", str(place / "album.saccade")]
    result = CliRunner().invoke(build(), ["picture", *map(str, words), *more])
    if isinstance(result.exception, SaccadeError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_picture_comes_is_replaced_and_goes(place: Path) -> None:
    """With its fields; what is printed says where it is."""
    said = say(
        place, "put", "sku-1", place / "one.jpg", "--field", "price=12.5", "--field", "new=true"
    )
    assert "sku-1 is in the collection as " in said
    told = json.loads(say(place, "put", "sku-1", place / "two.jpg", "--in-place", "--json"))
    assert told["searchable"]
    with Engine(place / "album.saccade", warm=False) as engine:
        record = engine.fields.find("sku-1")
        assert record.paths == (str(place / "two.jpg"),)
        assert record.fields == {"price": 12.5, "new": True}
        assert len(engine) == 2
    assert say(place, "remove", "sku-1") == "sku-1 is out of the collection\n"
    assert (place / "two.jpg").exists()


def test_what_cannot_be_put_is_one_sentence(place: Path) -> None:
    """No picture, no value, no such id."""
    (place / "notes.jpg").write_text("this is no picture")
    for words in (("put", "a", place / "notes.jpg"), ("remove", "nobody")):
        with pytest.raises(SaccadeError):
            say(place, *words)
    with pytest.raises(SaccadeError, match="equals sign"):
        say(place, "put", "a", place / "one.jpg", "--field", "price")
    missing = [
        "picture",
        "put",
        "a",
        str(place / "none.jpg"),
        "--store",
        str(place / "album.saccade"),
    ]
    result = CliRunner().invoke(build(), missing)
    assert result.exit_code == 2
    assert "none.jpg" in result.output

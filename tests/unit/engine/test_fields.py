"""What others know of pictures: ids of theirs, and fields that a search is narrowed by."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import taken
from saccade.engine import Engine, HasField
from saccade.errors import InvalidInput, NoSuchImage, UnknownName

CSV = """path,external_id,price,colour,new
2019/rome/a.jpg,sku-1,12.5,Red,true
b.jpg,sku-2,30,dark red,false
2019/oslo/c.jpg,,20,blue,
nowhere.jpg,sku-9,1,red,true
"""


@pytest.fixture
def album(tmp_path: Path) -> Engine:
    """A store of five pictures."""
    with Engine(tmp_path / "album.saccade", warm=False) as engine:
        engine.add(taken.draw(tmp_path / "pictures"), recipe="color-histogram")
        yield engine


@pytest.fixture
def filed(album: Engine, tmp_path: Path) -> Engine:
    """The same with what a file beside the pictures says."""
    (tmp_path / "pictures" / "shop.csv").write_text(CSV)
    told = album.fields.read(tmp_path / "pictures" / "shop.csv")
    assert (told.images, told.fields) == (3, ("colour", "new", "price"))
    (missed,) = told.missed
    assert missed.path.endswith("shop.csv:5")
    return album


def names(engine: Engine, where: object) -> str:
    found = engine.library.images(where=where)
    return "".join(sorted(Path(one.paths[0]).stem for one in found))


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({"fields": {"price": {"below": 20}}}, "a"),
        ({"fields": {"price": {"above": 12.5}}}, "bc"),
        ({"fields": {"price": {"above": 12, "below": 25}}}, "ac"),
        ({"fields": {"price": 20}}, "c"),
        ({"fields": {"colour": "red"}}, "a"),
        ({"fields": {"colour": {"holds": "red"}}}, "ab"),
        ({"fields": {"new": True}}, "a"),
        ({"fields": {"colour": {"holds": "red"}}, "folder": "2019", "shape": "tall"}, "b"),
        (HasField("price", "below", 0), ""),
        ({"fields": "price<20"}, "a"),
        ({"fields": "colour~RED"}, "ab"),
    ],
)
def test_pictures_are_narrowed_by_fields(filed, where, found) -> None:
    """By numbers, texts and flags, beside everything else; what has no such field does not fit."""
    assert names(filed, where) == found


def test_a_search_is_narrowed_likewise(filed) -> None:
    """And the page says so, in the same form."""
    query = filed.images()[0].image_id
    page = filed.search(query, where={"fields": {"price": {"below": 40}}}, k=10)
    assert {Path(hit.path).stem for hit in page} | {"c"} == {"a", "b", "c"}
    assert page.where == ({"fields": {"price": {"below": 40}}},)


def test_a_picture_is_known_by_an_id_of_somebodys(filed) -> None:
    """It can be given fields by it; one that another picture has goes over."""
    first = filed.fields.find("sku-1")
    assert (first.external_id, first.fields["price"]) == ("sku-1", 12.5)
    changed = filed.fields.set("sku-1", {"price": 9, "colour": None, "stock": 3})
    assert changed.fields == {"price": 9, "new": True, "stock": 3}
    second = filed.fields.find("sku-2")
    assert filed.fields.set(second.image_id, external_id="sku-1").external_id == "sku-1"
    assert filed.image(first.image_id).external_id == ""
    with pytest.raises(NoSuchImage):
        filed.fields.find("sku-2")


def test_json_lines_say_the_same(album, tmp_path: Path) -> None:
    """With fields beside the key, or in an object of their own."""
    ids = [one.image_id for one in album.images()]
    lines = [{"image_id": ids[0], "price": 1}, {"image_id": ids[1], "fields": {"price": 2}}]
    file = tmp_path / "more.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    assert album.fields.read(file).images == 2
    assert len(album.library.images(where={"fields": {"price": {"above": 0}}})) == 2
    assert album.fields.kinds == {"price": "number"}


def test_a_field_holds_what_its_first_value_was(filed, tmp_path: Path) -> None:
    """Another kind is refused, of a file all of it."""
    with pytest.raises(InvalidInput, match="'price' holds a number, and 'cheap' is a text"):
        filed.fields.set("sku-1", {"price": "cheap"})
    file = tmp_path / "pictures" / "wrong.csv"
    file.write_text("path,price,size\nb.jpg,3,1\n2019/rome/a.jpg,cheap,2\n")
    with pytest.raises(InvalidInput, match=r"wrong.csv:2: field 'price' holds a number"):
        filed.fields.read(file)
    assert "size" not in filed.fields.kinds


@pytest.mark.parametrize(
    ("where", "error", "words"),
    [
        ({"fields": {"prize": 3}}, UnknownName, "did you mean 'price'"),
        ({"fields": {"price": "low"}}, InvalidInput, "holds numbers"),
        ({"fields": {"colour": {"below": 3}}}, InvalidInput, "holds texts"),
        ({"fields": {"price": {"near": 3}}}, UnknownName, "near"),
        ({"fields": {"price": {"below": "x"}}}, InvalidInput, "cannot be told"),
        ({"fields": "price"}, InvalidInput, "expected NAME=VALUE"),
    ],
)
def test_what_cannot_narrow_is_refused(filed, where, error, words) -> None:
    """By a sentence that names it."""
    with pytest.raises(error, match=words):
        filed.library.images(where=where)


@pytest.mark.parametrize(
    ("fields", "more"),
    [
        ({"a/b": 1}, {}),
        ({"x": float("nan")}, {}),
        ({"x": [1]}, {}),
        ({str(n): n for n in range(65)}, {}),
        ({}, {"external_id": "a/b"}),
    ],
)
def test_what_cannot_be_kept_is_refused(filed, fields, more) -> None:
    """And nothing of it is kept."""
    before = filed.fields.find("sku-1")
    with pytest.raises(InvalidInput):
        filed.fields.set("sku-1", fields, **more)
    assert filed.fields.find("sku-1") == before


def test_a_store_from_before_gets_the_table(filed) -> None:
    """And opens as it is."""
    filed.close()
    with sqlite3.connect(filed.path / "catalog.sqlite") as raw:
        raw.execute("DROP TABLE fields")
    with Engine(filed.path, warm=False) as again:
        assert again.images()[0].external_id == ""

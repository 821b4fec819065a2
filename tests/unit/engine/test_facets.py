"""What pictures can be narrowed by: what cameras and files say, counted."""

from __future__ import annotations

import os
import shutil
import sqlite3
from datetime import date
from pathlib import Path

import pytest

import taken
from saccade.engine import After, Before, Camera, Engine, Shape
from saccade.errors import InvalidInput, UnknownName


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """A store of five pictures with times, cameras, shapes and folders."""
    place = tmp_path_factory.mktemp("album")
    with Engine(place / "album.saccade", warm=False) as engine:
        engine.add(taken.draw(place / "pictures"), recipe="color-histogram")
        yield engine


def names(engine: Engine, **more: object) -> str:
    """The stems of the pictures that fit, in their order."""
    return "".join(Path(one.paths[0]).stem for one in engine.library.images(**more))


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({}, "abcde"),
        ({"folder": "2019/rome"}, "ab"),
        ({"folder": "rome"}, "abd"),
        ({"after": "2019-06-01"}, "cde"),
        ({"after": "2019-05", "before": "2019-06"}, "ab"),
        ({"before": "2020"}, "abc"),
        ({"after": date(2020, 1, 2)}, "de"),
        ({"after": "2021-07-09", "before": "2021-07-10"}, "e"),
        ({"camera": "canon EOS 5d"}, "a"),
        ({"camera": "canon"}, "ab"),
        ({"shape": "wide"}, "ae"),
        ({"shape": "tall"}, "b"),
        ({"shape": "square"}, "c"),
        ({"shape": "panorama"}, "d"),
        ({"camera": "iphone", "folder": "rome"}, "d"),
        ([{"name": "*.png"}, {"shape": "wide"}], "e"),
    ],
)
def test_a_listing_is_narrowed_by_what_is_known_of_pictures(album, where, found) -> None:
    """All of it together; `before` leaves its own day out, a camera may be named by a piece."""
    assert "".join(sorted(names(album, where=where))) == found


def test_a_search_is_narrowed_likewise(album) -> None:
    """Before anything is ranked, and the page says what narrowed it."""
    query = album.images()[0].image_id
    page = album.search(query, where=[After("2019-05-01"), Before("2019-06-01"), Camera("canon")])
    assert {Path(hit.path).stem for hit in page} == {"a", "b"}
    assert page.where == ({"after": "2019-05-01"}, {"before": "2019-06-01"}, {"camera": "canon"})
    assert {Path(hit.path).stem for hit in album.search(query, where=Shape("panorama"))} == {"d"}


def test_a_listing_goes_by_time_where_asked(album) -> None:
    """By when pictures were taken; what says nothing goes by its file."""
    assert names(album, order="oldest") == "abcde"
    assert names(album, order="newest", where={"folder": "rome"}) == "dba"
    assert names(album, offset=1, limit=2, order="newest") == "dc"


def test_facets_count_what_each_would_leave(album) -> None:
    """As a clause finds it: a folder with all that lies deeper, or elsewhere under its name."""
    found = album.library.facets()
    assert found.images == 5
    folders = {one.folder: one.count for one in found.folders}
    assert folders == {"2019": 3, "2019/oslo": 1, "2019/rome": 2, "2020": 2, "2020/rome": 1}
    assert {f: len(album.library.images(where={"folder": f})) for f in folders} == folders
    months = [(one.month, one.count) for one in found.months]
    assert months == [("2019-05", 2), ("2019-06", 1), ("2020-01", 1), ("2021-07", 1)]
    cameras = [(one.camera, one.count) for one in found.cameras]
    assert cameras == [("Apple iPhone X", 2), ("Canon EOS 5D", 1), ("Canon EOS 5D Mark II", 1)]
    shapes = [(one.shape, one.count) for one in found.shapes]
    assert shapes == [("wide", 2), ("panorama", 1), ("square", 1), ("tall", 1)]


def test_facets_of_what_fits_count_no_more(album) -> None:
    """Every clause narrows every count."""
    found = album.library.facets(where={"folder": "2019", "before": "2019-06"})
    assert found.images == 2
    assert [one.folder for one in found.folders] == ["2019", "2019/rome"]
    assert [one.month for one in found.months] == ["2019-05"]
    assert [one.camera for one in found.cameras] == ["Canon EOS 5D", "Canon EOS 5D Mark II"]


@pytest.mark.parametrize(
    ("where", "error", "words"),
    [
        ({"shape": "round"}, UnknownName, "round"),
        ({"after": "yesterday"}, InvalidInput, "is no day: expected 2019-05-01"),
        ({"before": "2019-02-30"}, InvalidInput, "'2019-02-30' is no day"),
        ({"after": 2019}, InvalidInput, "expected a text"),
        ({"camera": "Cannon EOS 5D"}, UnknownName, "did you mean 'Canon EOS 5D'"),
        ({"tag": "holiday"}, UnknownName, "no tag 'holiday'"),
    ],
)
def test_what_cannot_narrow_is_refused(album, where, error, words) -> None:
    """By a sentence that names it."""
    with pytest.raises(error, match=words):
        album.library.facets(where=where)


def test_a_record_says_when_and_with_what(album) -> None:
    """And nothing where the picture does not."""
    records = {Path(one.paths[0]).stem: one for one in album.images()}
    assert (records["a"].taken, records["a"].camera) == ("2019-05-01T10:00:00", "Canon EOS 5D")
    assert (records["e"].taken, records["e"].camera) == ("", "")


def test_a_store_from_before_is_filled_behind(tmp_path: Path) -> None:
    """It opens without the table, goes by files until then, and knows all after the next run."""
    pictures = taken.draw(tmp_path / "pictures")
    with Engine(tmp_path / "old.saccade", warm=False) as engine:
        engine.add(pictures, recipe="color-histogram")
    with sqlite3.connect(tmp_path / "old.saccade" / "catalog.sqlite") as raw:
        raw.execute("DROP TABLE origins")
    with Engine(tmp_path / "old.saccade", warm=False) as engine:
        assert engine.library.doctor() == ()
        assert [one.month for one in engine.library.facets().months] == ["2021-07"]
        os.remove(pictures / "2019/rome/b.jpg")
        engine.add(pictures)
        months = [one.month for one in engine.library.facets().months]
        assert months == ["2019-05", "2019-06", "2020-01", "2021-07"]
        assert engine.library.facets().cameras[0].camera == "Apple iPhone X"


def test_copies_of_a_picture_count_once(tmp_path: Path) -> None:
    """In each folder that one of them lies in, and in those above."""
    pictures = taken.draw(tmp_path / "pictures")
    shutil.copy(pictures / "2019/rome/a.jpg", pictures / "2019/oslo/a.jpg")
    with Engine(tmp_path / "copies.saccade", warm=False) as engine:
        engine.add(pictures, recipe="color-histogram")
        folders = {one.folder: one.count for one in engine.library.facets().folders}
        assert folders == {"2019": 3, "2019/oslo": 2, "2019/rome": 2, "2020": 2, "2020/rome": 1}
        assert {f: len(engine.library.images(where={"folder": f})) for f in folders} == folders

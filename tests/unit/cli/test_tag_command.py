"""`saccade tag`, and a search narrowed by what is known of pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import taken
from saccade.cli.app import build
from saccade.engine import Engine
from saccade.errors import UnknownName


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the album beside its pictures."""
    folder = tmp_path_factory.mktemp("tag")
    with Engine(folder / "album.saccade", warm=False) as engine:
        engine.add(taken.draw(folder / "pictures"), recipe="color-histogram")
    return folder


@pytest.fixture
def say(place: Path):
    """Run the command line; what it prints."""

    def run(*words: object) -> str:
        more = ["--store", str(place / "album.saccade"), "--user", "ana"]
        result = CliRunner().invoke(build(), [*map(str, words), *more])
        if isinstance(result.exception, UnknownName):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def test_tags_are_given_listed_and_taken_off(say, place) -> None:
    """By paths; off one, then off all."""
    pictures = [place / "pictures" / name for name in list(taken.ALBUM)[:3]]
    assert "3 tagged trip" in say("tag", "add", "trip", *pictures)
    (listed,) = json.loads(say("tag", "list", "--json"))
    assert listed == {"tag": "trip", "images": 3, "own": 3, "people": 1}
    assert "2 pictures have it still" in say("tag", "remove", "trip", pictures[0])
    assert "0 pictures have it still" in say("tag", "remove", "trip")
    with pytest.raises(UnknownName, match="no tag 'trip'"):
        say("tag", "remove", "trip")


def test_a_search_is_narrowed_by_time_camera_shape_and_tag(say, place) -> None:
    """Each by an option of its name."""
    query = place / "pictures" / "2020" / "e.png"
    say("tag", "add", "kept", place / "pictures" / "2019/rome/a.jpg")
    for option, value, names in [
        ("--after", "2020", ["d"]),
        ("--before", "2019-06", ["a", "b"]),
        ("--camera", "mark ii", ["b"]),
        ("--shape", "panorama", ["d"]),
        ("--tag", "kept", ["a"]),
    ]:
        found = json.loads(say("search", query, option, value, "--json"))["hits"]
        assert sorted(Path(hit["path"]).stem for hit in found) == names


def test_a_file_of_fields_comes_with_the_folder(place, tmp_path) -> None:
    """And a search is narrowed by them."""
    file = tmp_path / "shop.csv"
    file.write_text("path,price\n2019/rome/a.jpg,3\n2019/rome/b.jpg,30\nnone.jpg,1\n")
    store = ["--store", str(tmp_path / "shop.saccade")]
    words = ["index", str(place / "pictures"), "--fields", str(file), "--recipe", "color-histogram"]
    told = CliRunner().invoke(build(), [*words, *store])
    assert told.exit_code == 0, told.output
    assert "2 pictures have fields: price" in told.stdout
    query = str(place / "pictures" / "2020" / "e.png")
    found = CliRunner().invoke(build(), ["search", query, "--fields", "price<9", "--json", *store])
    assert [Path(hit["path"]).stem for hit in json.loads(found.stdout)["hits"]] == ["a"]

"""What was taught, on a command line: listed, followed along its links, and taken back."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from saccade.cli import main
from saccade.engine import Engine

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in this process: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["saccade", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        code = end.value.code
        return (code if isinstance(code, int) else 0), out, err

    return call


@pytest.fixture
def store(indexed: Path, tmp_path: Path) -> Path:
    """A store in which ana said twice that a far picture is right and the nearest wrong."""
    place = Path(shutil.copytree(indexed, tmp_path / "taught.saccade"))
    with Engine(place, warm=False) as engine:
        query = engine.images()[0].image_id
        shown = [hit.image_id for hit in engine.search(query, user="ana", k=20).hits]
        for _ in range(2):
            page = engine.search(query, user="ana", expert="plain", k=20)
            engine.react(page, liked=[shown[12]], disliked=[shown[0]])
    return place


def test_neighbours_by_taught_links_say_what_was_marked(run: Run, store: Path) -> None:
    """A far picture is linked, and it says in how many searches; for somebody else it is not."""
    with Engine(store, warm=False) as engine:
        query, far = engine.images()[0].image_id, engine.people.taught("ana")[0].liked[0]
    asked = ("neighbours", query, "--store", store, "-k", 1000, "--taught", "--user")
    code, out, _ = run(*asked, "ana")
    assert code == 0
    (line,) = [line for line in out.splitlines() if far[:8] in line]
    assert "(together in 2 searches on 1 day; " in line
    assert any("(apart in 2 searches on 1 day; " in line for line in out.splitlines())
    plain = run("neighbours", query, "--store", store, "-k", 1000)
    assert run(*asked, "bob") == plain


def test_a_search_is_listed_and_dropped(run: Run, store: Path) -> None:
    """Both are remembered, one is taken back by its name, and a second time there is none."""
    code, out, _ = run("profile", "taught", "ana", "--store", store, "--json")
    one, two = (search["session"] for search in json.loads(out))
    assert "2 searches are remembered" in run("profile", "show", "ana", "--store", store)[1]
    code, out, _ = run("profile", "drop", "ana", one, "--store", store)
    assert (code, out) == (0, "took back 1 round of feedback\n")
    code, out, _ = run("profile", "taught", "ana", "--store", store)
    assert [line.split()[0] for line in out.splitlines()] == [two]
    assert "1 right, 1 wrong" in out
    code, _, err = run("profile", "drop", "ana", one, "--store", store)
    assert code == 3
    assert "`saccade profile taught USER`" in err


def test_guests_are_remembered_when_the_store_is_told(run: Run, store: Path) -> None:
    """They are not at first; the word is kept in the store and can be taken back."""
    said = "guests are remembered\n"
    assert run("profile", "guests", "--store", store)[1] == "guests are not remembered\n"
    assert run("profile", "guests", "--remember", "--store", store)[1] == said
    assert run("profile", "guests", "--store", store)[1] == said
    again = run("profile", "guests", "--forget", "--store", store)[1]
    assert again == "guests are not remembered\n"

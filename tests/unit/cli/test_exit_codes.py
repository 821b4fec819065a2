"""Every expected failure is one sentence on standard error and an exit code, never a traceback."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saccade.cli import VERBS, main
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


@pytest.fixture(scope="module")
def store(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store for commands that only look."""
    return Path(shutil.copytree(indexed, tmp_path_factory.mktemp("cli") / "look.saccade"))


def sentence(err: str) -> str:
    """The one line that a person reads."""
    lines = err.strip().splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("saccade: ")
    return lines[0]


def test_bad_folders(run: Run, tmp_path: Path) -> None:
    """Missing, empty, a file: exit code 2."""
    (tmp_path / "empty").mkdir()
    file = tmp_path / "a.png"
    file.write_bytes(b"x")
    into = tmp_path / "s.saccade"
    for folder, words in (
        (tmp_path / "missing", "no folder"),
        (file, "is a file"),
        (tmp_path / "empty", "no pictures in"),
    ):
        assert not into.exists()  # a typing error leaves nothing behind
        code, out, err = run("index", folder, "--into", into, "--recipe", "lbp")
        assert (code, out) == (2, "")
        assert words in sentence(err)


def test_bad_places_for_a_store(run: Run, tmp_path: Path, world: Path) -> None:
    """A file, below a file, somebody else's folder, a name too long."""
    file = tmp_path / "file"
    file.write_text("x")
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("x")
    for place, expected, words in (
        (file, 2, "is a file; a store is a folder"),
        (file / "below.saccade", 4, "cannot be used"),
        (other, 4, "holds other files"),
        (tmp_path / ("x" * 300), 4, "cannot be used"),
    ):
        code, _, err = run("index", world, "--into", place)
        assert code == expected
        assert words in sentence(err)


def test_no_store(run: Run, tmp_path: Path) -> None:
    """Every verb that needs one says how to make one, and makes none itself."""
    missing = tmp_path / "none.saccade"
    for arguments in (
        ("search", "x.jpg"),
        ("serve",),
        ("replay",),
        ("doctor",),
        ("profile", "show", "ana"),
        ("profile", "undo", "ana"),
        ("profile", "forget", "ana", "--yes"),
        ("profile", "export", "ana"),
    ):
        code, _, err = run(*arguments, "--store", missing)
        assert code == 3, arguments
        assert "no store at" in sentence(err)
    assert list(tmp_path.iterdir()) == []


def test_a_newer_store(run: Run, tmp_path: Path) -> None:
    """Refused with the version named, by every verb."""
    place = tmp_path / "new.saccade"
    Engine(place, warm=False).close()
    with sqlite3.connect(place / "catalog.sqlite") as raw:
        raw.execute("UPDATE meta SET value = '12' WHERE key = 'format'")
    raw.close()
    for arguments in (("search", "x.jpg"), ("doctor",), ("replay",), ("schemes",)):
        code, _, err = run(*arguments, "--store", place)
        assert code == 4
        assert "format 12" in sentence(err)
    code, _, err = run("index", tmp_path, "--into", place)
    assert code == 4


def test_bad_searches(run: Run, store: Path, tmp_path: Path) -> None:
    """Each names the thing and the next step."""
    with Engine(store, warm=False) as engine:
        first = engine.images(0, 1)[0].image_id
    text = tmp_path / "list.png"
    text.write_text("a shopping list")
    folder = tmp_path / "folder"
    folder.mkdir()
    for arguments, expected, words in (
        (("0" * 32,), 3, "no image '000"),
        ((tmp_path / "no.jpg",), 3, "no file"),
        ((text,), 2, "not a JPEG"),
        ((folder,), 2, "cannot be read"),
        ((), 2, "nothing to search with"),
        ((first, "-k", 0), 2, "1 to 10000"),
        ((first, "-k", 1_000_000), 2, "1 to 10000"),
        ((first, "--scheme", "lbp:chi"), 2, "did you mean 'lbp:chi2'"),
        ((first, "--scheme", "lbp"), 2, "descriptor:similarity"),
        ((first, "--ranker", "unifrom"), 2, "did you mean 'uniform'"),
        ((first, "--user", ""), 2, "1 to 100 printable"),
        ((first, "--unlike", "1" * 32), 3, "no image '111"),
    ):
        code, out, err = run("search", *arguments, "--store", store)
        assert (code, out) == (expected, ""), arguments
        assert words in sentence(err)


def test_bad_profiles(run: Run, store: Path, tmp_path: Path) -> None:
    """Nothing to undo, nobody to forget, nothing to import, nowhere to write."""
    junk, wrong = tmp_path / "junk.json", tmp_path / "wrong.json"
    junk.write_bytes(b"\xff{")
    wrong.write_text(json.dumps({"saccade-profile": 1, "events": 3}))
    for arguments, expected, words in (
        (("undo", "nobody"), 3, "no feedback to undo"),
        (("forget", "nobody", "--yes"), 3, "no user 'nobody'"),
        (("import", "ana", junk), 2, "cannot be read as JSON"),
        (("import", "ana", tmp_path / "none.json"), 2, "cannot be read"),
        (("import", "ana", wrong), 2, "no list of events"),
        (("show", "x" * 101), 2, "1 to 100 printable"),
        (("export", "ana", "--out", tmp_path / "no" / "where.json"), 2, "cannot be written"),
    ):
        code, out, err = run("profile", *arguments, "--store", store)
        assert (code, out) == (expected, ""), arguments
        assert words in sentence(err)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_port_in_use(run: Run, store: Path, taken: int) -> None:
    """The sentence names it and offers the next one."""
    code, _, err = run("serve", "--store", store, "--port", taken)
    assert code == 2
    assert f"port {taken} of 127.0.0.1 is in use" in sentence(err)
    code, _, err = run("serve", "--store", store, "--port", 70_000)
    assert code == 2
    assert "ports go from 0 to 65535" in sentence(err)


def test_bad_recipes(run: Run, world: Path, tmp_path: Path) -> None:
    """Did you mean …"""
    code, _, err = run("index", world, "--into", tmp_path / "s", "--recipe", "lpb")
    assert code == 2
    assert "did you mean 'lbp'" in sentence(err)


def test_an_interrupt_is_said_and_has_its_code(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """130, as shells expect."""

    def interrupted(self: Engine) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "replay", interrupted)
    code, _, err = run("replay", "--store", store)
    assert code == 130
    assert "run the same command again" in sentence(err)


def test_every_verb_explains_itself(run: Run) -> None:
    """--help ends well and says more than the name."""
    for verb in VERBS:
        code, out, err = run(verb, "--help")
        assert (code, err) == (0, ""), verb
        assert "Usage" in out
        assert len(out) > 100


def test_a_wrong_option_is_usage_not_a_traceback(run: Run) -> None:
    """The parser's own words, exit code 2."""
    for arguments in (("serch",), ("search", "--nope"), ("index",), ("search", "-k", "many")):
        code, _, err = run(*arguments)
        assert code == 2
        assert "Traceback" not in err


def test_neighbours_lists_look_alikes(run: Run, store: Path) -> None:
    """By path or id; as many as asked for; a picture that is not there has its code."""
    with Engine(store, warm=False) as engine:
        record = engine.images()[2]
    code, out, _ = run("neighbours", record.image_id, "--store", store, "-k", 3)
    assert code == 0
    assert len(out.splitlines()) == 3
    code, same, _ = run("neighbours", record.paths[0], "--store", store, "-k", 3, "--json")
    assert [one["image_id"][:8] for one in json.loads(same)] == [
        line.split()[1] for line in out.splitlines()
    ]
    assert run("neighbours", "f" * 32, "--store", store)[0] == 3

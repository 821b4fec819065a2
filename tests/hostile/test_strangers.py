"""A store that a stranger made: whatever its catalog names, nothing outside it is touched."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from inside import store_of
from saccade.cli.app import build
from saccade.engine import Engine
from saccade.errors import StoreError, StoreFormat
from saccade.store import files
from saccade.testbed import worlds


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("strangers")
    worlds.write(place / "pictures", images=8, seed=3, size=(64, 48))
    with Engine(place / "sound.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp")
    return place / "sound.saccade"


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "shop" / "s.saccade")


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A file of the victim's; an array, so that it could be read as a column."""
    file = tmp_path / "home" / "precious.npy"
    file.parent.mkdir()
    np.save(file, np.arange(8))
    return file


def renamed(store: Path, name: str) -> None:
    """Let the catalog call one file of a column by another name."""
    with sqlite3.connect(store / "catalog.sqlite") as raw:
        query = "SELECT segment, files FROM segments WHERE name = 'lbp'"
        segment, named = raw.execute(query).fetchone()
        changed = json.dumps({**json.loads(named), "vectors": name})
        raw.execute("UPDATE segments SET files = ? WHERE segment = ?", [changed, segment])
    raw.close()


def outside(store: Path, tmp_path: Path) -> dict[str, bytes]:
    """Every file but the store's own."""
    found = (path for path in tmp_path.rglob("*") if path.is_file())
    return {str(p): p.read_bytes() for p in found if store not in p.parents}


NAMES = ["absolute", "up", "up, from within", "through a link", "nothing"]


def hostile(store: Path, precious: Path, how: str) -> str:
    """A name in the catalog that leads to the precious file, or nowhere."""
    up = os.path.relpath(precious, store)
    if how == "through a link":
        (store / "columns" / "way").symlink_to(precious.parent)
        return f"columns/way/{precious.name}"
    return {
        "absolute": str(precious),
        "up": up,
        "up, from within": f"columns/lbp/../../{up}",
        "nothing": "\0",
    }[how]


@pytest.mark.parametrize("how", NAMES)
@pytest.mark.parametrize("verb", ["backup", "restore"])
def test_no_copy_leaves_its_folder(
    store: Path, precious: Path, tmp_path: Path, how: str, verb: str
) -> None:
    """It is refused before anything is written; every other file is as it was."""
    renamed(store, hostile(store, precious, how))
    before = outside(store, tmp_path)
    # As deep as the store lies, so that the way up from either leads to the same file.
    copy = str(tmp_path / "shop" / "copy.saccade")
    arguments = {"backup": [copy, "--store", str(store)], "restore": [str(store), "--into", copy]}
    error = CliRunner().invoke(build(), [verb, *arguments[verb]]).exception
    assert isinstance(error, StoreFormat), error
    assert "outside the store" in error.message
    assert outside(store, tmp_path) == before
    assert not os.path.exists(copy)


@pytest.mark.parametrize("how", NAMES)
def test_no_column_is_read_from_elsewhere(store: Path, precious: Path, how: str) -> None:
    """The store opens without it, the doctor names it and computes it again."""
    renamed(store, hostile(store, precious, how))
    before = precious.read_bytes()
    with Engine(store, warm=False) as engine:
        bad = next(s for s in store_of(engine).columns.segments() if s.name == "lbp")
        with pytest.raises(StoreError, match="outside the store"):
            store_of(engine).columns.load(bad)
        assert "lbp" in engine.library.report().incomplete
        assert any("outside the store" in found.problem for found in engine.library.doctor())
        engine.library.doctor(repair=True)
        assert engine.library.doctor() == ()
    assert precious.read_bytes() == before


def test_no_thumbnail_is_written_elsewhere(store: Path, tmp_path: Path) -> None:
    """An image called by a path has none."""
    with Engine(store, warm=False) as engine:
        odd = store_of(engine)
        with pytest.raises(StoreFormat, match="outside the store"):
            odd.write_thumbnail("../../../home", b"picture")
        assert odd.read_thumbnail("../../../home") is None
        assert not odd.has_thumbnail("../../../home")
        with pytest.raises(StoreFormat, match="outside the store"):
            odd.vocabulary_file("../../home")


@pytest.mark.parametrize("folder", ["columns", "words", "thumbs"])
def test_a_folder_that_is_a_link_is_not_followed(
    store: Path, precious: Path, tmp_path: Path, folder: str
) -> None:
    """Nothing is read, written or tidied up where it leads, by any verb."""
    shutil.rmtree(store / folder, ignore_errors=True)
    (store / folder).symlink_to(precious.parent)
    (precious.parent / "lbp").mkdir()
    for name in ("old.npz", "lbp/a.npy", "ab.jpg"):
        (precious.parent / name).write_bytes(b"mine")
    before = outside(store, tmp_path)
    run = CliRunner()
    for verb in (["doctor", "--repair", "--store"], ["replay", "--store"]):
        done = run.invoke(build(), [*verb, str(store)])
        assert done.exception is None or isinstance(done.exception, SystemExit | StoreFormat)
    with Engine(store, warm=False) as engine, contextlib.suppress(StoreFormat):
        store_of(engine).drop_vocabularies(keep=())
    assert outside(store, tmp_path) == before


def test_a_name_inside_is_a_name(tmp_path: Path) -> None:
    """Of a file that is not there yet, too, and below a folder that is a link to itself."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for root in (tmp_path / "real", tmp_path / "link"):
        assert files.inside(root, "columns/a/b.npy") == root / "columns/a/b.npy"
    for name in ("", ".", "..", "/", "a/../../b"):
        with pytest.raises(StoreFormat):
            files.inside(tmp_path / "real", name)

"""A store that cannot be written: it opens, searches, explains, and says that it learns nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from inside import store_of
from saccade.cli.app import build
from saccade.engine import Engine, operations
from saccade.errors import StoreError, StoreFull, StoreReadOnly
from saccade.service.server import prepare
from saccade.store import dialect
from saccade.store.database import Database
from saccade.store.store import Store
from saccade.testbed import worlds
from servers import PATIENCE, running

Reason = Callable[[Path], StoreError]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("read-only")
    worlds.write(place / "pictures", images=10, seed=3, size=(64, 48))
    with Engine(place / "sound.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp")
        page = engine.search(engine.images(0, 1)[0].image_id, user="ana", k=6)
        engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])
    return place / "sound.saccade"


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "s.saccade")


@pytest.fixture(params=[dialect.unwritable, dialect.full], ids=["rights", "full"])
def shut(
    request: pytest.FixtureRequest, store: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[type[StoreError]]:
    """Whoever tries to write into the store meets what a medium or a full disk answers."""
    reason: Reason = request.param

    def refuse(self: Database) -> None:
        if store in self.file.parents:
            raise reason(self.file)

    monkeypatch.setattr(Database, "check_writable", refuse)
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    yield type(reason(store))
    assert {p: p.read_bytes() for p in store.rglob("*") if p.is_file() and p in before} == before


def test_it_is_searched_and_explained_and_teaches_nothing(
    store: Path, shut: type[StoreError]
) -> None:
    """Every page says so; a mark is refused with the reason; what was learned is served."""
    with Engine(store, warm=False) as engine:
        digest = engine.digest
        page = engine.search(engine.images(0, 1)[0].image_id, user="ana", k=6)
        assert page.unlogged == engine.read_only == engine.library.report().read_only == shut.short
        assert page.hits[0].why
        with pytest.raises(shut):
            engine.react(page, liked=[page.hits[2].image_id])
        with pytest.raises(shut):
            engine.prefer(page, better=page.hits[2].image_id, worse=page.hits[0].image_id)
        with pytest.raises(shut):
            engine.forget("ana")
        with pytest.raises(shut):
            engine.add(store.parent)
        assert engine.people.show("ana").events == 1
        assert engine.replay() == digest
        assert engine.library.doctor() == ()
        with pytest.raises(shut):
            engine.library.doctor(repair=True)


def test_every_surface_says_so(store: Path, shut: type[StoreError]) -> None:
    """The command line on standard error, the server in what it knows of the collection."""
    with Engine(store, warm=False) as engine:
        image = engine.images(0, 1)[0].paths[0]
        with running(prepare(engine, port=0)) as url:
            assert httpx.get(f"{url}/healthz", timeout=PATIENCE).status_code == 200
            told = httpx.get(f"{url}/api/v1/collection", timeout=PATIENCE).json()
            assert told["read_only"] == shut.short
            answer = httpx.delete(f"{url}/api/v1/profiles/ana", timeout=PATIENCE)
            assert (answer.status_code, answer.json()["code"]) == (503, shut.code)
    done = CliRunner().invoke(build(), ["search", image, "--store", str(store), "--json"])
    assert done.exit_code == 0
    assert "it can be searched, and teaches nothing" in done.stderr
    assert json.loads(done.stdout)["unlogged"] == shut.short


def test_a_copy_can_be_made_of_it(store: Path, shut: type[StoreError], tmp_path: Path) -> None:
    """A backup on a medium that is read-only comes back as a store that learns."""
    with Engine(store, warm=False) as engine:
        engine.library.backup(tmp_path / "copy.saccade")
    with Engine(tmp_path / "copy.saccade", warm=False) as engine:
        assert engine.read_only == ""
        engine.undo("ana")


def test_rights_alone_make_it_so(
    store: Path, as_ordinary_user: Callable[[Callable[[], str]], str]
) -> None:
    """Whoever may only read a folder searches in it."""
    for path in (store, *store.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for folder in list(store.parents)[: len(store.parts) - 2]:
        folder.chmod(folder.stat().st_mode | 0o055)

    def look() -> str:
        opened = Store(store, create=False)
        try:
            with pytest.raises(StoreReadOnly), opened.log.appending():
                pass
            return f"{opened.read_only}, {opened.catalog.count()} images"
        finally:
            opened.close()

    assert as_ordinary_user(look) == "the store is read-only, 10 images"


def left_with_a_journal(store: Path, place: Path) -> None:
    """A copy of a store taken amid its life: part of it is in the journal."""
    engine = Engine(store, warm=False)
    page = engine.search(engine.images(0, 1)[0].image_id, user="bob", k=6)
    engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])
    shutil.copytree(store, place, ignore=shutil.ignore_patterns("*-shm"))
    engine.close()


def test_what_is_in_the_journal_is_read_too(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that was not closed, on a medium where its journal cannot be read in."""
    place = tmp_path / "medium" / "s.saccade"
    left_with_a_journal(store, place)
    assert (place / "catalog.sqlite-wal").stat().st_size > 0
    _freeze(monkeypatch, place)
    before = sorted(path.name for path in place.iterdir())
    with Engine(place, warm=False) as engine:
        assert engine.read_only == "the store is read-only"
        assert engine.people.list() == ("ana", "bob")
        copy = store_of(engine)._database.file
        assert place not in copy.parents
    assert not copy.parent.exists()
    assert sorted(path.name for path in place.iterdir()) == before


def _freeze(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Let no connection write below a place, nor make the files that a journal needs."""
    plain = dialect.engine

    def engine(file: Path, mode: dialect.Mode = "rw") -> object:
        if place in file.parents and mode != "still":
            journal = file.with_name(f"{file.name}-wal")
            if mode == "rw" or (journal.exists() and journal.stat().st_size > 0):
                return plain(place / "nowhere" / file.name, "ro")
        return plain(file, mode)

    monkeypatch.setattr(dialect, "engine", engine)


def test_a_lost_end_is_told_where_nothing_can_be_written(
    store: Path, shut: type[StoreError]
) -> None:
    """Each time anew, for it cannot be noted."""
    before = (store / "log.witness").read_bytes()
    (store / "log.witness").write_text(f"{9:20d}\n")
    with Engine(store, warm=False) as engine:
        assert operations(engine).lost() == 6
    (store / "log.witness").write_bytes(before)


def test_a_place_without_a_store_is_still_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to read."""
    _freeze(monkeypatch, tmp_path)
    with pytest.raises(StoreReadOnly, match="cannot write to"):
        Store(tmp_path / "new.saccade")


def test_a_full_disk_is_found_out_behind_other_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite says that it cannot open a file where there is no room for one."""
    monkeypatch.setattr(shutil, "disk_usage", lambda place: shutil._ntuple_diskusage(9, 9, 0))
    assert isinstance(dialect.unwritable(tmp_path), StoreFull)
    broken = sqlite3.OperationalError("disk I/O error")
    told = dialect.explanation(dialect.sql.exc.OperationalError("", None, broken), tmp_path)
    assert isinstance(told, StoreFull)

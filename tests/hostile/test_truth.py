"""What cannot be computed again, the catalog and the log: kept, copied, or wholly forgotten."""

from __future__ import annotations

import os
import shutil
import sqlite3
import uuid
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from typer.testing import CliRunner

from inside import log_of
from saccade.cli.app import build
from saccade.engine import Engine
from saccade.errors import InvalidInput, StoreError, StoreFormat
from saccade.store.database import Database
from saccade.store.store import Store
from saccade.testbed import worlds


def taught(engine: Engine, *users: str) -> None:
    for user in users:
        for place in range(3):
            page = engine.search(engine.images(place, 1)[0].image_id, user=user, k=6)
            engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("truth")
    worlds.write(place / "pictures", images=10, seed=3, size=(64, 48))
    with Engine(place / "sound.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp")
    return place / "sound.saccade"


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "s.saccade")


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Callable[[Engine, str], None]:
    """Teaches for a user whose sessions and pages have the same names in every store."""

    def taught_by(engine: Engine, user: str) -> None:
        numbers = count()
        names = (uuid.uuid5(uuid.NAMESPACE_DNS, f"{user}{number}") for number in numbers)
        with monkeypatch.context() as patch:
            patch.setattr("uuid.uuid4", lambda: next(names))
            taught(engine, user)

    return taught_by


def test_a_forgotten_name_is_in_no_file(
    store: Path, sound: Path, tmp_path: Path, named: Callable[[Engine, str], None]
) -> None:
    """While the store is open; and the models are those of a store that never met it."""
    noon = {"warm": False, "clock": lambda: 1_700_000_000.0}
    with Engine(store, **noon) as engine:
        for user in ("ana", "bob", "zebedeus"):
            named(engine, user)
        engine.forget("zebedeus")
        files = [path for path in store.rglob("*") if path.is_file()]
        assert [path for path in files if b"zebedeus" in path.read_bytes()] == []
        assert engine.people.list() == ("ana", "bob")
        digest = engine.digest
    with Engine(shutil.copytree(sound, tmp_path / "t.saccade"), **noon) as engine:
        named(engine, "ana")
        named(engine, "bob")
        assert engine.digest == digest


def holding(store: Path, name: bytes) -> list[str]:
    """Files with a name in them."""
    files = sorted(path for path in store.rglob("*") if path.is_file())
    return [path.name for path in files if name in path.read_bytes()]


def test_a_forgetting_that_was_killed_is_finished_when_the_store_is_opened(
    store: Path, in_a_fork: Callable[[Callable[[], str]], str]
) -> None:
    """Killed after it was decided and before the files were cleared: no name is left then."""
    with Engine(store, warm=False) as engine:
        taught(engine, "ana", "zebedeus")

    def die_while_forgetting() -> str:
        Database.scrub = lambda self: os._exit(0)  # type: ignore[method-assign]
        Engine(store, warm=False).forget("zebedeus")
        return "lived on"

    assert in_a_fork(die_while_forgetting) == ""
    assert holding(store, b"zebedeus") != []
    opened = Store(store, create=False)
    assert holding(store, b"zebedeus") == []
    opened.close()
    with Engine(store, warm=False) as engine:
        assert engine.people.list() == ("ana",)
        assert engine.library.doctor() == ()


def test_a_forgetting_that_somebody_reads_beside_is_finished_later(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal must keep what they read; it is said so, and the next opening clears it."""
    with Engine(store, warm=False) as engine:
        taught(engine, "ana", "zebedeus")
        monkeypatch.setattr("saccade.store.dialect.SECONDS", 0.1)
        reader = sqlite3.connect(store / "catalog.sqlite", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM events").fetchone()
        with pytest.raises(StoreError, match="another process reads what was before"):
            engine.forget("zebedeus")
        assert engine.people.list() == ("ana",)
        assert holding(store, b"zebedeus") != []
        reader.close()
        Store(store, create=False).close()
        assert holding(store, b"zebedeus") == []


@pytest.mark.parametrize("left", [0, 4096])
def test_a_catalog_that_was_lost_is_refused(store: Path, left: int) -> None:
    """Empty or cut short beside columns, it is no new store; nothing is deleted."""
    before = sorted(store.rglob("columns/*/*"))
    catalog = store / "catalog.sqlite"
    catalog.write_bytes(catalog.read_bytes()[:left])
    with pytest.raises(StoreFormat):
        Engine(store, warm=False)
    assert sorted(store.rglob("columns/*/*")) == before


def test_a_lost_end_of_the_log_is_noticed(store: Path) -> None:
    """A catalog from before, without its journal: the doctor says how much is gone, once."""
    with Engine(store, warm=False) as engine:
        taught(engine, "ana")
    early = (store / "catalog.sqlite").read_bytes()
    with Engine(store, warm=False) as engine:
        assert engine.library.doctor() == ()
        taught(engine, "bob")
    (store / "catalog.sqlite").write_bytes(early)
    told = CliRunner().invoke(build(), ["search", "--store", str(store), "nothing"])
    assert "the last 8 events" in told.stderr
    with Engine(store, warm=False) as engine:
        assert engine.library.report().lost == 8
        taught(engine, "bob")  # newer events do not hide it
        events = [entry.event_id for entry in log_of(engine)]
    assert sorted(set(events)) == events
    assert events[-1] == 17 + 8  # and have numbers of their own
    with Engine(store, warm=False) as engine:
        (found,) = engine.library.doctor()
        assert (found.place, found.rebuildable) == ("log", False)
        assert "its last 8 events were acknowledged and are gone" in found.problem
        assert [f.repaired for f in engine.library.doctor(repair=True)] == [False]
        assert engine.library.doctor() == ()


def test_a_backup_is_the_same_store(store: Path, tmp_path: Path) -> None:
    """Taken while the store is open, brought back, taught further; the doctor is content."""
    with Engine(store, warm=False) as engine:
        taught(engine, "ana")
        assert engine.library.backup(tmp_path / "b.saccade") == tmp_path / "b.saccade"
        digest, image = engine.digest, engine.images(0, 1)[0].image_id
        hits = [hit.image_id for hit in engine.search(image, user="ana", k=5).hits]
        with pytest.raises(InvalidInput, match="exists already"):
            engine.library.backup(tmp_path / "b.saccade")
    with Engine(tmp_path / "b.saccade", warm=False) as engine:
        engine.library.backup(tmp_path / "back.saccade")
    with Engine(tmp_path / "back.saccade", warm=False) as engine:
        assert engine.digest == digest
        assert engine.library.doctor() == ()
        assert (tmp_path / "back.saccade" / "log.witness").read_text().split()[0] == "9"
        assert [hit.image_id for hit in engine.search(image, user="ana", k=5).hits] == hits
        taught(engine, "bob")


def test_a_damaged_file_makes_no_backup(store: Path, tmp_path: Path) -> None:
    """It is refused by name, and nothing is left that looks like a backup."""
    file = next(store.rglob("columns/lbp/*.vectors.npy"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with Engine(store, warm=False) as engine, pytest.raises(StoreError, match="lbp"):
        engine.library.backup(tmp_path / "deep" / "b.saccade")
    assert list((tmp_path / "deep").iterdir()) == []


def test_the_catalog_of_a_backup_is_whole(store: Path, tmp_path: Path) -> None:
    """It needs no journal beside it."""
    with Engine(store, warm=False) as engine:
        taught(engine, "ana")
        engine.library.backup(tmp_path / "b.saccade")
    for journal in (tmp_path / "b.saccade").glob("catalog.sqlite-*"):
        journal.unlink()
    connection = sqlite3.connect(tmp_path / "b.saccade" / "catalog.sqlite")
    assert connection.execute("SELECT count(*) FROM events").fetchone() == (9,)
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        "body = replace(body, 'liked', 'lyked')",
        "body = '{'",
        "arrays = x'00'",
        "user = 'eve'",
    ],
)
def test_a_damaged_event_is_put_aside(store: Path, damage: str) -> None:
    """The store opens, the doctor names it, the repair keeps it apart; the others still teach."""
    with Engine(store, warm=False) as engine:
        taught(engine, "ana", "bob")
    connection = sqlite3.connect(store / "catalog.sqlite")
    (event,) = connection.execute("SELECT min(event) FROM events WHERE kind = 'reacted'").fetchone()
    connection.execute(f"UPDATE events SET {damage} WHERE event = ?", [event])
    connection.execute("DELETE FROM snapshots")
    connection.commit()
    with Engine(store, warm=False) as engine:
        assert engine.people.show("ana").events == 2
        assert [found.place for found in engine.library.doctor()] == [f"event {event}"]
        assert [found.repaired for found in engine.library.doctor(repair=True)] == [True]
        assert engine.library.doctor() == ()
        assert engine.people.show("bob").events == 3
    assert connection.execute("SELECT event FROM set_aside").fetchall() == [(event,)]
    connection.close()

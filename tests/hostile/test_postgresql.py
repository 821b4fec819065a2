"""A catalog in PostgreSQL when something is wrong: each a sentence, and nothing half-written."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import httpx
import psycopg
import pytest
import sqlalchemy as sql

import postgres
from saccade.engine import Engine
from saccade.errors import (
    InvalidInput,
    StoreError,
    StoreFormat,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
)
from saccade.service.server import Door, Server, serve_anew
from saccade.store import moving
from saccade.store.database import Database, explained
from saccade.store.formats import MOVING
from saccade.store.postgresql import CatalogServer
from saccade.store.store import Store
from saccade.store.tables import METADATA, meta
from saccade.testbed import worlds
from servers import PATIENCE, until

pytestmark = pytest.mark.xdist_group("postgresql")

SECRET = "correct-horse-battery"


@pytest.fixture
def address(postgresql: str) -> str:
    return postgres.database(postgresql)


@pytest.fixture
def store(address: str, tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "s.saccade", database=address)) as made:
        said(made)
        yield made


def said(store: Store, user: str = "ana") -> int:
    with store.log.appending() as appender:
        return appender.append("reacted", at=1.0, user=user, body={}, arrays={})


# -- addresses and passwords -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [f"mysql://ana:{SECRET}@db/photos", f"postgresql://ana:{SECRET}@db:x/photos", SECRET, ""],
)
def test_what_is_no_address_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    """A password may be in it."""
    with pytest.raises(InvalidInput, match="no address of a PostgreSQL database") as told:
        Store(tmp_path / "s.saccade", database=text)
    assert SECRET not in f"{told.value!r} {told.value} {told.value.hint}"
    assert told.value.__cause__ is None
    assert not (tmp_path / "s.saccade").exists()


def test_a_server_prints_without_its_password() -> None:
    """As text, in a record, and in what the folder keeps."""
    server = CatalogServer.of(
        f"postgres://ana:{SECRET}@db/photos?password={SECRET}&sslmode=require"
    )
    assert str(server) == "postgresql://ana@db/photos?sslmode=require"
    assert SECRET not in repr(server)


def test_a_wrong_password_is_never_printed(
    postgresql: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The next step is told instead; with the right one the store opens, and does not keep it."""
    address = postgres.database(postgresql)
    name = "locked" + urlsplit(address).path.strip("/")
    postgres.said(postgresql, f"CREATE ROLE {name} LOGIN SUPERUSER PASSWORD '{SECRET}'")
    rules = Path(parse_qs(urlsplit(postgresql).query)["host"][0]) / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all {name} scram-sha-256\n{before}")
    postgres.said(postgresql, "SELECT pg_reload_conf()")
    try:
        wrong = postgres.with_password(address, name, f"{SECRET}-not")
        with pytest.raises(StoreError, match="does not let this user in") as told:
            _until_asked(wrong, tmp_path / "s.saccade")
        assert told.value.hint is not None
        assert "PGPASSWORD" in told.value.hint
        right = postgres.with_password(address, name, SECRET)
        Store(tmp_path / "s.saccade", database=right).close()
    finally:
        rules.write_text(before)
        postgres.said(postgresql, "SELECT pg_reload_conf()")
    kept = (tmp_path / "s.saccade" / "database.json").read_text()
    out, err = capfd.readouterr()
    assert SECRET not in f"{told.value} {told.value.hint} {kept} {out} {err}"
    assert name in kept


def _until_asked(address: str, place: Path) -> None:
    """Open a store until the server has read its new rules: it does so in its own time."""
    for _ in range(200):
        Store(place, database=address).close()
        shutil.rmtree(place)
        with (
            closing(Database(CatalogServer.of(address))) as database,
            database.write() as connection,
        ):
            METADATA.drop_all(connection)


# -- a server that does not do ---------------------------------------------------------------------


def test_a_server_that_is_gone_is_named(tmp_path: Path) -> None:
    """Nobody listens there; the folder is not filled with anything."""
    nowhere = f"postgresql://ana:{SECRET}@/photos?host={tmp_path}"
    with pytest.raises(StoreError, match="cannot be reached") as told:
        Store(tmp_path / "s.saccade", database=nowhere)
    assert str(tmp_path) in str(told.value)
    assert SECRET not in str(told.value)
    assert list((tmp_path / "s.saccade").iterdir()) == []


def test_a_database_that_is_not_there_is_named(postgresql: str, tmp_path: Path) -> None:
    """With the command that makes one."""
    other = postgresql.replace("/postgres?", "/nothing-of-the-kind?")
    with pytest.raises(StoreError, match='database "nothing-of-the-kind" does not exist') as told:
        Store(tmp_path / "s.saccade", database=other)
    assert "createdb" in str(told.value.hint)


def test_connections_that_the_server_cut_are_replaced(store: Store, address: str) -> None:
    """It was started anew: the next question finds it."""
    name = urlsplit(address).path.strip("/")
    postgres.said(
        address,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE datname = '{name}' AND pid <> pg_backend_pid()",
    )
    assert store.log.last() == 1
    assert said(store) == 2


def test_one_that_may_only_be_read_is_searched_and_teaches_nothing(
    store: Store, address: str, postgresql: str, tmp_path: Path
) -> None:
    """It says why; nothing is written."""
    name = urlsplit(address).path.strip("/")
    postgres.said(address, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    with closing(Store(store.root)) as opened:
        assert opened.read_only == "the store is read-only"
        assert opened.log.users(["reacted"]) == ("ana",)
        with pytest.raises(StoreReadOnly, match="follows another"):
            said(opened)
        with pytest.raises(StoreReadOnly), opened.indexing():
            pass
    with pytest.raises(StoreReadOnly):
        Store(tmp_path / "new.saccade", database=_empty(postgresql))


def _empty(server: str) -> str:
    """Another database of the same server, which may only be read, too."""
    other = postgres.database(server)
    name = urlsplit(other).path.strip("/")
    postgres.said(other, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    return other


def test_a_user_who_may_only_read_reads(store: Store, address: str) -> None:
    """Rights are the server's; the reason names them."""
    name = "reader" + urlsplit(address).path.strip("/")
    for text in (
        f"CREATE ROLE {name} LOGIN",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}",
    ):
        postgres.said(address, text)
    with closing(Store(store.root, database=postgres.with_password(address, name, ""))) as opened:
        assert opened.log.last() == 1
        with pytest.raises(StoreReadOnly, match="this user may only read it"):
            said(opened)


@pytest.mark.parametrize(
    ("broken", "kind", "words"),
    [
        (psycopg.errors.DiskFull("could not extend file"), StoreFull, "the disk of .* is full"),
        (psycopg.errors.ReadOnlySqlTransaction("no"), StoreReadOnly, "cannot write to"),
        (psycopg.errors.LockNotAvailable("canceling"), StoreLocked, "another process holds"),
        (psycopg.errors.UndefinedTable('relation "events"'), StoreFormat, "was moved away"),
        (psycopg.errors.AdminShutdown("terminating"), StoreError, "cannot be reached"),
        (psycopg.errors.TooManyConnections("sorry"), StoreError, "cannot be reached: sorry"),
    ],
)
def test_each_failure_is_one_sentence(
    broken: psycopg.Error, kind: type[StoreError], words: str
) -> None:
    """It names the database without its password, and a next step."""
    server = CatalogServer.of(f"postgresql://ana:{SECRET}@db/photos")
    with pytest.raises(kind, match=words) as told, explained(server):
        raise sql.exc.OperationalError("INSERT", None, broken)
    assert "postgresql://ana@db/photos" in str(told.value)
    assert SECRET not in str(told.value)


def test_a_mistake_of_ours_stays_one() -> None:
    """Nobody is sent to look after their server for it."""
    with (
        pytest.raises(sql.exc.ProgrammingError),
        explained(CatalogServer.of("postgresql://db/photos")),
    ):
        raise sql.exc.ProgrammingError("SELEC", None, psycopg.errors.SyntaxError("at SELEC"))


# -- whose catalog it is ---------------------------------------------------------------------------


def test_a_database_that_holds_something_else_is_left_alone(address: str, tmp_path: Path) -> None:
    """Its tables are somebody's."""
    postgres.said(address, "CREATE TABLE events (mine text)")
    with pytest.raises(StoreFormat, match="holds a table 'events' and is no catalog"):
        Store(tmp_path / "s.saccade", database=address)
    assert postgres.said(address, "SELECT count(*) FROM information_schema.tables "
                         "WHERE table_schema = 'public'") == [(1,)]  # fmt: skip


def test_a_catalog_of_other_pictures_is_refused(
    store: Store, address: str, postgresql: str, tmp_path: Path
) -> None:
    """By a new folder, by a folder of another store, and without touching either."""
    with pytest.raises(StoreFormat, match="catalog of another store"):
        Store(tmp_path / "new.saccade", database=address)
    other = Store(tmp_path / "other.saccade", database=postgres.database(postgresql))
    other.close()
    with pytest.raises(StoreFormat, match="catalog of another store"):
        Store(tmp_path / "other.saccade", database=address)
    assert store.log.last() == 1


def test_columns_beside_an_empty_database_are_not_taken_for_a_new_store(
    store: Store, postgresql: str
) -> None:
    """Somebody named the wrong database, or it was lost."""
    (store.root / "columns" / "lbp").mkdir(parents=True)
    (store.root / "columns" / "lbp" / "x.npy").touch()
    with pytest.raises(StoreFormat, match="the catalog is empty, yet there are columns"):
        Store(store.root, database=postgres.database(postgresql))


def test_a_file_and_a_server_are_not_mixed_up(address: str, tmp_path: Path) -> None:
    """A store whose catalog is a file is told how to move it."""
    Store(tmp_path / "s.saccade").close()
    with pytest.raises(InvalidInput, match="is a file in it") as told:
        Store(tmp_path / "s.saccade", database=address)
    assert "saccade move" in told.value.sentence("command")


@pytest.mark.parametrize("text", ["{", "[]", '{"saccade-database": 9}', "\xff"])
def test_a_damaged_memory_is_named(store: Store, text: str) -> None:
    """Which file, and what should be in it."""
    (store.root / "database.json").write_text(text)
    with pytest.raises(StoreFormat, match=r"database\.json is damaged"):
        Store(store.root)


# -- moving ----------------------------------------------------------------------------------------


@pytest.fixture
def filed(indexed: Path, tmp_path: Path) -> Path:
    """A store whose catalog is a file, with some marks in its log."""
    place = tmp_path / "f.saccade"
    shutil.copytree(indexed, place)
    with Engine(place, warm=False) as engine:
        for user in ("ana", "bob", "eva"):
            marked(engine, user)
        engine.forget("eva")
    return place


def marked(engine: Engine, user: str) -> None:
    page = engine.search(engine.images(0, 1)[0].image_id, user=user, k=6)
    engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])


def known(place: Path) -> tuple[object, ...]:
    """All that a store knows, to the bit."""
    with Engine(place, warm=False) as engine:
        log = engine._opened.store.log
        lines = log.since(0, list(log.counts()))
        digests = [(e.event_id, e.at, json.dumps(dict(e.body)), sorted(e.arrays)) for e in lines]
        assert engine.library.doctor() == ()
        return engine.digest, engine.replay(), tuple(engine.images(0, 99)), digests


def test_there_and_back_again_nothing_has_changed(filed: Path, address: str) -> None:
    """To the bit: images, events and their numbers, models, replay; no file is left behind."""
    before = known(filed)
    there = moving.move(filed, address)
    assert (there.images, there.written) == (36, there.rows)
    assert not list(filed.glob("catalog*"))
    assert known(filed) == before
    with Engine(filed, warm=False) as engine:
        marked(engine, "zoe")
        engine.forget("ana")
    after = known(filed)
    back = moving.move(filed, "sqlite")
    assert back.place.endswith("catalog.sqlite")
    assert known(filed) == after
    assert not (filed / "database.json").exists()
    assert postgres.said(address, "SELECT count(*) FROM information_schema.tables "
                         "WHERE table_schema = 'public'") == [(0,)]  # fmt: skip


def test_a_move_that_was_stopped_goes_on(
    filed: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then the store is where it was, half a catalog is refused, and marks are kept."""
    before = known(filed)
    plain = moving._made_equal
    monkeypatch.setattr(moving, "_made_equal", _stopping_after(5, plain))
    with pytest.raises(KeyboardInterrupt):
        moving.move(filed, address)
    monkeypatch.setattr(moving, "_made_equal", plain)
    assert known(filed) == before
    with pytest.raises(StoreFormat, match="not all of it has arrived"):
        Store(filed.with_name("new.saccade"), database=address)
    with Engine(filed, warm=False) as engine:
        marked(engine, "zoe")
    before = known(filed)
    moved = moving.move(filed, address)
    assert 0 < moved.written < moved.rows
    assert known(filed) == before
    assert moving.move(filed, address).rows == 0


def _stopping_after(tables: int, plain: object) -> object:
    left = iter(range(tables))

    def walked(*arguments: object) -> object:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return plain(*arguments)  # type: ignore[operator]

    return walked


def test_a_row_that_arrives_changed_is_noticed(
    filed: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store stays where it was."""
    before = known(filed)
    plain = moving._rows

    def rows(connection: sql.Connection, *arguments: object, **options: object) -> object:
        found = plain(connection, *arguments, **options)  # type: ignore[arg-type]
        if connection.dialect.name == "postgresql" and "image_id" in (found or [{}])[0]:
            found[0]["width"] += 1
        return found

    monkeypatch.setattr(moving, "_rows", rows)
    with pytest.raises(StoreError, match=r"'images' .* is not what was written there"):
        moving.move(filed, address)
    monkeypatch.undo()
    assert known(filed) == before


def test_a_damaged_log_is_not_moved(filed: Path, address: str) -> None:
    """It is mended first, or brought back from a backup."""
    with closing(Store(filed)) as store, store.database.write() as connection:
        connection.exec_driver_sql("UPDATE events SET body = '{' WHERE event = 1")
    with pytest.raises(StoreError, match="event 1: is not what was written"):
        moving.move(filed, address)


def test_it_is_not_moved_onto_another_store(filed: Path, store: Store, address: str) -> None:
    """Nor to where it is."""
    with pytest.raises(StoreFormat, match="holds the catalog of another store"):
        moving.move(filed, address)
    with pytest.raises(InvalidInput, match="is in its folder already"):
        moving.move(filed, "sqlite")
    assert store.log.last() == 1


def test_half_a_catalog_says_what_to_do(store: Store) -> None:
    """To whoever opens it, and to whoever only reads."""
    with store.database.write() as connection:
        connection.execute(sql.insert(meta), {"key": MOVING, "value": '"x"'})
    for to_read in (False, True):
        with pytest.raises(StoreFormat, match="not all of it has arrived"):
            Store(store.root, to_read=to_read)


# -- processes that die ----------------------------------------------------------------------------

WRITER = """
import sys
from saccade.store.store import Store
store = Store(sys.argv[1])
while True:
    with store.log.appending() as appender:
        number = appender.append("reacted", at=1.0, user=sys.argv[2], body={}, arrays={})
    print(number, flush=True)
"""


def test_what_was_acknowledged_outlives_its_process(store: Store) -> None:
    """Two processes write and are killed in the middle: every number they told is in the log."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(store.root), user], stdout=subprocess.PIPE, text=True
        )
        for user in ("ana", "bob")
    ]
    told: list[int] = []
    for writer in writers:
        assert writer.stdout is not None
        told += [int(writer.stdout.readline()) for _ in range(10)]
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
        out, _ = writer.communicate()
        told += [int(line) for line in out.splitlines()[:-1]]
    kept = [event.event_id for event in store.log.since(0, ["reacted"])]
    assert set(told) <= set(kept)
    assert kept == list(range(1, len(kept) + 1))
    assert list(store.flaws()) == []
    with store.indexing():
        pass


# -- moving as a job -------------------------------------------------------------------------------


def taught(place: Path) -> None:
    """A store in a file, in which one thing was said."""
    worlds.write(place.parent / "pictures", images=4, seed=1, size=(48, 36))
    with Engine(place, warm=False) as engine:
        engine.add(place.parent / "pictures", recipe="color-histogram", workers=1)
        engine.tags.add("mine", [image.image_id for image in engine.images()], user="ana")


def test_a_catalog_moves_by_a_job_and_back(address: str, tmp_path: Path) -> None:
    """The job is done in the new place, where further ones are numbered on; the log is the same."""
    place = tmp_path / "s.saccade"
    taught(place)
    for number, to in enumerate((address, "sqlite"), 1):
        with Engine(place, warm=False) as engine:
            asked = engine.jobs.post("move", to=to)
            (done,) = engine.jobs.run()
            assert (done.job_id, done.state, done.result["events"]) == (asked.job_id, "done", 1)
            assert engine.moved
        with Engine(place, warm=False) as engine:
            assert not engine.moved
            assert engine.jobs.show(asked.job_id) == done
            assert len(engine.jobs.list()) == number
            assert engine.jobs.run() == ()


def test_a_move_that_is_cancelled_moved_nothing(address: str, tmp_path: Path) -> None:
    """The store is where it was, and the same words go on later."""
    place = tmp_path / "s.saccade"
    taught(place)
    with Engine(place, warm=False) as engine:
        asked = engine.jobs.post("move", to=address)
        (ended,) = engine.jobs.run(lambda step: engine.jobs.cancel(asked.job_id))
        assert ended.state == "cancelled"
        assert not engine.moved
        assert sum(engine.library.report().events.values()) == 1
        engine.jobs.post("move", to=address)
        (done,) = engine.jobs.run()
        assert done.state == "done"


def test_a_password_is_not_kept_with_a_job(tmp_path: Path) -> None:
    """What is asked for is written down, and shown to others."""
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        with pytest.raises(InvalidInput, match="no password in it") as told:
            engine.jobs.post("move", to=f"postgresql://ana:{SECRET}@db/photos")
        assert SECRET not in f"{told.value} {told.value.hint}"
        assert engine.jobs.list() == ()


def test_a_server_follows_its_catalog(address: str, tmp_path: Path) -> None:
    """It opens the store anew by itself; a mark that came too early is refused, not lost."""
    place = tmp_path / "s.saccade"
    taught(place)
    servers: list[Server] = []
    door = Door.of(port=0)
    opened = partial(Engine, place, create=False, warm=False)
    serving = Thread(target=lambda: serve_anew(lambda _: opened(), door, begun=servers.append))
    serving.start()
    try:
        until(lambda: servers and servers[0].started)
        with httpx.Client(base_url=servers[0].url, timeout=PATIENCE) as client:
            asked = client.post("/api/v1/jobs", json={"kind": "move", "to": _bare(address)})
            assert asked.status_code == 202
            until(lambda: len(servers) == 2 and servers[1].started)
            assert servers[0].moved
            job = client.get(f"/api/v1/jobs/{asked.json()['job_id']}").json()
            assert (job["state"], job["result"]["events"]) == ("done", 1)
            assert client.post("/api/v1/jobs", json={"kind": "reindex"}).status_code == 202
    finally:
        for server in servers:
            server.should_exit = True
        serving.join()


def _bare(address: str) -> str:
    return str(CatalogServer.of(address))

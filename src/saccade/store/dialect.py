"""What is SQLite's own: how to connect, begin, number, lock, and what its failures mean.

WAL mode: many processes read while one writes. Writers begin with BEGIN IMMEDIATE, so that whoever
comes second waits for its turn instead of failing half-way.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import sqlalchemy as sql
from sqlalchemy import event
from sqlalchemy.dialects import sqlite

from saccade.errors import StoreError, StoreFormat, StoreFull, StoreLocked, StoreReadOnly
from saccade.hints import Hint
from saccade.store import files

# SQLite takes at most 32,766 values in one statement.
MANY = 10_000
SECONDS = 30.0
"""That a connection waits for others."""

_DIALECT = sqlite.dialect()

Mode = Literal["rw", "ro", "still"]
"""To write; to read beside whoever writes; to read a file that nobody writes."""


def engine(file: Path, mode: Mode = "rw") -> sql.Engine:
    """Connections to the database in a file, which must be there."""
    # One connection a thread would pile up under a thread pool; a small pool is enough.
    database = sql.create_engine(
        _address(file, mode),
        poolclass=sql.pool.QueuePool,
        pool_size=4,
        max_overflow=28,
        connect_args={"timeout": SECONDS, "check_same_thread": False},
    )
    event.listen(database, "connect", _prepare if mode == "rw" else _prepare_to_read)
    event.listen(database, "begin", _begin)
    return database


def _address(file: Path, mode: Mode) -> sql.URL:
    """A file as SQLite is told of it: no sign in its name means anything, and none is made up.

    Without a mode a file that was taken away would come back empty with the next connection.
    """
    place = "file:" + quote(os.fsencode(file))
    how = {"immutable": "1"} if mode == "still" else {"mode": mode}
    return sql.URL.create("sqlite", database=place, query={**how, "uri": "true"})


def reading(connection: sql.Connection) -> sql.Connection:
    """The connection as one whose statements all see the same moment, as any does."""
    return connection


def writing(connection: sql.Connection, *, synced: bool, patience: float) -> sql.Connection:
    """The connection as one that writes next; `synced` waits for the disk at the end."""
    raw: Any = connection.connection.dbapi_connection
    raw.execute(f"PRAGMA busy_timeout={round(1000 * patience)}")
    raw.execute(f"PRAGMA synchronous={'FULL' if synced else 'NORMAL'}")
    return connection.execution_options(saccade_begin="BEGIN IMMEDIATE")


def check_writable(engine: sql.Engine) -> None:
    """Raise what a writer would meet now; one who waits for its turn meets nothing."""
    with lent(engine) as raw:
        raw.execute("PRAGMA busy_timeout=0")
        try:
            run(raw, "BEGIN IMMEDIATE", [])
            run(raw, "ROLLBACK", [])
        except sql.exc.DatabaseError as error:
            if "locked" not in str(error.orig):
                raise
        finally:
            raw.execute(f"PRAGMA busy_timeout={round(1000 * SECONDS)}")


def compiled(statement: sql.Executable) -> Any:
    """A statement as text, with the names of its values in their order."""
    return statement.compile(dialect=_DIALECT)  # type: ignore[attr-defined]


@contextmanager
def lent(engine: sql.Engine) -> Iterator[Any]:
    """One of the driver's own connections, for a moment."""
    try:
        connection = engine.raw_connection()
    except sqlite3.DatabaseError as error:
        raise sql.exc.DatabaseError("connect", None, error) from error
    try:
        yield connection.dbapi_connection
    finally:
        connection.close()


def run(raw: Any, text: str, values: list[Any]) -> list[tuple[Any, ...]]:
    """Run a statement that is text already; failures are the same as everywhere else."""
    try:
        rows: list[tuple[Any, ...]] = raw.execute(text, values).fetchall()
    except sqlite3.DatabaseError as error:
        raise sql.exc.DatabaseError(text, None, error) from error
    return rows


@contextmanager
def alone(engine: sql.Engine, lock: Path, wait: float) -> Iterator[bool]:
    """Be the only process that has a lock, a file; gives whether one is.

    The system lets go of it with the process, however that ends.
    """
    from filelock import FileLock, Timeout

    files.make_way(lock)
    held = FileLock(lock, timeout=wait)
    try:
        held.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        held.release()


def check_ours(connection: sql.Connection) -> None:
    """A file inside the store is the store's."""


def begun(connection: sql.Connection) -> None:
    """The tables are new, and count by themselves."""


def last_number(connection: sql.Connection, table: str) -> int:
    """The largest number that a row of a table ever had, those since deleted too."""
    query = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    return int(connection.exec_driver_sql(query, (table,)).scalar() or 0)


def skip_to(connection: sql.Connection, table: str, number: int) -> None:
    """Let the rows of a table be numbered from after a number on."""
    raw = connection.exec_driver_sql
    raw("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    raw("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))


def count_on(connection: sql.Connection, table: sql.Table) -> None:
    """Rows are numbered from after those that are there, wherever they came from."""


def integrity(connection: sql.Connection) -> list[str]:
    """What the database finds wrong with itself; empty when all is well."""
    lines = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    return [str(line) for line in lines if line != "ok"]


def scrub(connection: sql.Connection) -> None:
    """Write the whole database anew and empty its journal: what was deleted is in neither.

    `secure_delete` clears what is deleted, but not the copies that moving pages left behind.
    """
    raw: Any = connection.connection.dbapi_connection
    try:
        raw.execute(f"PRAGMA busy_timeout={round(1000 * SECONDS)}")
        raw.execute("VACUUM")
        # While somebody reads what was before, the journal must keep it, and this is no error.
        ((busy, _, _),) = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.OperationalError as error:
        raise sql.exc.OperationalError("VACUUM", None, error) from error
    if busy:
        raise StoreLocked(
            "what was deleted is deleted, but another process reads what was before",
            hint="it leaves the files when the store is next opened",
        )


def copy(connection: sql.Connection, file: Path) -> None:
    """The database as it is at this moment, in a new file; others may go on writing."""
    raw: Any = connection.connection.dbapi_connection
    target = sqlite3.connect(file)
    try:
        raw.backup(target)
    except sqlite3.DatabaseError as error:
        raise sql.exc.DatabaseError("backup", None, error) from error
    finally:
        target.close()


def explanation(error: sql.exc.DatabaseError, place: Path) -> StoreError | None:
    """A failure of the database in one sentence; None for a mistake of ours."""
    text = str(error.orig)
    if "disk is full" in text:
        return full(place)
    if "disk I/O" in text and _without_room(place):
        return full(place)
    if "disk I/O" in text:
        return StoreError(
            f"the disk that holds {place} fails to read or write",
            hint="check the disk, and that it is not full; then run the same command again",
        )
    if "readonly" in text or "unable to open" in text:
        return unwritable(place)
    if "not a database" in text or "malformed" in text or "decode to UTF-8" in text:
        return StoreFormat(
            f"{place}: not a Saccade catalog, or damaged: {text}",
            hint="restore it from a backup, or index into a new store",
        )
    if "no such table" in text:
        return StoreFormat(
            f"{place}: {text.replace('no such', 'it has no')}: it is damaged, or was taken away",
            hint="restore it from a backup, or index into a new store",
        )
    if "locked" in text:
        return StoreLocked(f"{place}: another process holds the catalog; try again")
    return None


def full(place: Path) -> StoreError:
    """The disk is full."""
    return StoreFull(
        f"the disk that holds {place} is full; nothing stored was lost",
        hint="free some space and run the same command again",
    )


def unwritable(place: Path) -> StoreError:
    """The place cannot be written."""
    if _without_room(place):
        return full(place)
    return StoreReadOnly(
        f"cannot write to {place}: the folder is read-only for this user",
        hint=Hint(
            "choose another place, or change its permissions",
            command="choose another place with --into, or change its permissions",
        ),
    )


def _without_room(place: Path) -> bool:
    """Whether that is why nothing can be written: SQLite does not always say so."""
    try:
        return shutil.disk_usage(place if place.is_dir() else place.parent).free < 2**16
    except OSError:
        return False


def _prepare(raw: Any, _record: Any) -> None:
    # We begin transactions ourselves; the driver's own beginnings come too late to be IMMEDIATE.
    raw.isolation_level = None
    _keep_a_journal(raw)
    for pragma in ("foreign_keys=ON", "secure_delete=ON"):
        raw.execute(f"PRAGMA {pragma}")


def _prepare_to_read(raw: Any, _record: Any) -> None:
    raw.isolation_level = None


def _keep_a_journal(raw: Any) -> None:
    """Write ahead; of several that begin a new database at once, all but one must try again."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            raw.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            # SQLite waits for other writers, but not for one that changes this.
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _begin(connection: sql.Connection) -> None:
    options = connection.get_execution_options()
    connection.exec_driver_sql(options.get("saccade_begin", "BEGIN"))

"""What is SQLite's own: how to connect, begin, ignore a duplicate, and what its failures mean.

Everything else in this package is SQLAlchemy Core and the same for any database.

WAL mode: many processes read while one writes. Writers begin with BEGIN IMMEDIATE, so that whoever
comes second waits for its turn instead of failing half-way.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import event
from sqlalchemy.dialects import sqlite

from saccade.errors import StoreError, StoreFormat, StoreFull, StoreLocked
from saccade.hints import Hint

# SQLite takes at most 32,766 values in one statement.
MANY = 10_000

_DIALECT = sqlite.dialect()


def engine(file: Path) -> sql.Engine:
    """Connections to the database in a file."""
    # One connection a thread would pile up under a thread pool; a small pool is enough.
    made = sql.create_engine(
        f"sqlite:///{file}",
        poolclass=sql.pool.QueuePool,
        pool_size=4,
        max_overflow=28,
        connect_args={"timeout": 30, "check_same_thread": False},
    )
    event.listen(made, "connect", _prepare)
    event.listen(made, "begin", _begin)
    return made


def writing(connection: sql.Connection, *, synced: bool, patience: float) -> sql.Connection:
    """The connection as one that writes next; `synced` waits for the disk at the end."""
    raw: Any = connection.connection.dbapi_connection
    raw.execute(f"PRAGMA busy_timeout={round(1000 * patience)}")
    raw.execute(f"PRAGMA synchronous={'FULL' if synced else 'NORMAL'}")
    return connection.execution_options(saccade_begin="BEGIN IMMEDIATE")


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
        found: list[tuple[Any, ...]] = raw.execute(text, values).fetchall()
    except sqlite3.DatabaseError as error:
        raise sql.exc.DatabaseError(text, None, error) from error
    return found


def insert_missing(
    connection: sql.Connection, table: sql.Table, rows: list[dict[str, Any]]
) -> None:
    """Insert rows, leaving alone those whose key exists."""
    if rows:
        connection.execute(sql.insert(table).prefix_with("OR IGNORE"), rows)


def skip_to(connection: sql.Connection, table: str, number: int) -> None:
    """Let the rows of a table be numbered from after a number on."""
    raw = connection.exec_driver_sql
    raw("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    raw("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))


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
        raw.execute("VACUUM")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError as error:
        raise sql.exc.OperationalError("VACUUM", None, error) from error


def copy(connection: sql.Connection, file: Path) -> None:
    """The database as it is at this moment, in a new file; others may go on writing."""
    raw: Any = connection.connection.dbapi_connection
    target = sqlite3.connect(file)
    try:
        raw.backup(target)
    finally:
        target.close()


def explanation(error: sql.exc.DatabaseError, place: Path) -> StoreError | None:
    """A failure of the database in one sentence; None for a mistake of ours."""
    text = str(error.orig)
    if "disk is full" in text:
        return full(place)
    if "disk I/O" in text:
        return StoreError(
            f"the disk that holds {place} fails to read or write",
            hint="check the disk, and that it is not full; then run the same command again",
        )
    if "readonly" in text or "unable to open" in text:
        return unwritable(place)
    if "not a database" in text or "malformed" in text:
        return StoreFormat(
            f"{place}: not a Saccade catalog, or damaged: {text}",
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
    return StoreError(
        f"cannot write to {place}: the folder is read-only for this user",
        hint=Hint(
            "choose another place, or change its permissions",
            command="choose another place with --into, or change its permissions",
        ),
    )


def _prepare(raw: Any, _record: Any) -> None:
    # We begin transactions ourselves; the driver's own beginnings come too late to be IMMEDIATE.
    raw.isolation_level = None
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=ON"):
        raw.execute(f"PRAGMA {pragma}")


def _begin(connection: sql.Connection) -> None:
    options = connection.get_execution_options()
    connection.exec_driver_sql(options.get("saccade_begin", "BEGIN"))

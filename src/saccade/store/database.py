"""The SQL side of a store: tables, connections, and what a failure means to a person.

SQLite in WAL mode: many processes read while one writes. Writers begin with BEGIN IMMEDIATE, so
that whoever comes second waits for its turn instead of failing half-way.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import event

from saccade.errors import StoreError, StoreFormat

FORMAT = 1

_metadata = sql.MetaData()

meta = sql.Table(
    "meta",
    _metadata,
    sql.Column("key", sql.Text, primary_key=True),
    sql.Column("value", sql.Text, nullable=False),
)

images = sql.Table(
    "images",
    _metadata,
    sql.Column("row", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("image_id", sql.Text, nullable=False, unique=True),
    sql.Column("width", sql.Integer, nullable=False),
    sql.Column("height", sql.Integer, nullable=False),
    sql.Column("alive", sql.Boolean, nullable=False),
)

paths = sql.Table(
    "paths",
    _metadata,
    sql.Column("path", sql.Text, primary_key=True),
    sql.Column("row", sql.ForeignKey("images.row"), nullable=False, index=True),
    sql.Column("size", sql.BigInteger, nullable=False),
    sql.Column("mtime_ns", sql.BigInteger, nullable=False),
)

skipped = sql.Table(
    "skipped",
    _metadata,
    sql.Column("path", sql.Text, primary_key=True),
    sql.Column("size", sql.BigInteger, nullable=False),
    sql.Column("mtime_ns", sql.BigInteger, nullable=False),
    sql.Column("reason", sql.Text, nullable=False),
)

segments = sql.Table(
    "segments",
    _metadata,
    sql.Column("segment", sql.Integer, primary_key=True),
    sql.Column("name", sql.Text, nullable=False, index=True),
    sql.Column("version", sql.Text, nullable=False),
    sql.Column("first", sql.Integer, nullable=False),
    sql.Column("rows", sql.Integer, nullable=False),
    sql.Column("files", sql.JSON, nullable=False),  # array name -> file, relative to the store
)

events = sql.Table(
    "events",
    _metadata,
    sql.Column("event", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("at", sql.Float, nullable=False),
    sql.Column("kind", sql.Text, nullable=False),
    sql.Column("user", sql.Text, nullable=False),
    sql.Column("session", sql.Text, nullable=False),
    sql.Column("page", sql.Text, nullable=False, index=True),
    sql.Column("body", sql.JSON, nullable=False),
    sql.Column("arrays", sql.LargeBinary, nullable=False),
    sql.Index("events_by_user", "user", "kind", "event"),
    # An id is never used twice, not even after its event was forgotten: late readers rely on order.
    sqlite_autoincrement=True,
)

snapshots = sql.Table(
    "snapshots",
    _metadata,
    sql.Column("event", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("body", sql.JSON, nullable=False),
    sql.Column("arrays", sql.LargeBinary, nullable=False),
)


class Database:
    """Connections to one store's tables."""

    def __init__(self, file: Path) -> None:
        self.file = file
        # One connection a thread would pile up under a thread pool; a small pool is enough.
        self._engine = sql.create_engine(
            f"sqlite:///{file}",
            poolclass=sql.pool.QueuePool,
            pool_size=4,
            max_overflow=28,
            connect_args={"timeout": 30, "check_same_thread": False},
        )
        event.listen(self._engine, "connect", _prepare)
        event.listen(self._engine, "begin", _begin)

    def close(self) -> None:
        """Give back every connection."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[sql.Connection]:
        """A consistent view for reading."""
        with explained(self.file), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self, *, synced: bool = True) -> Iterator[sql.Connection]:
        """One transaction, committed at the end, rolled back on any error.

        `synced` waits for the disk; without it a commit survives the death of the process but
        perhaps not of the machine. Any later synced commit makes it durable too.
        """
        mode = "FULL" if synced else "NORMAL"
        with explained(self.file), self._engine.connect() as connection:
            connection = connection.execution_options(saccade_begin="BEGIN IMMEDIATE")
            raw: Any = connection.connection.dbapi_connection
            raw.execute(f"PRAGMA synchronous={mode}")
            with connection.begin():
                yield connection

    def integrity(self) -> list[str]:
        """What SQLite finds wrong with itself; empty when all is well."""
        with self.read() as connection:
            lines = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        return [str(line) for line in lines if line != "ok"]

    def create(self) -> None:
        """Create what is missing; refuse what a newer version wrote."""
        with self.read() as connection:
            version = self._version(connection)
        if version is None:
            with self.write() as connection:
                _metadata.create_all(connection)
                insert_missing(connection, meta, [{"key": "format", "value": str(FORMAT)}])
            return
        if version > FORMAT:
            raise StoreFormat(
                f"{self.file.parent}: the store has format {version}, "
                f"this Saccade reads up to {FORMAT}; install a newer Saccade to open it"
            )

    @staticmethod
    def _version(connection: sql.Connection) -> int | None:
        if not sql.inspect(connection).has_table("meta"):
            return None
        value = connection.scalar(sql.select(meta.c.value).where(meta.c.key == "format"))
        return None if value is None else int(value)


def insert_missing(
    connection: sql.Connection, table: sql.Table, rows: list[dict[str, Any]]
) -> None:
    """Insert rows, leaving alone those whose key exists."""
    if rows:
        connection.execute(sql.insert(table).prefix_with("OR IGNORE"), rows)


def _prepare(raw: Any, _record: Any) -> None:
    # We begin transactions ourselves; the driver's own beginnings come too late to be IMMEDIATE.
    raw.isolation_level = None
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=ON"):
        raw.execute(f"PRAGMA {pragma}")


def _begin(connection: sql.Connection) -> None:
    options = connection.get_execution_options()
    connection.exec_driver_sql(options.get("saccade_begin", "BEGIN"))


@contextmanager
def explained(place: Path) -> Iterator[None]:
    """Turn failures of disk and database into one sentence that says what to do."""
    try:
        yield
    except sql.exc.DatabaseError as error:
        text = str(error.orig)
        if "disk is full" in text:
            raise _full(place) from error
        if "disk I/O" in text:
            raise StoreError(
                f"the disk that holds {place} fails to read or write",
                hint="check the disk, and that it is not full; then run the same command again",
            ) from error
        if "readonly" in text or "unable to open" in text:
            raise _unwritable(place) from error
        if "not a database" in text or "malformed" in text:
            raise StoreFormat(
                f"{place}: not a Saccade catalog, or damaged: {text}",
                hint="restore it from a backup, or index into a new store",
            ) from error
        if "locked" in text:
            raise StoreError(f"{place}: another process holds the catalog; try again") from error
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _full(place) from error
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise _unwritable(place) from error
        raise StoreError(
            f"{place} cannot be used: {error.strerror or error}", hint="choose another place"
        ) from error


def _full(place: Path) -> StoreError:
    return StoreError(
        f"the disk that holds {place} is full; nothing stored was lost",
        hint="free some space and run the same command again",
    )


def _unwritable(place: Path) -> StoreError:
    return StoreError(
        f"cannot write to {place}: the folder is read-only for this user",
        hint="choose another place with --into, or change its permissions",
    )

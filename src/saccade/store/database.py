"""The SQL side of a store: tables, connections, and what a failure means to a person.

`dialect` knows what is special about the database behind them.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from saccade.errors import StoreError, StoreFormat
from saccade.hints import Hint
from saccade.store import dialect
from saccade.store.prepared import Prepared

FORMAT = 1
PATIENCE = 30.0
"""Seconds that a writer waits for its turn."""

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
    sql.Index("events_by_session", "session", "event"),
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


checksums = sql.Table(
    "checksums",
    _metadata,
    sql.Column("file", sql.Text, primary_key=True),  # relative to the store
    sql.Column("digest", sql.Text, nullable=False),
)
"""Stores of the first version got this table later: their first files have no row in it."""


set_aside = sql.Table(
    "set_aside",
    _metadata,
    *(sql.Column(c.name, c.type, primary_key=c.primary_key) for c in events.columns),
)
"""Damaged events, as they were found. Stores of the first version got this table later."""

recent_pages = sql.Table(
    "recent_pages",
    _metadata,
    sql.Column("event", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("at", sql.Float, nullable=False),
    sql.Column("through", sql.BigInteger, nullable=False),  # bytes of all pages up to this one
)
"""Pages shown, oldest first, until `retention` has looked at them. Older stores got it later."""

_LATER = (checksums, set_aside, recent_pages)


def event_name(event_id: int) -> str:
    """An event among the checksums."""
    return f"event/{event_id}"


class Database:
    """Connections to one store's tables."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._engine = dialect.engine(file)

    def close(self) -> None:
        """Give back every connection."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[sql.Connection]:
        """A consistent view for reading."""
        with explained(self.file), self._engine.connect() as connection:
            yield connection

    def ask(self, question: Prepared, **values: Any) -> list[tuple[Any, ...]]:
        """What one prepared statement finds now; it is a transaction of its own."""
        with explained(self.file), dialect.lent(self._engine) as raw:
            return question.run(raw, **values)

    @contextmanager
    def write(self, *, synced: bool = True, patience: float = PATIENCE) -> Iterator[sql.Connection]:
        """One transaction, committed at the end, rolled back on any error.

        `synced` waits for the disk; without it a commit survives the death of the process but
        perhaps not of the machine. Any later synced commit makes it durable too. Whoever else
        writes is waited for so many seconds.
        """
        with explained(self.file), self._engine.connect() as connection:
            connection = dialect.writing(connection, synced=synced, patience=patience)
            with connection.begin():
                yield connection

    def integrity(self) -> list[str]:
        """What the database finds wrong with itself; empty when all is well."""
        with self.read() as connection:
            return dialect.integrity(connection)

    def scrub(self) -> None:
        """Leave nothing on disk of what was deleted."""
        with explained(self.file), self._engine.connect() as connection:
            dialect.scrub(connection)

    def copy(self, file: Path) -> None:
        """A consistent copy in a new file."""
        with explained(self.file), self._engine.connect() as connection:
            dialect.copy(connection, file)

    def last_event(self) -> int:
        """The largest id that any event ever had, those since forgotten too."""
        query = sql.text("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
        with self.read() as connection:
            return int(connection.scalar(query) or 0)

    def create(self) -> None:
        """Create what is missing; refuse what a newer version wrote."""
        with self.read() as connection:
            version = self._version(connection)
        if version is None:
            self._refuse_what_lost_its_catalog()
            with self.write() as connection:
                _metadata.create_all(connection)
                dialect.insert_missing(connection, meta, [{"key": "format", "value": str(FORMAT)}])
            return
        if version > FORMAT:
            raise StoreFormat(
                f"{self.file.parent}: the store has format {version}, "
                f"this Saccade reads up to {FORMAT}; install a newer Saccade to open it"
            )
        with self.read() as connection:
            known = sql.inspect(connection).get_table_names()
        if not {table.name for table in _LATER} <= set(known):
            with self.write() as connection:
                self._bring_up_to_date(connection, known)

    @staticmethod
    def _bring_up_to_date(connection: sql.Connection, known: list[str]) -> None:
        """Add what the first version did not have."""
        _metadata.create_all(connection, tables=_LATER)
        there = {index["name"] for index in sql.inspect(connection).get_indexes("events")}
        for index in events.indexes:
            if index.name not in there:
                index.create(connection)
        if recent_pages.name not in known:
            size = sql.func.length(events.c.body) + sql.func.length(events.c.arrays)
            through = sql.func.sum(size).over(order_by=events.c.event)
            shown = sql.select(events.c.event, events.c.at, through).where(events.c.kind == "shown")
            rows = recent_pages.c.keys()
            connection.execute(sql.insert(recent_pages).from_select(rows, shown))

    def _refuse_what_lost_its_catalog(self) -> None:
        if any((self.file.parent / "columns").glob("*/*")):
            raise StoreFormat(
                f"{self.file}: the catalog is empty, yet there are columns beside it: it was lost",
                hint=Hint(
                    "bring it back from a backup, or index into a new store",
                    command="bring it back with `saccade restore BACKUP`, or index anew",
                ),
            )

    @staticmethod
    def _version(connection: sql.Connection) -> int | None:
        if not sql.inspect(connection).has_table("meta"):
            return None
        value = connection.scalar(sql.select(meta.c.value).where(meta.c.key == "format"))
        return None if value is None else int(value)


@contextmanager
def explained(place: Path) -> Iterator[None]:
    """Turn failures of disk and database into one sentence that says what to do."""
    try:
        yield
    except sql.exc.DatabaseError as error:
        sentence = dialect.explanation(error, place)
        if sentence is None:
            raise
        raise sentence from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise dialect.full(place) from error
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise dialect.unwritable(place) from error
        raise StoreError(
            f"{place} cannot be used: {error.strerror or error}", hint="choose another place"
        ) from error

"""The tables of a catalog, the same in every database.

Text is compared by its bytes, and what is JSON is kept as the text that was written: a checksum of
an event is one of that text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

METADATA = sql.MetaData()

_PLAIN = sql.Text(collation="C")


class _JsonText(TypeDecorator[Any]):
    """JSON as the text that was written; a server's own type would refuse some, or reorder it."""

    impl = _PLAIN
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sql.Dialect) -> str:
        return json.dumps(value)

    def process_result_value(self, value: Any, dialect: sql.Dialect) -> Any:
        return None if value is None else json.loads(value)


TEXT = sql.Text().with_variant(_PLAIN, "postgresql")
JSON = sql.JSON().with_variant(_JsonText(), "postgresql")
COUNT = sql.Integer().with_variant(sql.BigInteger(), "postgresql")
"""Numbers that grow with the log."""


class as_bytes(FunctionElement[bytes]):  # noqa: N801 - it is a function of SQL
    """Text as its bytes: what is no text any more must not stop a whole reading."""

    type = sql.LargeBinary()
    inherit_cache = True


@compiles(as_bytes)
def _as_blob(element: as_bytes, compiler: Any, **options: Any) -> str:
    (column,) = element.clauses
    return str(compiler.process(sql.cast(column, sql.LargeBinary), **options))


@compiles(as_bytes, "postgresql")
def _as_bytea(element: as_bytes, compiler: Any, **options: Any) -> str:
    (column,) = element.clauses
    text = compiler.process(column, **options)
    return text if isinstance(column.type, sql.LargeBinary) else f"convert_to({text}, 'UTF8')"


meta = sql.Table(
    "meta",
    METADATA,
    sql.Column("key", TEXT, primary_key=True),
    sql.Column("value", TEXT, nullable=False),
)

images = sql.Table(
    "images",
    METADATA,
    sql.Column("row", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("image_id", TEXT, nullable=False, unique=True),
    sql.Column("width", sql.Integer, nullable=False),
    sql.Column("height", sql.Integer, nullable=False),
    sql.Column("alive", sql.Boolean, nullable=False),
)

paths = sql.Table(
    "paths",
    METADATA,
    sql.Column("path", TEXT, primary_key=True),
    sql.Column("row", sql.ForeignKey("images.row"), nullable=False, index=True),
    sql.Column("size", sql.BigInteger, nullable=False),
    sql.Column("mtime_ns", sql.BigInteger, nullable=False),
)

skipped = sql.Table(
    "skipped",
    METADATA,
    sql.Column("path", TEXT, primary_key=True),
    sql.Column("size", sql.BigInteger, nullable=False),
    sql.Column("mtime_ns", sql.BigInteger, nullable=False),
    sql.Column("reason", TEXT, nullable=False),
)

segments = sql.Table(
    "segments",
    METADATA,
    sql.Column("segment", sql.Integer, primary_key=True),
    sql.Column("name", TEXT, nullable=False, index=True),
    sql.Column("version", TEXT, nullable=False),
    sql.Column("first", sql.Integer, nullable=False),
    sql.Column("rows", sql.Integer, nullable=False),
    sql.Column("files", JSON, nullable=False),  # array name -> file, relative to the store
)

events = sql.Table(
    "events",
    METADATA,
    sql.Column("event", COUNT, primary_key=True, autoincrement=True),
    sql.Column("at", sql.Float, nullable=False),
    sql.Column("kind", TEXT, nullable=False),
    sql.Column("user", TEXT, nullable=False),
    sql.Column("session", TEXT, nullable=False),
    sql.Column("page", TEXT, nullable=False, index=True),
    sql.Column("body", JSON, nullable=False),
    sql.Column("arrays", sql.LargeBinary, nullable=False),
    sql.Index("events_by_user", "user", "kind", "event"),
    sql.Index("events_by_session", "session", "event"),
    # An id is never used twice, not even after its event was forgotten: late readers rely on order.
    sqlite_autoincrement=True,
)

snapshots = sql.Table(
    "snapshots",
    METADATA,
    sql.Column("event", COUNT, primary_key=True, autoincrement=False),
    sql.Column("body", JSON, nullable=False),
    sql.Column("arrays", sql.LargeBinary, nullable=False),
)


checksums = sql.Table(
    "checksums",
    METADATA,
    sql.Column("file", TEXT, primary_key=True),  # relative to the store
    sql.Column("digest", TEXT, nullable=False),
)
"""Of every file but thumbnails, which carry their own."""

chain = sql.Table(
    "chain",
    METADATA,
    sql.Column("event", COUNT, primary_key=True, autoincrement=False),
    sql.Column("previous", COUNT, nullable=False),  # the event before it, 0 for the first
    sql.Column("digest", TEXT, nullable=False),  # of all that the event says
    sql.Column("link", TEXT, nullable=False),  # of the three before
)
"""What each event is and which one it follows: see `chain`."""

set_aside = sql.Table(
    "set_aside",
    METADATA,
    *(sql.Column(c.name, c.type, primary_key=c.primary_key) for c in events.columns),
)
"""Damaged events, as they were found. Stores of the first version got this table later."""

recent_pages = sql.Table(
    "recent_pages",
    METADATA,
    sql.Column("event", COUNT, primary_key=True, autoincrement=False),
    sql.Column("at", sql.Float, nullable=False),
    sql.Column("through", sql.BigInteger, nullable=False),  # bytes of all pages up to this one
)
"""Pages shown, oldest first, until `retention` has looked at them. Older stores got it later."""

tokens = sql.Table(
    "tokens",
    METADATA,
    sql.Column("token", TEXT, primary_key=True),  # its short name, which is no secret
    sql.Column("digest", TEXT, nullable=False, unique=True),
    sql.Column("user", TEXT, nullable=False),
    sql.Column("role", TEXT, nullable=False),
    sql.Column("created", sql.Float, nullable=False),
    sql.Column("expires", sql.Float, nullable=True),
)
"""Who may come in by which key: see `tokens`."""

claims = sql.Table(
    "claims",
    METADATA,
    sql.Column("claim", TEXT, primary_key=True),  # digest of a key
    sql.Column("said", TEXT, nullable=False),  # digest of what was sent under it
    sql.Column("at", sql.Float, nullable=False, index=True),
)
"""Keys of what was sent once, so that it is not taken twice."""

origins = sql.Table(
    "origins",
    METADATA,
    sql.Column("row", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("taken", TEXT, nullable=False),
    sql.Column("camera", TEXT, nullable=False),
)
"""When and with what an image was taken. A row that is not here was not looked at yet: stores that
were made before have none, and are filled behind."""

jobs = sql.Table(
    "jobs",
    METADATA,
    sql.Column("number", COUNT, primary_key=True, autoincrement=True),
    sql.Column("job", TEXT, nullable=False, unique=True),
    sql.Column("kind", TEXT, nullable=False),
    sql.Column("spec", TEXT, nullable=False),
    sql.Column("state", TEXT, nullable=False, index=True),
    sql.Column("stage", TEXT, nullable=False),
    sql.Column("done", sql.Integer, nullable=False),
    sql.Column("total", sql.Integer, nullable=False),
    sql.Column("seconds_left", sql.Float, nullable=True),
    sql.Column("asked", sql.Float, nullable=False),
    sql.Column("began", sql.Float, nullable=True),
    sql.Column("ended", sql.Float, nullable=True),
    sql.Column("resumed", sql.Integer, nullable=False),
    sql.Column("cancelled", sql.Boolean, nullable=False),
    sql.Column("message", TEXT, nullable=False),
    sql.Column("result", TEXT, nullable=False),
)
"""Long work, asked for and done: see `jobs`. Older stores got it later."""

fields = sql.Table(
    "fields",
    METADATA,
    sql.Column("row", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("external_id", TEXT, nullable=True, unique=True),
    sql.Column("body", TEXT, nullable=False),
)
"""What others know of an image: an id of theirs, and fields as JSON. Older stores got it later."""

arrivals = sql.Table(
    "arrivals",
    METADATA,
    sql.Column("number", COUNT, primary_key=True, autoincrement=True),
    sql.Column("external_id", TEXT, nullable=False, index=True),
    sql.Column("image_id", TEXT, nullable=False),
    sql.Column("path", TEXT, nullable=False),
    sql.Column("fields", TEXT, nullable=False),
    sqlite_autoincrement=True,
)
"""Pictures that came by an id of somebody's, or are to go (no path), until a job has taken them in:
see `arrivals`. Older stores got it later."""

NUMBER = "number"
"""The setting that counts the lines of the log where the database does not do so by itself."""


def numbered(table: sql.Table, number: str, names: Sequence[str]) -> sql.Executable:
    """Insert one line with the number after the last; gives the number."""
    last = sql.cast(meta.c.value, sql.BigInteger)
    counted = (
        sql.update(meta)
        .where(meta.c.key == NUMBER)
        .values(value=sql.cast(last + 1, sql.Text))
        .returning(last.label("number"))
        .cte("counted")
    )
    values = [sql.bindparam(name, type_=table.c[name].type) for name in names]
    line = sql.select(counted.c.number, *values)
    return sql.insert(table).from_select([number, *names], line).returning(table.c[number])

"""Lines of the log as they are read: each with its checksum, damaged ones left out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sql
from numpy.typing import NDArray

from saccade.store import arrays as bundles
from saccade.store import files
from saccade.store.database import checksums, events
from saccade.store.prepared import Prepared


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log."""

    event_id: int
    at: float
    kind: str
    user: str
    session_id: str
    page_id: str
    body: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def name_of(table: sql.Table) -> sql.ColumnElement[str]:
    """What the events of a table are called among the checksums."""
    return sql.literal("event/") + sql.cast(table.c.event, sql.Text)


# The body as bytes: text that is no JSON any more must not stop a whole reading.
LINES = sql.select(
    events.c.event, events.c.at, events.c.kind, events.c.user, events.c.session, events.c.page,
    sql.cast(events.c.body, sql.LargeBinary).label("text"), events.c.arrays, checksums.c.digest,
).select_from(events.outerjoin(checksums, checksums.c.file == name_of(events)))  # fmt: skip


NEWEST = Prepared(sql.select(sql.func.coalesce(sql.func.max(events.c.event), 0)))
"""The number of the newest event there is; 0 in an empty log."""


OF_PAGE = Prepared(
    LINES.where(events.c.page == sql.bindparam("page"), events.c.kind == sql.bindparam("kind"))
)
"""The events of one kind that a page has."""


class Line(NamedTuple):
    """One row of `LINES` as the driver gives it."""

    event: int
    at: float
    kind: str
    user: str
    session: str
    page: str
    text: bytes
    arrays: bytes
    digest: str | None


@lru_cache
def since(kinds: frozenset[str]) -> Prepared:
    """Every event of some kinds after one, in order; each process asks it before each page."""
    return Prepared(_later(kinds))


@lru_cache
def of_session(kinds: frozenset[str]) -> Prepared:
    """The same of what a user did in one session; each mark asks it."""
    user = events.c.user == sql.bindparam("user")
    return Prepared(_later(kinds).where(user, events.c.session == sql.bindparam("session")))


def _later(kinds: frozenset[str]) -> sql.Select[Any]:
    wanted = sql.or_(*(events.c.kind == kind for kind in sorted(kinds)))
    later = events.c.event > sql.bindparam("after")
    return LINES.where(later, wanted).order_by(events.c.event)


def whole(found: Iterable[Iterable[Any]]) -> list[Event]:
    """Rows of `LINES` as events; damaged ones are the doctor's."""
    lines = (event_of(Line(*row)) for row in found)
    return [event for event in lines if event is not None]


def of_user(connection: sql.Connection, user: str, kinds: Iterable[str]) -> list[Event]:
    """A user's events of some kinds, oldest first."""
    wanted = events.c.user == user, events.c.kind.in_(kinds)
    return whole(connection.execute(LINES.where(*wanted).order_by(events.c.event)))


def event_of(row: Any) -> Event | None:
    """A line of the log, or None where it is not what was written."""
    if row.digest is not None and row.digest != digest(row.kind, row.user, row.text, row.arrays):
        return None
    try:
        body, arrays = json.loads(row.text), bundles.from_bytes(row.arrays)
    # Bytes that changed make readers of archives raise almost anything.
    except Exception:
        return None
    return Event(row.event, row.at, row.kind, row.user, row.session, row.page, body, arrays)


def digest(kind: str, user: str, text: bytes, arrays: bytes) -> str:
    """The checksum of a line."""
    parts = (kind.encode(), user.encode(), text, arrays)
    return files.digest(b"".join(len(part).to_bytes(8, "little") + part for part in parts))

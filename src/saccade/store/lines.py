"""Lines of the log as they are read: each with its checksum, damaged ones left out."""

from __future__ import annotations

import json
import logging
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sql

from saccade import trace
from saccade.store import arrays as bundles
from saccade.store import files
from saccade.store.prepared import Prepared
from saccade.store.tables import as_bytes, chain, events
from saccade.types import Arrays, Spec

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log."""

    event_id: int
    at: float
    kind: str
    user: str
    session_id: str
    page_id: str
    body: Spec
    arrays: Arrays


COLUMNS = (
    events.c.event,
    events.c.at,
    *(
        as_bytes(events.c[name]).label(name)
        for name in ("kind", "user", "session", "page", "body", "arrays")
    ),
)
LINES = sql.select(*COLUMNS, chain.c.digest).select_from(
    events.outerjoin(chain, chain.c.event == events.c.event)
)


NEWEST = Prepared(sql.select(sql.func.coalesce(sql.func.max(events.c.event), 0)))
"""The number of the newest event there is; 0 in an empty log."""


OF_PAGE = Prepared(
    LINES.where(events.c.page == sql.bindparam("page"), events.c.kind == sql.bindparam("kind"))
)
"""The events of one kind that a page has."""


PERSON_OF_PAGE = Prepared(
    sql.select(events.c.user).where(events.c.page == sql.bindparam("page")).limit(1)
)
"""Whose a page is."""


class Line(NamedTuple):
    """One row of `LINES` as the driver gives it."""

    event: int
    at: float
    kind: bytes
    user: bytes
    session: bytes
    page: bytes
    body: bytes
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


@lru_cache
def of_person(kinds: frozenset[str]) -> Prepared:
    """A user's events of some kinds, oldest first; each search by words asks for names given."""
    user = events.c.user == sql.bindparam("user")
    wanted = sql.or_(*(sql.and_(user, events.c.kind == kind) for kind in sorted(kinds)))
    return Prepared(LINES.where(wanted).order_by(events.c.event))


def _later(kinds: frozenset[str]) -> sql.Select[Any]:
    wanted = sql.or_(*(events.c.kind == kind for kind in sorted(kinds)))
    later = events.c.event > sql.bindparam("after")
    return LINES.where(later, wanted).order_by(events.c.event)


def whole(rows: Iterable[Iterable[Any]]) -> list[Event]:
    """Rows of `LINES` as events; damaged ones are the doctor's."""
    lines = (event_of(Line._make(row)) for row in rows)
    return [event for event in lines if event is not None]


def of_user(connection: sql.Connection, user: str, kinds: Iterable[str]) -> list[Event]:
    """A user's events of some kinds, oldest first."""
    wanted = events.c.user == user, events.c.kind.in_(kinds)
    return whole(connection.execute(LINES.where(*wanted).order_by(events.c.event)))


def event_of(line: Line) -> Event | None:
    """A line of the log, or None where it is not what was written."""
    if not sound(line):
        return None
    try:
        words = (line.kind, line.user, line.session, line.page)
        kind, user, session, page = (word.decode() for word in words)
        body, arrays = json.loads(line.body), bundles.from_bytes(line.arrays)
        return Event(line.event, float(line.at), kind, user, session, page, body, arrays)
    # Bytes that changed make readers of archives raise almost anything.
    except Exception as error:
        trace.swallowed(log, error, doing="reading a line of the log", event=line.event)
        return None


def digest_of(line: Line) -> str:
    """The checksum of all that an event says: its number, who, when, where and what."""
    return digest(struct.pack("<qd", line.event, line.at), *line[2:-1])


def sound(line: Line) -> bool:
    """Whether an event is what was written; without a checksum nobody can tell."""
    try:
        return line.digest is None or line.digest == digest_of(line)
    except (TypeError, struct.error):
        return False  # a number that became text, a text that became nothing


def digest(*parts: bytes) -> str:
    """The checksum of several things, each with its length."""
    return files.digest(b"".join(len(part).to_bytes(8, "little") + part for part in parts))

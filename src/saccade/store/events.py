"""The log: what happened, in order, appended and never changed.

It is the truth of everything learned. Two things take events out of it, both at a user's word:
`forget` deletes a user's events for good; an *undone* event only names another one as void.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql
from numpy.typing import NDArray

from saccade.store import arrays as bundles
from saccade.store import files
from saccade.store.database import Database, checksums, events, set_aside, snapshots
from saccade.store.witness import Witness
from saccade.types import Arrays


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


_NAME = "event/"  # and a number: an event among the checksums


def _name(table: sql.Table) -> sql.ColumnElement[str]:
    return sql.literal(_NAME) + sql.cast(table.c.event, sql.Text)


# The body as bytes: text that is no JSON any more must not stop a whole reading.
_LINES = sql.select(
    events.c.event, events.c.at, events.c.kind, events.c.user, events.c.session, events.c.page,
    sql.cast(events.c.body, sql.LargeBinary).label("text"), events.c.arrays, checksums.c.digest,
).select_from(events.outerjoin(checksums, checksums.c.file == _name(events)))  # fmt: skip


class Log:
    """Reads and appends events."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._witness = Witness(database.file.with_name("log.witness"))

    @contextmanager
    def appending(self, *, synced: bool = True) -> Iterator[Appender]:
        """The only way to write: no other process can append until the block ends."""
        with self._database.write(synced=synced) as connection:
            appender = Appender(connection)
            yield appender
        if synced and appender.last:
            self._witness.testify(appender.last)

    def lost(self) -> int:
        """How many events at the end of the log were acknowledged and are not there any more."""
        return max(0, self._witness.last() - self._database.last_event())

    def damaged(self) -> list[int]:
        """Events that are not what was written; nobody learns from them."""
        with self._database.read() as connection:
            rows = connection.execute(_LINES.order_by(events.c.event))
            return [row.event for row in rows if _event(row) is None]

    def set_aside(self, damaged: Sequence[int]) -> None:
        """Take damaged events out of the log; a table of their own keeps them as they are."""
        with self._database.write() as connection:
            for event_id in damaged:
                this = events.c.event == event_id
                whole = sql.select(*events.c).where(this)
                connection.execute(sql.insert(set_aside).from_select(events.c.keys(), whole))
                connection.execute(sql.delete(events).where(this))
            connection.execute(sql.delete(snapshots))

    def accept(self) -> None:
        """Go on with the log as it is."""
        self._witness.testify(self._database.last_event())

    def scrub(self) -> None:
        """Leave nothing on disk of what was forgotten."""
        self._database.scrub()

    def since(self, event_id: int, kinds: Iterable[str]) -> list[Event]:
        """Every event of some kinds after `event_id`, in order."""
        with self._database.read() as connection:
            return _since(connection, event_id, kinds)

    def page(self, page_id: str, kind: str) -> Event | None:
        """The one event of a kind that a page has."""
        query = _LINES.where(events.c.page == page_id, events.c.kind == kind)
        with self._database.read() as connection:
            return next(iter(_sound(connection, query)), None)

    def of_user(self, user: str, kinds: Iterable[str]) -> list[Event]:
        """A user's events of some kinds, oldest first."""
        with self._database.read() as connection:
            return _of_user(connection, user, kinds)

    def of_session(
        self, user: str, session_id: str, kinds: Iterable[str], *, after: int = 0
    ) -> list[Event]:
        """What a user did in one session after an event, of some kinds, oldest first."""
        wanted = (
            events.c.user == user,
            events.c.session == session_id,
            events.c.kind.in_(kinds),
            events.c.event > after,
        )
        query = _LINES.where(*wanted).order_by(events.c.event)
        with self._database.read() as connection:
            return _sound(connection, query)

    def knows(self, user: str) -> bool:
        """Whether the log holds anything of a user."""
        query = sql.select(events.c.event).where(events.c.user == user).limit(1)
        with self._database.read() as connection:
            return connection.scalar(query) is not None

    def users(self, kinds: Iterable[str]) -> tuple[str, ...]:
        """Everyone with an event of some kinds in the log."""
        query = sql.select(events.c.user).where(events.c.kind.in_(kinds)).distinct()
        with self._database.read() as connection:
            return tuple(sorted(connection.scalars(query)))

    def counts(self) -> dict[str, int]:
        """How many events of each kind."""
        query = sql.select(events.c.kind, sql.func.count()).group_by(events.c.kind)
        with self._database.read() as connection:
            return dict(connection.execute(query).all())

    # -- snapshots: derived, so that opening need not read the whole log ------------------------

    def last_snapshot(self) -> tuple[int, Mapping[str, Any], dict[str, NDArray[Any]]] | None:
        """The newest snapshot."""
        query = sql.select(snapshots).order_by(snapshots.c.event.desc()).limit(1)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else (row.event, row.body, bundles.from_bytes(row.arrays))

    def drop_snapshots(self) -> None:
        """They are rebuilt from the log."""
        with self._database.write() as connection:
            connection.execute(sql.delete(snapshots))


class Appender:
    """Appends within one transaction."""

    def __init__(self, connection: sql.Connection) -> None:
        self._connection = connection
        self.last = 0  # the id of what was appended last

    def since(self, event_id: int, kinds: Iterable[str]) -> list[Event]:
        """What others appended meanwhile."""
        return _since(self._connection, event_id, kinds)

    def append(
        self,
        kind: str,
        *,
        at: float,
        user: str,
        session_id: str = "",
        page_id: str = "",
        body: Mapping[str, Any],
        arrays: Arrays,
    ) -> Event:
        """Add one line; it is durable when the transaction has ended."""
        values = {
            "at": at,
            "kind": kind,
            "user": user,
            "session": session_id,
            "page": page_id,
            "body": json.loads(json.dumps(dict(body))),
            "arrays": bundles.to_bytes(arrays),
        }
        done = self._connection.execute(sql.insert(events), values)
        (key,) = done.inserted_primary_key or (0,)
        self.last = int(key)
        text = json.dumps(values["body"]).encode()
        digest = _digest(kind, user, text, values["arrays"])
        self._connection.execute(
            sql.insert(checksums), {"file": f"{_NAME}{self.last}", "digest": digest}
        )
        return Event(int(key), at, kind, user, session_id, page_id, values["body"], dict(arrays))

    def of_user(self, user: str, kinds: Iterable[str]) -> list[Event]:
        """A user's events of some kinds, oldest first."""
        return _of_user(self._connection, user, kinds)

    def snapshot(self, event_id: int, body: Mapping[str, Any], arrays: Arrays) -> None:
        """Keep the models as they are after an event; an older snapshot goes."""
        self._connection.execute(sql.delete(snapshots))
        self._connection.execute(
            sql.insert(snapshots),
            {"event": event_id, "body": dict(body), "arrays": bundles.to_bytes(arrays)},
        )

    def forget(self, user: str, kinds: Iterable[str]) -> int:
        """Delete everything a user did, and every snapshot that knew of it.

        Returns how many events of some kinds are gone with it.
        """
        gone = self._connection.scalar(
            sql.select(sql.func.count()).where(events.c.user == user, events.c.kind.in_(kinds))
        )
        for table in (events, set_aside):
            theirs = sql.select(_name(table)).where(table.c.user == user)
            self._connection.execute(sql.delete(checksums).where(checksums.c.file.in_(theirs)))
            self._connection.execute(sql.delete(table).where(table.c.user == user))
        self._connection.execute(sql.delete(snapshots))
        return int(gone or 0)


def _since(connection: sql.Connection, event_id: int, kinds: Iterable[str]) -> list[Event]:
    wanted = events.c.event > event_id, events.c.kind.in_(kinds)
    return _sound(connection, _LINES.where(*wanted).order_by(events.c.event))


def _of_user(connection: sql.Connection, user: str, kinds: Iterable[str]) -> list[Event]:
    wanted = events.c.user == user, events.c.kind.in_(kinds)
    return _sound(connection, _LINES.where(*wanted).order_by(events.c.event))


def _sound(connection: sql.Connection, query: sql.Select[Any]) -> list[Event]:
    """Events as they were written; damaged ones are the doctor's."""
    found = (_event(row) for row in connection.execute(query))
    return [event for event in found if event is not None]


def _event(row: Any) -> Event | None:
    """A line of the log, or None where it is not what was written."""
    if row.digest is not None and row.digest != _digest(row.kind, row.user, row.text, row.arrays):
        return None
    try:
        body, arrays = json.loads(row.text), bundles.from_bytes(row.arrays)
    # Bytes that changed make readers of archives raise almost anything.
    except Exception:
        return None
    return Event(row.event, row.at, row.kind, row.user, row.session, row.page, body, arrays)


def _digest(kind: str, user: str, text: bytes, arrays: bytes) -> str:
    parts = (kind.encode(), user.encode(), text, arrays)
    return files.digest(b"".join(len(part).to_bytes(8, "little") + part for part in parts))

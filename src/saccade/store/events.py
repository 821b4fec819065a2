"""The log: what happened, in order, appended and never changed.

It is the truth of everything learned. Two things take events out of it, both at a user's word:
`forget` deletes a user's events for good; an *undone* event only names another one as void.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql
from numpy.typing import NDArray

from saccade.store import arrays as bundles
from saccade.store.database import Database, events, snapshots
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
        query = sql.select(events).where(events.c.page == page_id, events.c.kind == kind)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _event(row)

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
        query = sql.select(events).where(*wanted).order_by(events.c.event)
        with self._database.read() as connection:
            return [_event(row) for row in connection.execute(query)]

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
        self._connection.execute(sql.delete(events).where(events.c.user == user))
        self._connection.execute(sql.delete(snapshots))
        return int(gone or 0)


def _since(connection: sql.Connection, event_id: int, kinds: Iterable[str]) -> list[Event]:
    wanted = events.c.event > event_id, events.c.kind.in_(kinds)
    query = sql.select(events).where(*wanted).order_by(events.c.event)
    return [_event(row) for row in connection.execute(query)]


def _of_user(connection: sql.Connection, user: str, kinds: Iterable[str]) -> list[Event]:
    wanted = events.c.user == user, events.c.kind.in_(kinds)
    query = sql.select(events).where(*wanted).order_by(events.c.event)
    return [_event(row) for row in connection.execute(query)]


def _event(row: Any) -> Event:
    return Event(
        row.event,
        row.at,
        row.kind,
        row.user,
        row.session,
        row.page,
        row.body,
        bundles.from_bytes(row.arrays),
    )

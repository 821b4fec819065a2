"""The log: what happened, in order, appended and never changed.

It is the truth of everything learned. Two things take events out of it at a user's word: `forget`
deletes a user's events for good; an *undone* event only names another one as void. And pages that
nobody spoke of go when they are old (`retention`): nothing is learned from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sql
from numpy.typing import NDArray

from saccade.store import arrays as bundles
from saccade.store import dialect, lines
from saccade.store.catalog import set_
from saccade.store.database import (
    PATIENCE,
    Database,
    checksums,
    event_name,
    events,
    meta,
    recent_pages,
    set_aside,
    snapshots,
)
from saccade.store.lines import Event
from saccade.store.prepared import Prepared
from saccade.store.retention import Retention, queue, thin
from saccade.store.witness import Witness
from saccade.types import Arrays

__all__ = ["Appender", "Event", "Log", "Retention"]


_LINE = ("at", "kind", "user", "session", "page", "body", "arrays")
_APPEND = Prepared(
    sql.insert(events).values({name: sql.bindparam(name) for name in _LINE})
    .returning(events.c.event)
)  # fmt: skip
_MARK = Prepared(
    sql.insert(checksums).values(file=sql.bindparam("file"), digest=sql.bindparam("digest"))
)

_LOST = "lost"  # among the settings: how many events a loss took that nobody has accepted yet


class Log:
    """Reads and appends events."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._witness = Witness(database.file.with_name("log.witness"))

    @contextmanager
    def appending(self, *, synced: bool = True, patience: float = PATIENCE) -> Iterator[Appender]:
        """The only way to write: no other process can append until the block ends."""
        with self._database.write(synced=synced, patience=patience) as connection:
            appender = Appender(connection)
            yield appender
        if synced and appender.last:
            self._witness.testify(appender.last)

    def notice(self) -> None:
        """Look whether the end of the log is lost, before new events take the place of the lost.

        A loss is written down until somebody accepts it, and its numbers are never used again.
        """
        last = self._witness.last()
        missing = last - self._database.last_event()
        if missing > 0:
            with self._database.write() as connection:
                set_(connection, _LOST, self._lost(connection) + missing)
                dialect.skip_to(connection, events.name, last)

    def lost(self) -> int:
        """How many events at the end of the log were acknowledged and are not there any more."""
        with self._database.read() as connection:
            return self._lost(connection)

    @staticmethod
    def _lost(connection: sql.Connection) -> int:
        value = connection.scalar(sql.select(meta.c.value).where(meta.c.key == _LOST))
        return int(value or 0)

    def damaged(self) -> list[int]:
        """Events that are not what was written; nobody learns from them."""
        with self._database.read() as connection:
            rows = connection.execute(lines.LINES.order_by(events.c.event))
            return [row.event for row in rows if lines.event_of(row) is None]

    def set_aside(self, damaged: Sequence[int]) -> None:
        """Take damaged events out of the log; a table of their own keeps them as they are."""
        with self._database.write() as connection:
            for event_id in damaged:
                this = events.c.event == event_id
                whole = sql.select(*events.c).where(this)
                connection.execute(sql.insert(set_aside).from_select(events.c.keys(), whole))
                connection.execute(sql.delete(events).where(this))
            connection.execute(sql.delete(snapshots))

    def testify(self) -> None:
        """Let the witness know of everything in the log, which is on disk."""
        self._witness.testify(self._database.last_event())

    def accept(self) -> None:
        """Go on with the log as it is: a loss was told."""
        with self._database.write() as connection:
            connection.execute(sql.delete(meta).where(meta.c.key == _LOST))

    def scrub(self) -> None:
        """Leave nothing on disk of what was forgotten."""
        self._database.scrub()

    def last(self) -> int:
        """The number of the newest event there is; 0 in an empty log."""
        return int(self._database.ask(lines.NEWEST)[0][0])

    def since(self, event_id: int, kinds: Iterable[str]) -> list[Event]:
        """Every event of some kinds after `event_id`, in order."""
        return lines.whole(self._database.ask(lines.since(frozenset(kinds)), after=event_id))

    def thin(self, keep: Retention, *, now: float, a_time: int = 1000) -> None:
        """Let go of every page nobody spoke of that is older than is kept."""
        gone = a_time
        while gone == a_time:
            with self._database.write(synced=False) as connection:
                gone = thin(connection, keep, now=now, most=a_time)

    def pages(self) -> tuple[int, int]:
        """How many pages wait for somebody to react, and about how many bytes they take."""
        sizes = sql.func.max(recent_pages.c.through) - sql.func.min(recent_pages.c.through)
        with self._database.read() as connection:
            number, size = connection.execute(sql.select(sql.func.count(), sizes)).one()
        return int(number), int(size or 0) * number // max(1, number - 1)

    def page(self, page_id: str, kind: str) -> Event | None:
        """The one event of a kind that a page has."""
        found = self._database.ask(lines.OF_PAGE, page=page_id, kind=kind)
        return next(iter(lines.whole(found)), None)

    def of_user(self, user: str, kinds: Iterable[str]) -> list[Event]:
        """A user's events of some kinds, oldest first."""
        with self._database.read() as connection:
            return lines.of_user(connection, user, kinds)

    def of_session(
        self, user: str, session_id: str, kinds: Iterable[str], *, after: int = 0
    ) -> list[Event]:
        """What a user did in one session after an event, of some kinds, oldest first."""
        question = lines.of_session(frozenset(kinds))
        found = self._database.ask(question, user=user, session=session_id, after=after)
        return lines.whole(found)

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
        question = lines.since(frozenset(kinds))
        return lines.whole(question.on(self._connection, after=event_id))

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
        passing: bool = False,
    ) -> int:
        """Add one line and give it its number; it is durable when the transaction has ended.

        A `passing` one may go when it is old and nobody spoke of its page.
        """
        text, data = json.dumps(dict(body)), bundles.to_bytes(arrays)
        ((self.last,),) = _APPEND.on(
            self._connection, at=at, kind=kind, user=user, session=session_id, page=page_id,
            body=text, arrays=data,
        )  # fmt: skip
        line = text.encode()
        mark = lines.digest(kind, user, line, data)
        _MARK.on(self._connection, file=event_name(self.last), digest=mark)
        if passing:
            queue(self._connection, self.last, at, len(line) + len(data))
        return self.last

    def of_user(self, user: str, kinds: Iterable[str]) -> list[Event]:
        """A user's events of some kinds, oldest first."""
        return lines.of_user(self._connection, user, kinds)

    def thin(self, keep: Retention, *, now: float, most: int = 8) -> None:
        """Let go of some of the pages that are older than is kept: more than one comes in."""
        thin(self._connection, keep, now=now, most=most)

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
            theirs = sql.select(lines.name_of(table)).where(table.c.user == user)
            self._connection.execute(sql.delete(checksums).where(checksums.c.file.in_(theirs)))
            self._connection.execute(sql.delete(table).where(table.c.user == user))
        lost = recent_pages.c.event.not_in(sql.select(events.c.event))
        self._connection.execute(sql.delete(recent_pages).where(lost))
        self._connection.execute(sql.delete(snapshots))
        return int(gone or 0)

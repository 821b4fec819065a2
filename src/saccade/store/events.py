"""The log: what happened, in order, appended and never changed.

It is the truth of everything learned. Two things take events out of it at a user's word: `forget`
deletes a user's events for good; an *undone* event only names another one as void. And pages that
nobody spoke of go when they are old (`retention`): nothing is learned from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sql

from saccade.store import arrays as bundles
from saccade.store import chain, dialects, lines
from saccade.store.catalog import set_
from saccade.store.database import PATIENCE, Database
from saccade.store.flaws import RESTORE, Flaw
from saccade.store.lines import Event, Line
from saccade.store.prepared import Prepared
from saccade.store.retention import Retention, queue, thin
from saccade.store.tables import claims as keys
from saccade.store.tables import events, meta, numbered, recent_pages, set_aside, snapshots, tokens
from saccade.store.witness import Witness
from saccade.types import Array, Arrays, Spec

__all__ = ["Appender", "Event", "Log", "Retention"]


_LINE = ("at", "kind", "user", "session", "page", "body", "arrays")
_APPEND = Prepared(
    sql.insert(events).values({name: sql.bindparam(name) for name in _LINE})
    .returning(events.c.event),
    postgresql=numbered(events, "event", _LINE),
)  # fmt: skip
_CLAIMED = Prepared(sql.select(keys.c.said).where(keys.c.claim == sql.bindparam("key")))
_CLAIM = Prepared(
    sql.insert(keys).values({name: sql.bindparam(to) for name, to in
                             (("claim", "key"), ("said", "said"), ("at", "at"))})
)  # fmt: skip
_UNCLAIM = Prepared(sql.delete(keys).where(keys.c.at < sql.bindparam("before")))
CLAIM_SECONDS = 90 * 86_400.0
"""That a key is remembered."""
WITNESS = "log.witness"
_MOST_LOST = 10_000_000
_UNSCRUBBED = "unscrubbed"  # among the settings: someone was forgotten, the files not yet cleared
_LOST = "lost"  # among the settings: how many events a loss took that nobody has accepted yet


class Log:
    """Reads and appends events."""

    def __init__(self, database: Database, witness: Path) -> None:
        self._database = database
        self._witness = Witness(witness)

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
        missing = self._missing()
        if missing > 0:
            with self._database.write() as connection:
                set_(connection, _LOST, self._lost(connection) + missing)
                number = dialects.of(connection).last_number(connection, events.name)
                dialects.of(connection).skip_to(connection, events.name, number + missing)
                chain.note_end(connection)

    def _missing(self) -> int:
        """How many events the witness knows of and the log does not."""
        # The witness first: what it has heard of is in the log by then, and what another process
        # appends meanwhile is no loss.
        last = self._witness.last()
        with self._database.read() as connection:
            number = dialects.of(connection).last_number(connection, events.name)
        # Nobody loses millions at once: a witness that says so is damaged, and the doctor's.
        return 0 if last is None or last > number + _MOST_LOST else max(0, last - number)

    def lost(self) -> int:
        """How many events at the end of the log were acknowledged and are not there any more."""
        # Where nothing can be written down, it is noticed anew each time.
        unwritten = self._missing() if self._database.refusal is not None else 0
        with self._database.read() as connection:
            return self._lost(connection) + unwritten

    @staticmethod
    def _lost(connection: sql.Connection) -> int:
        value = connection.scalar(sql.select(meta.c.value).where(meta.c.key == _LOST))
        try:
            return int(value or 0)
        except ValueError:
            return 0

    def flaws(self) -> Iterator[Flaw]:
        """Whatever is wrong with the log, as far as anything still tells."""
        lost = self.lost()
        if lost:
            problem = f"its last {lost} events were acknowledged and are gone"
            yield Flaw("log", problem, RESTORE, mendable=False)
        with self._database.read() as connection:
            yield from chain.flaws(connection)
            number = dialects.of(connection).last_number(connection, events.name)
        last = self._witness.last()
        if last is None or last > number + _MOST_LOST:
            yield Flaw(WITNESS, "is damaged", "would be written anew")

    def mend(self) -> None:
        """Put aside what is damaged and go on with what is there: a loss was told."""
        with self._database.write() as connection:
            connection.execute(sql.delete(meta).where(meta.c.key == _LOST))
            chain.mend(connection)
        self.testify()

    def testify(self) -> None:
        """Let the witness know of everything in the log, which is on disk."""
        with self._database.read() as connection:
            number = dialects.of(connection).last_number(connection, events.name)
        self._witness.testify(number)

    def scrub(self) -> None:
        """Leave nothing on disk of what was forgotten."""
        self._database.scrub()
        with self._database.write() as connection:
            connection.execute(sql.delete(meta).where(meta.c.key == _UNSCRUBBED))

    def finish_forgetting(self) -> None:
        """Scrub where somebody was forgotten by a process that did not live to do it."""
        with self._database.read() as connection:
            wanted = sql.select(meta.c.value).where(meta.c.key == _UNSCRUBBED)
            unfinished = connection.scalar(wanted) is not None
        if unfinished:
            self.scrub()

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
        rows = self._database.ask(lines.OF_PAGE, page=page_id, kind=kind)
        return next(iter(lines.whole(rows)), None)

    def of_user(self, user: str, kinds: Iterable[str]) -> list[Event]:
        """A user's events of some kinds, oldest first."""
        rows = self._database.ask(lines.of_person(frozenset(kinds)), user=user)
        return lines.whole(rows)

    def of_session(
        self, user: str, session_id: str, kinds: Iterable[str], *, after: int = 0
    ) -> list[Event]:
        """What a user did in one session after an event, of some kinds, oldest first."""
        question = lines.of_session(frozenset(kinds))
        rows = self._database.ask(question, user=user, session=session_id, after=after)
        return lines.whole(rows)

    def knows(self, user: str) -> bool:
        """Whether the log holds anything of a user, or what was put aside from it."""
        tables = (events, set_aside, tokens)
        mentions = (sql.exists().where(table.c.user == user) for table in tables)
        with self._database.read() as connection:
            return bool(connection.scalar(sql.select(sql.or_(*mentions))))

    def claimed(self, key: str) -> str | None:
        """What was sent under a key, as a digest; None where nothing was."""
        rows = self._database.ask(_CLAIMED, key=key)
        return str(rows[0][0]) if rows else None

    def pages_of(self, page_id: str, kind: str) -> list[Event]:
        """Every event of a kind that speaks of a page, in order."""
        return lines.whole(self._database.ask(lines.OF_PAGE, page=page_id, kind=kind))

    def whose(self, page_id: str) -> str | None:
        """Whose page it is; None for one that the log does not have."""
        rows = self._database.ask(lines.PERSON_OF_PAGE, page=page_id)
        return str(rows[0][0]) if rows else None

    def silent_since(self, beginning: str, at: float) -> tuple[str, ...]:
        """Those whose name begins so, and of whom nothing is newer than a time."""
        last = sql.func.max(events.c.at)
        query = sql.select(events.c.user).where(
            events.c.user.startswith(beginning, autoescape=True)
        )
        with self._database.read() as connection:
            users = connection.scalars(query.group_by(events.c.user).having(last < at))
            return tuple(sorted(users))

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

    def last_snapshot(self) -> tuple[int, Spec, dict[str, Array]] | None:
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
        body: Spec,
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
        words = [word.encode() for word in (kind, user, session_id, page_id, text)]
        chain.append(self._connection, Line._make([self.last, at, *words, data, None]))
        if passing:
            queue(self._connection, self.last, at, len(words[-1]) + len(data))
        return self.last

    def claim(self, key: str, digest: str, *, at: float) -> str | None:
        """Keep that something was sent under a key; what it was, where it was sent before.

        Keys are forgotten after `CLAIM_SECONDS`.
        """
        rows = _CLAIMED.on(self._connection, key=key)
        if rows:
            return str(rows[0][0])
        _UNCLAIM.on(self._connection, before=at - CLAIM_SECONDS)
        _CLAIM.on(self._connection, key=key, said=digest, at=at)
        return None

    def of_user(self, user: str, kinds: Iterable[str]) -> list[Event]:
        """A user's events of some kinds, oldest first."""
        return lines.of_user(self._connection, user, kinds)

    def thin(self, keep: Retention, *, now: float, most: int = 8) -> None:
        """Let go of some of the pages that are older than is kept: more than one comes in."""
        thin(self._connection, keep, now=now, most=most)

    def snapshot(self, event_id: int, body: Spec, arrays: Arrays) -> None:
        """Keep the models as they are after an event; an older snapshot goes."""
        self._connection.execute(sql.delete(snapshots))
        self._connection.execute(
            sql.insert(snapshots),
            {"event": event_id, "body": dict(body), "arrays": bundles.to_bytes(arrays)},
        )

    def forget(self, user: str, kinds: Iterable[str]) -> int:
        """Delete everything a user did, and every snapshot that knew of it.

        The chain of events closes over the gap in the same transaction. Returns how many events of
        some kinds are gone with it.
        """
        count = self._connection.scalar(
            sql.select(sql.func.count()).where(events.c.user == user, events.c.kind.in_(kinds))
        )
        theirs = sql.select(events.c.event).where(events.c.user == user)
        chain.remove(self._connection, self._connection.scalars(theirs).all())
        self._connection.execute(sql.delete(set_aside).where(set_aside.c.user == user))
        self._connection.execute(sql.delete(tokens).where(tokens.c.user == user))
        self._connection.execute(sql.delete(snapshots))
        # With the same transaction: whoever opens the store after a crash knows what is left to do.
        set_(self._connection, _UNSCRUBBED, True)
        return int(count or 0)

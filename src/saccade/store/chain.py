"""The log as a chain: what each event says, and which one it follows.

    digest   of its number, time, kind, user, session, page, body and arrays
    link     of its number, the number of the event before, and its digest

An event that is missing is named by the one that followed it. Three things take events out rightly:
`forget`, pages that nobody spoke of once they are old, and damage put aside. Each does it by
`remove`, in whose transaction the event after names the one before: the chain tells of accidents,
and holds through what was meant.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import sqlalchemy as sql

from saccade.store import dialects, lines
from saccade.store.flaws import RESTORE, Flaw
from saccade.store.lines import Line
from saccade.store.prepared import Prepared
from saccade.store.tables import chain, events, meta, recent_pages, set_aside, snapshots

DAMAGED = "damaged"
"""The digest of an event that was damaged before there was a chain: nothing has it."""

_END = "end"  # among the settings: which event was the newest when the newest were removed
_MOST = 2**62  # numbers beyond are no count of events but damage, and few are left before the last

_ADD = Prepared(
    sql.insert(chain).values({name: sql.bindparam(name) for name in chain.c.keys()})  # noqa: SIM118
)
_BEFORE = Prepared(
    sql.select(sql.func.coalesce(sql.func.max(events.c.event), 0)).where(
        events.c.event < sql.bindparam("event")
    )
)
_AFTER = Prepared(
    sql.select(chain.c.event, chain.c.previous, chain.c.digest)
    .where(chain.c.event > sql.bindparam("event"))
    .order_by(chain.c.event)
    .limit(1)
)
_RELINK = Prepared(
    sql.update(chain)
    .where(chain.c.event == sql.bindparam("event"))
    .values(previous=sql.bindparam("before"), link=sql.bindparam("new"))
)
# Made once: every search takes a page or two out of a log that is full.
_SOME: sql.BindParameter[int] = sql.bindparam("some", expanding=True)
_PREVIOUS = sql.select(chain.c.event, chain.c.previous).where(chain.c.event.in_(_SOME))
_LEAVE = tuple(
    sql.delete(table).where(table.c.event.in_(_SOME)) for table in (events, chain, recent_pages)
)


def add(connection: sql.Connection, event_id: int, previous: int, digest: str) -> None:
    """Let an event follow another."""
    link = _link(event_id, previous, digest)
    _ADD.on(connection, event=event_id, previous=previous, digest=digest, link=link)


def append(connection: sql.Connection, line: Line) -> None:
    """Let a new event follow the newest."""
    ((previous,),) = _BEFORE.on(connection, event=line.event)
    add(connection, line.event, previous, lines.digest_of(line))


def remove(connection: sql.Connection, gone: Iterable[int]) -> None:
    """Take events out of the log; whatever followed them follows what was before them."""
    leaving = sorted(set(gone))
    before: dict[int, int] = {}
    for batch in dialects.batches(leaving):
        before |= dict(connection.execute(_PREVIOUS, {"some": batch}).all())
    for event_id in leaving:
        for after, previous, digest in _AFTER.on(connection, event=event_id):
            # What it names is what was said when it was written: another loss is told on.
            if after not in before and previous == event_id:
                first = event_id
                while first in before and before[first] < first:
                    first = before[first]
                _RELINK.on(connection, event=after, before=first, new=_link(after, first, digest))
    for batch in dialects.batches(leaving):
        for leave in _LEAVE:
            connection.execute(leave, {"some": batch})
    if leaving and leaving[-1] > _newest(connection):
        note_end(connection)


def note_end(connection: sql.Connection) -> None:
    """Remember that the newest event is rightly not the one with the last number."""
    number = dialects.of(connection).last_number(connection, events.name)
    connection.execute(sql.delete(meta).where(meta.c.key == _END))
    value = json.dumps({"number": number, "newest": _newest(connection)})
    connection.execute(sql.insert(meta), {"key": _END, "value": value})


def put_aside(connection: sql.Connection, damaged: Sequence[int]) -> None:
    """Take damaged events out of the log; a table of their own keeps them as they are."""
    for event_id in damaged:
        query = sql.select(*events.c).where(events.c.event == event_id)
        connection.execute(sql.delete(set_aside).where(set_aside.c.event == event_id))
        connection.execute(sql.insert(set_aside).from_select(events.c.keys(), query))
    remove(connection, damaged)
    connection.execute(sql.delete(snapshots))


# -- what is wrong, and mending it ---------------------------------------------------------------


def damaged(connection: sql.Connection) -> list[int]:
    """Events that are not what was written; nobody learns from them."""
    rows = connection.execute(lines.LINES.order_by(events.c.event))
    return [row.event for row in rows if lines.event_of(Line._make(row)) is None]


def flaws(connection: sql.Connection) -> Iterator[Flaw]:
    """Whatever is wrong with the log."""
    for event_id in damaged(connection):
        problem = "is not what was written; nobody learns from it"
        yield Flaw(f"event {event_id}", problem, "would be put aside, kept as it is")
    yield from _broken(connection)
    number = dialects.of(connection).last_number(connection, events.name)
    newest = _newest(connection)
    if number >= _MOST:
        problem = f"its next event would have the number {number + 1}, which cannot be"
        yield Flaw("log", problem, "would be numbered on from the newest event")
    elif newest != _expected(connection, number):
        problem = f"ends with event {newest}, though event {number} was written"
        yield Flaw("log", problem, RESTORE, mendable=False)


def mend(connection: sql.Connection) -> None:
    """Put damaged events aside, give every event its checksum, and go on with those there are."""
    put_aside(connection, damaged(connection))
    connection.execute(sql.delete(chain).where(chain.c.event.not_in(sql.select(events.c.event))))
    previous = 0
    for row in connection.execute(_CHAINED.order_by(events.c.event)).all():
        digest = row.digest
        if digest is None:
            line = connection.execute(lines.LINES.where(events.c.event == row.event)).one()
            add(connection, row.event, previous, lines.digest_of(Line._make(line)))
        elif (row.previous, row.link) != (previous, _link(row.event, previous, digest)):
            link = _link(row.event, previous, digest)
            _RELINK.on(connection, event=row.event, before=previous, new=link)
        previous = row.event
    if dialects.of(connection).last_number(connection, events.name) >= _MOST:
        last = connection.scalar(sql.select(sql.func.max(set_aside.c.event))) or 0
        number = max(previous, last if last < _MOST else 0)
        dialects.of(connection).skip_to(connection, events.name, number)
    note_end(connection)


_CHAINED = sql.select(events.c.event, chain.c.previous, chain.c.digest, chain.c.link).select_from(
    events.outerjoin(chain, chain.c.event == events.c.event)
)


def _broken(connection: sql.Connection) -> Iterator[Flaw]:
    """Events that are missing, out of their place, or without a checksum."""
    there = sql.select(events.c.event)
    lost = set(connection.scalars(sql.select(chain.c.event).where(chain.c.event.not_in(there))))
    bare, previous = [], 0
    for row in connection.execute(_CHAINED.order_by(events.c.event)):
        if row.digest is None:
            bare.append(row.event)
        elif row.link != _link(row.event, row.previous, row.digest):
            problem = "its place in the log is not what was written"
            yield Flaw(f"event {row.event}", problem, "would follow the event before it")
        elif row.previous != previous:
            lost.add(row.previous)
        previous = row.event
    for event_id in sorted(lost - {0}):
        yield Flaw(f"event {event_id}", "is missing from the log", RESTORE, mendable=False)
    for first, last in _runs(bare):
        place = f"event {first}" if first == last else f"events {first} to {last}"
        yield Flaw(place, "without a checksum", "would get one, as it is")


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Numbers that follow each other, as first and last.

    >>> list(_runs([1, 2, 3, 7]))
    [(1, 3), (7, 7)]
    """
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        stretch = [number for _, number in run]
        yield stretch[0], stretch[-1]


def _newest(connection: sql.Connection) -> int:
    ((newest,),) = lines.NEWEST.on(connection)
    return int(newest)


def _expected(connection: sql.Connection, number: int) -> int:
    """The number that the newest event should have."""
    text = connection.scalar(sql.select(meta.c.value).where(meta.c.key == _END))
    try:
        end = json.loads(text or "{}")
        return int(end["newest"]) if end["number"] == number else number
    except (ValueError, KeyError, TypeError):
        return number


def _link(event_id: int, previous: int, digest: str) -> str:
    try:
        return lines.digest(struct.pack("<qq", event_id, previous), digest.encode())
    except (AttributeError, TypeError, UnicodeError, struct.error):
        return ""  # of what is no number or no text, which nothing was ever linked by

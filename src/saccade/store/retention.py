"""Which pages the log keeps: the newest, by age and by bytes, and each that somebody spoke of.

A page nobody reacted to teaches nothing, yet it is most of what a log holds. They queue by age in a
table of their own, each with the bytes of all pages up to it; whichever is at the head and too old,
or has too many bytes behind it, leaves the queue, and the log unless another event names its page.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sql

from saccade.store import chain
from saccade.store.prepared import Prepared
from saccade.store.tables import events, recent_pages

# The bytes of all pages up to the newest, found without looking at the others.
_THROUGH = sql.func.coalesce(
    sql.select(recent_pages.c.through)
    .order_by(recent_pages.c.event.desc())
    .limit(1)
    .scalar_subquery(),
    0,
)
_QUEUE = Prepared(
    sql.insert(recent_pages).values(
        event=sql.bindparam("event"),
        at=sql.bindparam("at"),
        through=_THROUGH + sql.bindparam("size", type_=sql.BigInteger),
    )
)
_HEAD = sql.select(recent_pages).order_by(recent_pages.c.event).limit(sql.bindparam("most"))
_OLDEST = _HEAD.subquery()
_DUE = Prepared(
    sql.select(_OLDEST.c.event)
    .where(
        (_OLDEST.c.at < sql.bindparam("before"))
        | (_OLDEST.c.through <= _THROUGH - sql.bindparam("size", type_=sql.BigInteger))
    )
    .order_by(_OLDEST.c.event)
)
# Made once: a search that lets go of a page would else spend more on making them than on the page.
_SOME: sql.BindParameter[int] = sql.bindparam("some", expanding=True)
_OTHER = events.alias()
_SILENT = sql.select(events.c.event).where(
    events.c.event.in_(_SOME),
    ~sql.exists().where(_OTHER.c.page == events.c.page, _OTHER.c.event != events.c.event),
)
_LEAVE = sql.delete(recent_pages).where(recent_pages.c.event.in_(_SOME))


@dataclass(frozen=True, slots=True)
class Retention:
    """How long the log keeps a page that nobody reacted to: both bounds hold."""

    seconds: float
    size: int
    """Bytes of such pages, all together."""


def queue(connection: sql.Connection, event_id: int, at: float, size: int) -> None:
    """A page was shown."""
    _QUEUE.on(connection, event=event_id, at=at, size=size)


def thin(connection: sql.Connection, keep: Retention, *, now: float, most: int) -> int:
    """Let go of at most so many of the oldest pages; returns how many left the queue."""
    rows = _DUE.on(connection, most=most, before=now - keep.seconds, size=keep.size)
    due = [event_id for (event_id,) in rows]
    if not due:
        return 0
    chain.remove(connection, connection.scalars(_SILENT, {"some": due}).all())
    connection.execute(_LEAVE, {"some": due})
    return len(due)

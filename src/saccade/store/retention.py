"""Which pages the log keeps: the newest, by age and by bytes, and each that somebody spoke of.

A page nobody reacted to teaches nothing, yet it is most of what a log holds. They queue by age in a
table of their own, each with the bytes of all pages up to it; whichever is at the head and too old,
or has too many bytes behind it, leaves the queue, and the log unless another event names its page.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sql

from saccade.store.database import checksums, event_name, events, recent_pages


@dataclass(frozen=True, slots=True)
class Retention:
    """How long the log keeps a page that nobody reacted to: both bounds hold."""

    seconds: float
    size: int
    """Bytes of such pages, all together."""


def queue(connection: sql.Connection, event_id: int, at: float, size: int) -> None:
    """A page was shown."""
    through = _through(connection) + size
    row = {"event": event_id, "at": at, "through": through}
    connection.execute(sql.insert(recent_pages), row)


def thin(connection: sql.Connection, keep: Retention, *, now: float, most: int) -> int:
    """Let go of at most so many of the oldest pages; returns how many left the queue."""
    newest = _through(connection)
    oldest = sql.select(recent_pages).order_by(recent_pages.c.event).limit(most)
    due = [
        row.event
        for row in connection.execute(oldest)
        if row.at < now - keep.seconds or row.through <= newest - keep.size
    ]
    if not due:
        return 0
    other = events.alias()
    spoken_of = sql.exists().where(other.c.page == events.c.page, other.c.event != events.c.event)
    silent = sql.select(events.c.event).where(events.c.event.in_(due), ~spoken_of)
    gone = connection.scalars(silent).all()
    names = [event_name(event_id) for event_id in gone]
    connection.execute(sql.delete(checksums).where(checksums.c.file.in_(names)))
    connection.execute(sql.delete(events).where(events.c.event.in_(gone)))
    connection.execute(sql.delete(recent_pages).where(recent_pages.c.event.in_(due)))
    return len(due)


def _through(connection: sql.Connection) -> int:
    """The bytes of all pages up to the newest, found without looking at the others."""
    newest = sql.select(recent_pages.c.through).order_by(recent_pages.c.event.desc()).limit(1)
    return int(connection.scalar(newest) or 0)

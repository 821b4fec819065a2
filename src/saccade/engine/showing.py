"""Ranking a session, logging what is shown, returning it: the end of every round."""

from __future__ import annotations

import time
from dataclasses import replace

from saccade.engine.answers import Traits
from saccade.engine.events import Entry, Feedback, Shown
from saccade.engine.learning.log import Writer
from saccade.engine.opened import OpenStore, Resumed
from saccade.engine.searching.page import check_k, ranked
from saccade.engine.searching.session import Session, record
from saccade.errors import StoreError
from saccade.feedback.preferences import Judged
from saccade.types import Page

__all__ = ["check_k", "learn", "show_again", "show_first"]


def show_first(opened: OpenStore, session: Session, *, k: int, began: float) -> Page:
    """The first page of a session that has just begun: nobody can have marked anything in it."""
    return _show(opened, session, Judged(), k=k, round=0, began=began)


def show(opened: OpenStore, session: Session, *, k: int, round: int, began: float) -> Page:
    """Rank, log what is shown, return it."""
    # From the log and not from a page: another tab may have marked since.
    judged = opened.marks.of(session.user, session.session_id).judged
    return _show(opened, session, judged, k=k, round=round, began=began)


def _show(
    opened: OpenStore, session: Session, judged: Judged, *, k: int, round: int, began: float
) -> Page:
    models = opened.learning.catch_up()
    fits = opened.scales.fitting(session.collection, models, session.traits, session.user)
    page, opinions, places = ranked(session, models, k=k, round=round, judged=judged, fits=fits)
    opened.dropped.update(page.dropped)
    images = tuple(hit.image_id for hit in page.hits)
    seen = record(
        session, images=images, model=page.model, round=round, judged=judged,
        opinions=opinions, places=places,
    )  # fmt: skip

    def write(writer: Writer) -> Entry:
        return writer.append(
            seen,
            at=opened.clock(),
            user=session.user,
            session_id=session.session_id,
            page_id=page.page_id,
        )

    unlogged = ""
    try:
        opened.learning.note(write)
    # A log that is busy, or a disk that is full, is no reason not to find anything.
    except StoreError as error:
        unlogged = error.short
        opened.unlogged += 1
    opened.sessions.put(session)
    return replace(page, unlogged=unlogged, seconds=time.perf_counter() - began)


def learn(opened: OpenStore, on: Resumed, said: Feedback, k: int | None, began: float) -> Page:
    """Keep what was said about a page, learn from it, and rank the page anew."""
    size = len(on.shown.images) if k is None else check_k(k)
    opened.learning.say(said, on.entry, at=opened.clock())
    return show(opened, on.session, k=size, round=on.shown.round + 1, began=began)


def show_again(
    opened: OpenStore, entry: Entry, shown: Shown, *, k: int, traits: Traits | None = None
) -> Page:
    """A page again, ranked by what is known now, perhaps with other wishes about attributes."""
    began = time.perf_counter()
    session = opened.session(entry, shown)
    if traits is not None:
        session = replace(session, traits=traits)
    return show(opened, session, k=k, round=shown.round, began=began)

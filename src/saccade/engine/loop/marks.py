"""What a session has said so far: the marks that stand, looked up in the log.

A page is one look at a session, and a session may have several: two tabs, a page that was kept.
So what stands is read from the session's events and not from the page at hand; an event that was
taken back is as if it had never been, and the newer word on a picture counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from saccade.engine.cache import Cache
from saccade.engine.events import Entry, Feedback, Preferred, Reacted, TakenBack
from saccade.engine.opened import OpenStore
from saccade.engine.opinions import on_page
from saccade.feedback.preferences import Judged, Pair

KINDS = (Reacted.kind, Preferred.kind, TakenBack.kind)
SESSIONS = 256


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks that stand, and what the experts said of each picture before its first mark."""

    judged: Judged = field(default_factory=Judged)
    before: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    by: Mapping[str, int] = field(default_factory=dict)  # image -> the event that marked it
    pairs: Mapping[Pair, tuple[int, ...]] = field(default_factory=dict)  # the events of each

    def after(self, event: Feedback, event_id: int) -> Marks:
        """The marks after one more event."""
        judged_by, marks = event.heard(), event.marks()
        opinions = {} if judged_by is None else on_page(judged_by.images, judged_by.opinions)
        before = {**opinions, **self.before}
        if isinstance(event, Preferred):
            pair = (event.better, event.worse)
            pairs = {p: events for p, events in self.pairs.items() if p not in (pair, pair[::-1])}
            pairs[pair] = (*self.pairs.get(pair, ()), event_id)
            return Marks(replace(self.judged, preferred=tuple(pairs)), before, self.by, pairs)
        new = {*marks.liked, *marks.disliked, *marks.cleared}
        earlier = self.judged
        judged = Judged(
            (*(image for image in earlier.liked if image not in new), *marks.liked),
            (*(image for image in earlier.disliked if image not in new), *marks.disliked),
            earlier.preferred,
        )
        by = {image: event for image, event in self.by.items() if image not in new}
        by |= dict.fromkeys((*marks.liked, *marks.disliked), event_id)
        return Marks(judged, before, by, self.pairs)

    def replaced(self, images: Iterable[str]) -> tuple[int, ...]:
        """Events that have no mark left standing when these pictures are spoken of anew."""
        new = set(images)
        touched = {self.by[image] for image in new if image in self.by}
        left = {event for image, event in self.by.items() if image not in new}
        return tuple(sorted(touched - left))


def standing(entries: Iterable[Entry], start: Marks | None = None) -> Marks:
    """The marks that a session's events leave."""
    entries = list(entries)
    undone = {e.record.event_id for e in entries if isinstance(e.record, TakenBack)}
    marks = start or Marks()
    for one in entries:
        if isinstance(one.record, Feedback) and one.event_id not in undone:
            marks = marks.after(one.record, one.event_id)
    return marks


class SessionMarks:
    """The marks of the sessions used last, kept up with the log.

    `kinds` are the events that mark, and what takes them back.
    """

    def __init__(self, opened: OpenStore, kinds: Sequence[str] = KINDS) -> None:
        self._log, self._kinds, self._wanted = opened.store.log, opened.tables.kinds, kinds
        self._recent: Cache[str, tuple[int, Marks]] = opened.keep(
            Cache(SESSIONS), of_collection=False
        )
        self._lock = Lock()

    def of(self, user: str, session_id: str) -> Marks:
        """What stands in a session now, whichever process or tab said it."""
        with self._lock:
            seen, marks = self._recent.get(session_id) or (0, Marks())
            new = self._read(user, session_id, seen)
            if seen and any(isinstance(e.record, TakenBack) for e in new):
                seen, marks = 0, Marks()
                new = self._read(user, session_id, 0)
            if new:
                seen, marks = new[-1].event_id, standing(new, marks)
            self._recent.put(session_id, (seen, marks))
            return marks

    def _read(self, user: str, session_id: str, after: int) -> list[Entry]:
        lines = self._log.of_session(user, session_id, self._wanted, after=after)
        return [self._kinds.entry(line) for line in lines]

"""What a session has said so far: the marks that stand, looked up in the log.

A page is one look at a session, and a session may have several: two tabs, a page that was kept.
So what stands is read from the session's events and not from the page at hand; an event that was
taken back is as if it had never been, and the newer word on a picture counts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from saccade.engine.events import Entry, Preferred, Reacted, Undone, entry
from saccade.engine.evidence import on_page
from saccade.feedback.preferences import Judged, Pair
from saccade.store.events import Log

KINDS = ("reacted", "preferred", "undone")
SESSIONS = 256


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks that stand, and what the experts said of each picture before its first mark."""

    judged: Judged = field(default_factory=Judged)
    known: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    by: Mapping[str, int] = field(default_factory=dict)  # image -> the event that marked it
    pairs: Mapping[Pair, tuple[int, ...]] = field(default_factory=dict)  # the events of each

    def after(self, said: Reacted | Preferred, event_id: int) -> Marks:
        """The marks after one more event."""
        proof = said.evidence
        before = {} if proof is None else on_page(proof.images, proof.opinions)
        known = {**before, **self.known}
        if isinstance(said, Preferred):
            pair = (said.better, said.worse)
            pairs = {p: events for p, events in self.pairs.items() if p not in (pair, pair[::-1])}
            pairs[pair] = (*self.pairs.get(pair, ()), event_id)
            return Marks(replace(self.judged, preferred=tuple(pairs)), known, self.by, pairs)
        new = {*said.liked, *said.disliked, *said.cleared}
        earlier = self.judged
        judged = Judged(
            (*(image for image in earlier.liked if image not in new), *said.liked),
            (*(image for image in earlier.disliked if image not in new), *said.disliked),
            earlier.preferred,
        )
        by = {image: event for image, event in self.by.items() if image not in new}
        by |= dict.fromkeys((*said.liked, *said.disliked), event_id)
        return Marks(judged, known, by, self.pairs)

    def replaced(self, said: Iterable[str]) -> tuple[int, ...]:
        """Events that have no mark left standing when these pictures are spoken of anew."""
        new = set(said)
        touched = {self.by[image] for image in new if image in self.by}
        left = {event for image, event in self.by.items() if image not in new}
        return tuple(sorted(touched - left))


def standing(entries: Iterable[Entry], start: Marks | None = None) -> Marks:
    """The marks that a session's events leave."""
    entries = list(entries)
    undone = {e.record.event_id for e in entries if isinstance(e.record, Undone)}
    marks = start or Marks()
    for one in entries:
        if isinstance(one.record, Reacted | Preferred) and one.event_id not in undone:
            marks = marks.after(one.record, one.event_id)
    return marks


class SessionMarks:
    """The marks of the sessions used last, kept up with the log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._kept: OrderedDict[str, tuple[int, Marks]] = OrderedDict()
        self._lock = Lock()

    def of(self, user: str, session_id: str) -> Marks:
        """What stands in a session now, whichever process or tab said it."""
        with self._lock:
            seen, marks = self._kept.pop(session_id, (0, Marks()))
            new = self._read(user, session_id, seen)
            if seen and any(isinstance(e.record, Undone) for e in new):
                seen, marks = 0, Marks()
                new = self._read(user, session_id, 0)
            if new:
                seen, marks = new[-1].event_id, standing(new, marks)
            self._kept[session_id] = seen, marks
            while len(self._kept) > SESSIONS:
                self._kept.popitem(last=False)
            return marks

    def clear(self) -> None:
        """Keep nothing: someone was forgotten."""
        with self._lock:
            self._kept.clear()

    def _read(self, user: str, session_id: str, after: int) -> list[Entry]:
        return [entry(e) for e in self._log.of_session(user, session_id, KINDS, after=after)]

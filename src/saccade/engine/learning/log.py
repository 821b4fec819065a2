"""Live models: the fold over the log kept up to date, and taken back when a user says so.

Several processes may serve one store. Each keeps its own models and reads what the others appended
before it appends itself, so all fold the same events in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock, RLock

from saccade.engine.events import (
    FEEDBACK,
    FOLDED,
    MOVING,
    Entry,
    Record,
    Replacing,
    Shown,
    Undone,
    entry,
    void,
)
from saccade.engine.learning.fold import Models
from saccade.engine.recipe import Recipe
from saccade.errors import StoreError, StoreLocked
from saccade.store.events import Appender, Log, Retention

Since = Callable[[int], list[Entry]]

# A checkpoint costs some kilobytes; without one, undo folds the log from its beginning.
EVENTS_A_CHECKPOINT = 64
CHECKPOINTS = 16
EVENTS_A_SNAPSHOT = 256

PATIENCE = 3.0
"""Seconds that a search waits to be logged; while the log stays busy, only `HURRY`."""
HURRY = 0.25


class Learning:
    """The models of one store, in this process."""

    def __init__(self, log: Log, recipe: Recipe) -> None:
        self._log = log
        self._recipe = recipe
        self._lock = RLock()
        self._writing = Lock()
        self._checkpoints: list[Models] = []
        self._void: set[int] = set()
        self._seen = 0  # the last event taken in, of whatever kind
        self._unsaved = 0
        self._patience = PATIENCE
        self.keep = kept(recipe)
        self.models = self._restored()
        self.catch_up()

    def catch_up(self, *, wait: bool = False) -> Models:
        """Take in what was appended since; returns the models, which must not be changed.

        While somebody writes, these are the models as they were before: reading never waits,
        unless it says so.
        """
        if not self._lock.acquire(blocking=wait):
            return self.models
        try:
            # Ids grow in the order of commits, so whatever is up to the newest is there to be
            # read; and pages, which are most of the log, are passed over once and not each time.
            newest = self._log.last()
            if newest > self._seen:
                since = _reading(self._log)
                self._adopt(since(self._seen), since)
                self._seen = max(self._seen, newest)
            return self.models
        finally:
            self._lock.release()

    def append(self, write: Callable[[Writer], Entry]) -> Entry:
        """Append one event durably, then learn from it. Others' events come first."""
        (new,) = self.append_all(lambda writer: [write(writer)])
        return new

    def append_all(self, write: Callable[[Writer], list[Entry]]) -> list[Entry]:
        """Append several events, all of them or none, then learn from them."""
        with self._lock:
            with self._turn(), self._log.appending() as appender:
                since = _reading(appender)
                self._adopt(since(self._seen), since)
                new = write(Writer(appender))
            # Durable now. Learning cannot fail on input: it was checked before it was written.
            self._adopt(new, _reading(self._log))
            self._save_sometimes()
            return new

    def say(self, record: Record, about: Entry, *, at: float) -> Entry:
        """Append what a person says about a page, then learn from it."""
        return self.append(
            lambda writer: writer.append(
                record,
                at=at,
                user=about.user,
                session_id=about.session_id,
                page_id=about.page_id,
            )
        )

    def note(self, write: Callable[[Writer], Entry]) -> Entry:
        """Append one event that teaches nothing, without waiting for the disk.

        Who cannot write it soon raises a StoreError; old pages nobody spoke of make room.
        """
        try:
            with (
                self._turn(self._patience),
                self._log.appending(synced=False, patience=self._patience) as appender,
            ):
                new = write(Writer(appender))
                appender.thin(self.keep, now=new.at)
        except StoreError:
            self._patience = HURRY
            raise
        self._patience = PATIENCE
        if self._lock.acquire(blocking=False):
            # Next after what is known: nothing came between that one would have to look for.
            self._seen += new.event_id == self._seen + 1
            self._lock.release()
        return new

    @contextmanager
    def _turn(self, patience: float = -1.0) -> Iterator[None]:
        """Threads of this process write one after the other.

        They would all the same, but whoever waits for the database looks only now and then whether
        it is free, and may find it taken each time.
        """
        if not self._writing.acquire(timeout=patience):
            raise StoreLocked("other threads of this process are writing")
        try:
            yield
        finally:
            self._writing.release()

    def replay(self) -> str:
        """Fold the whole log again and go on with the result. Returns its digest."""
        with self._lock:
            self._restart(_reading(self._log)(0))
            return self.models.digest()

    @classmethod
    def folded(cls, log: Log, recipe: Recipe) -> Models:
        """The models the whole log gives, built aside."""
        models = Models(recipe)
        entries = _reading(log)(0)
        gone = void(entries)
        for live in entries:
            if live.kind in FOLDED and live.event_id not in gone:
                models.apply(live)
        return models

    def save(self) -> None:
        """Keep the models beside the log, so that the next start is quick."""
        with self._lock:
            self.catch_up(wait=True)
            if self._unsaved:
                with self._turn(), self._log.appending(synced=False) as appender:
                    # Someone forgotten a moment ago must not come back in a snapshot.
                    since = _reading(appender)
                    self._adopt(since(self._seen), since)
                    appender.snapshot(self._seen, *self.models.dump())
                self._unsaved = 0

    # -- the fold ------------------------------------------------------------------------------

    def _adopt(self, entries: Sequence[Entry], since: Since) -> None:
        """Apply new events; one that takes back an old one folds again from before it."""
        if not entries:
            return
        touched = _touched(entries, since)
        if any(new.kind == "forgotten" for new in entries):
            self._restart(since(0))
        elif touched <= {new.event_id for new in entries}:
            self._void |= void(entries)
            # A new object: whoever ranks a page now keeps the models they began with.
            self._fold(self.models.copy(), entries)
        else:
            first = min(touched)
            self._checkpoints = [c for c in self._checkpoints if c.event_id < first]
            base = self._checkpoints[-1].copy() if self._checkpoints else Models(self._recipe)
            entries = since(base.event_id)
            # What takes an event back comes after it, so this finds every void one from here on.
            self._void = {e for e in self._void if e <= base.event_id} | void(entries)
            self._fold(base, entries)

    def _restart(self, entries: Sequence[Entry]) -> None:
        self._checkpoints = []
        self._void = void(entries)
        self._fold(Models(self._recipe), entries)

    def _fold(self, models: Models, entries: Sequence[Entry]) -> None:
        for new in entries:
            if new.kind in FOLDED and new.event_id not in self._void:
                models.apply(new)
                self._unsaved += 1
                newest = self._checkpoints[-1].event_id if self._checkpoints else 0
                if new.event_id >= newest + EVENTS_A_CHECKPOINT:
                    self._checkpoints = [*self._checkpoints[-CHECKPOINTS + 1 :], models.copy()]
            self._seen = max(self._seen, new.event_id)
        self.models = models

    # -- the snapshot --------------------------------------------------------------------------

    def _restored(self) -> Models:
        try:
            found = self._log.last_snapshot()
            if found is None:
                return Models(self._recipe)
            seen, body, arrays = found
            models = Models.load(self._recipe, body, arrays)
        except StoreError:
            raise
        # Whatever is wrong with a snapshot, damage or age: the log has everything.
        except Exception:
            return Models(self._recipe)
        self._seen = seen
        self._checkpoints = [models.copy()]
        return models

    def _save_sometimes(self) -> None:
        if self._unsaved >= EVENTS_A_SNAPSHOT:
            self.save()


class Writer:
    """Appends typed events within one transaction."""

    def __init__(self, appender: Appender) -> None:
        self._appender = appender

    def append(
        self, record: Record, *, at: float, user: str, session_id: str = "", page_id: str = ""
    ) -> Entry:
        """Add one line; it is durable when the transaction has ended."""
        body, arrays = record.encode()
        event_id = self._appender.append(
            record.kind,
            at=at,
            user=user,
            session_id=session_id,
            page_id=page_id,
            body=body,
            arrays=arrays,
            passing=isinstance(record, Shown),
        )
        return Entry(event_id, at, user, session_id, page_id, record)

    def live_feedback(self, user: str) -> list[Entry]:
        """A user's feedback that is not taken back, oldest first."""
        return live_feedback(of_user(self._appender, user))

    def forget(self, user: str) -> int:
        """Delete everything a user did; returns how much feedback is gone."""
        return self._appender.forget(user, FEEDBACK)


def kept(recipe: Recipe) -> Retention:
    """How long pages nobody reacted to are kept."""
    keep = recipe.retention
    return Retention(keep["days"] * 86_400.0, round(keep["megabytes"] * 2**20))


def of_user(log: Log | Appender, user: str) -> list[Entry]:
    """A user's feedback and what was taken back, oldest first."""
    return [entry(line) for line in log.of_user(user, MOVING)]


def live_feedback(entries: Iterable[Entry]) -> list[Entry]:
    """Of these events, the feedback that is not taken back."""
    entries = list(entries)
    gone = void(entries)
    return [e for e in entries if e.kind in FEEDBACK and e.event_id not in gone]


def _reading(log: Log | Appender) -> Since:
    return lambda event_id: [entry(line) for line in log.since(event_id, MOVING)]


def _touched(entries: Sequence[Entry], since: Since) -> set[int]:
    """Events that these make void, and those they bring back by undoing what had made them so."""
    touched = void(entries)
    undone = {e.record.event_id for e in entries if isinstance(e.record, Undone)}
    if not undone:
        return touched
    known = since(min(undone) - 1)
    back = (e.record for e in known if e.event_id in undone)
    return touched.union(*(one.replaces for one in back if isinstance(one, Replacing)))

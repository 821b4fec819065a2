"""Live models: the fold over the log kept up to date, and taken back when a user says so.

Several processes may serve one store. Each keeps its own models and reads what the others appended
before it appends itself, so all fold the same events in the same order.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock, RLock

from saccade import trace
from saccade.engine.events import (
    Entry,
    EventKinds,
    Feedback,
    PersonForgotten,
    Record,
    Shown,
    TakenBack,
    void,
)
from saccade.engine.learning.fold import FOLDS, FoldTable, Models
from saccade.engine.names import check_name
from saccade.engine.recipe import Recipe
from saccade.errors import KeyReused, StoreError, StoreLocked
from saccade.store.events import Appender, Log, Retention

log = logging.getLogger(__name__)

Since = Callable[[int], list[Entry]]

# A checkpoint costs some kilobytes; without one, undo folds the log from its beginning.
EVENTS_A_CHECKPOINT = 64
CHECKPOINTS = 16
EVENTS_A_SNAPSHOT = 256

LONGEST_KEY = 200
"""Characters of a key that a client gives."""
PATIENCE = 3.0
"""Seconds that a search waits to be logged; while the log stays busy, only `HURRY`."""
HURRY = 0.25


def _nothing() -> None:
    pass


class Learning:
    """The models of one store, in this process.

    `kinds` are the events it understands and `folds` what is learned from them; `forgot` is called
    when somebody was forgotten, here or by another process.
    """

    def __init__(
        self,
        log: Log,
        recipe: Recipe,
        kinds: EventKinds,
        folds: FoldTable = FOLDS,
        *,
        forgot: Callable[[], None] = _nothing,
    ) -> None:
        self._log = log
        self._recipe = recipe
        self.kinds, self._folds, self._forgot = kinds, folds, forgot
        self._lock = RLock()
        self._writing = Lock()
        self._checkpoints: list[Models] = []
        self._void: set[int] = set()
        self._seen = 0  # the last event taken in, of whatever kind
        self._unsaved = 0
        self._patience = PATIENCE
        self.retention = retention(recipe)
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
                since = self._reading(self._log)
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
                since = self._reading(appender)
                self._adopt(since(self._seen), since)
                new = write(Writer(appender, self.kinds))
            # Durable now. Learning cannot fail on input: it was checked before it was written.
            self._adopt(new, self._reading(self._log))
            self._save_sometimes()
            return new

    def note(self, shown: Record, *, at: float, user: str, session_id: str, page_id: str) -> None:
        """Append a page, which teaches nothing, without waiting for the disk.

        Who cannot write it soon raises a StoreError; old pages nobody spoke of make room.
        """
        body, arrays = shown.encode()
        try:
            with (
                self._turn(self._patience),
                self._log.appending(synced=False, patience=self._patience) as appender,
            ):
                event_id = appender.append(
                    shown.kind,
                    at=at,
                    user=user,
                    session_id=session_id,
                    page_id=page_id,
                    body=body,
                    arrays=arrays,
                    passing=True,
                )
                appender.thin(self.retention, now=at)
        except StoreError:
            self._patience = HURRY
            raise
        self._patience = PATIENCE
        if self._lock.acquire(blocking=False):
            # Next after what is known: nothing came between that one would have to look for.
            self._seen += event_id == self._seen + 1
            self._lock.release()

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
            self._restart(self._reading(self._log)(0))
            return self.models.digest()

    def folded(self) -> Models:
        """The models the whole log gives, built aside."""
        models = self._blank()
        entries = self._reading(self._log)(0)
        gone = void(entries)
        for live in entries:
            if live.record.folded and live.event_id not in gone:
                models.apply(live)
        return models

    def claimed(self, claim: KeyClaim | None) -> bool:
        """Whether this was sent before.

        Raises:
            KeyReused: something else was, under its key.
        """
        before = None if claim is None else self._log.claimed(claim.key)
        if claim is not None:
            claim.check(before)
        return before is not None

    def entry(self, page_id: str, kind: str = Shown.kind) -> Entry | None:
        """The page with this id, as the log keeps it; of another kind than pages of pictures."""
        line = self._log.page(page_id, kind)
        return None if line is None else self.kinds.entry(line)

    def of_user(self, user: str) -> list[Entry]:
        """A user's feedback and what was taken back, oldest first."""
        return _of_user(self._log, user, self.kinds)

    def _blank(self) -> Models:
        return Models(self._recipe, self._folds)

    def _reading(self, log: Log | Appender) -> Since:
        kinds = self.kinds
        return lambda event_id: [kinds.entry(line) for line in log.since(event_id, kinds.moving)]

    def save(self) -> None:
        """Keep the models beside the log, so that the next start is quick."""
        with self._lock:
            self.catch_up(wait=True)
            if self._unsaved:
                with self._turn(), self._log.appending(synced=False) as appender:
                    # Someone forgotten a moment ago must not come back in a snapshot.
                    since = self._reading(appender)
                    self._adopt(since(self._seen), since)
                    appender.snapshot(self._seen, *self.models.dump())
                self._unsaved = 0

    # -- the fold ------------------------------------------------------------------------------

    def _adopt(self, entries: Sequence[Entry], since: Since) -> None:
        """Apply new events; one that takes back an old one folds again from before it."""
        if not entries:
            return
        touched = _touched(entries, since)
        if any(isinstance(new.record, PersonForgotten) for new in entries):
            self._restart(since(0))
            self._forgot()
        elif touched <= {new.event_id for new in entries}:
            self._void |= void(entries)
            # A new object: whoever ranks a page now keeps the models they began with.
            self._fold(self.models.copy(), entries)
        else:
            first = min(touched)
            self._checkpoints = [c for c in self._checkpoints if c.event_id < first]
            base = self._checkpoints[-1].copy() if self._checkpoints else self._blank()
            entries = since(base.event_id)
            # What takes an event back comes after it, so this finds every void one from here on.
            self._void = {e for e in self._void if e <= base.event_id} | void(entries)
            self._fold(base, entries)

    def _restart(self, entries: Sequence[Entry]) -> None:
        self._checkpoints = []
        self._void = void(entries)
        self._fold(self._blank(), entries)

    def _fold(self, models: Models, entries: Sequence[Entry]) -> None:
        for new in entries:
            if new.record.folded and new.event_id not in self._void:
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
            snapshot = self._log.last_snapshot()
            if snapshot is None:
                return self._blank()
            seen, body, arrays = snapshot
            models = Models.load(self._recipe, body, arrays, self._folds)
        except StoreError:
            raise
        # Whatever is wrong with a snapshot, damage or age: the log has everything.
        except Exception as error:
            trace.swallowed(log, error, doing="reading the snapshot of the models")
            return self._blank()
        self._seen = seen
        self._checkpoints = [models.copy()]
        return models

    def _save_sometimes(self) -> None:
        if self._unsaved >= EVENTS_A_SNAPSHOT:
            self.save()


@dataclass(frozen=True, slots=True)
class KeyClaim:
    """A key that somebody gave to what they send, so that it counts once however often it comes.

    Digests alone: a key may hold anything, and what is forgotten must not stay in it.
    """

    key: str
    digest: str

    @classmethod
    def of(cls, user: str, key: str | None, content: object) -> KeyClaim | None:
        """The claim of a person's key to what is said under it; None without a key."""
        if not key:
            return None
        check_name("key", key, longest=LONGEST_KEY)
        return cls(_digest([user, key]), _digest(content))

    def check(self, before: str | None) -> None:
        """Raise KeyReused where something else was said under the key before."""
        if before is not None and before != self.digest:
            raise KeyReused(
                "this key was sent before, with something else under it",
                hint="give every request a key of its own",
            )


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Writer:
    """Appends typed events within one transaction."""

    def __init__(self, appender: Appender, kinds: EventKinds) -> None:
        self._appender, self._kinds = appender, kinds

    def append(
        self, record: Record, *, at: float, user: str, session_id: str = "", page_id: str = ""
    ) -> Entry:
        """Add one line; it is durable when the transaction has ended."""
        return self._add(Entry(0, at, user, session_id, page_id, record), passing=False)

    def append_passing(
        self, record: Record, *, at: float, user: str, session_id: str = "", page_id: str = ""
    ) -> Entry:
        """Add one that may go when it is old and nobody spoke of its page."""
        return self._add(Entry(0, at, user, session_id, page_id, record), passing=True)

    def _add(self, entry: Entry, *, passing: bool) -> Entry:
        body, arrays = entry.record.encode()
        event_id = self._appender.append(
            entry.kind,
            at=entry.at,
            user=entry.user,
            session_id=entry.session_id,
            page_id=entry.page_id,
            body=body,
            arrays=arrays,
            passing=passing,
        )
        return replace(entry, event_id=event_id)

    def claim(self, claim: KeyClaim | None, *, at: float) -> bool:
        """Whether nothing was sent under a key before; from now on this was. None is no key.

        Raises:
            KeyReused: something else was.
        """
        before = None if claim is None else self._appender.claim(claim.key, claim.digest, at=at)
        if claim is not None:
            claim.check(before)
        return before is None

    def live_feedback(self, user: str) -> list[Entry]:
        """A user's feedback that is not taken back, oldest first."""
        return live_feedback(_of_user(self._appender, user, self._kinds))

    def not_taken_back(self, user: str) -> list[Entry]:
        """A user's feedback that they did not take back, what was replaced too, oldest first."""
        entries = _of_user(self._appender, user, self._kinds)
        undone = {e.record.event_id for e in entries if isinstance(e.record, TakenBack)}
        feedback = (e for e in entries if isinstance(e.record, Feedback))
        return [e for e in feedback if e.event_id not in undone]

    def forget(self, user: str) -> int:
        """Delete everything a user did; returns how much feedback is gone."""
        return self._appender.forget(user, self._kinds.feedback)


def retention(recipe: Recipe) -> Retention:
    """How long pages nobody reacted to are kept."""
    keep = recipe.retention
    return Retention(keep["days"] * 86_400.0, round(keep["megabytes"] * 2**20))


def _of_user(log: Log | Appender, user: str, kinds: EventKinds) -> list[Entry]:
    return [kinds.entry(line) for line in log.of_user(user, kinds.moving)]


def live_feedback(entries: Iterable[Entry]) -> list[Entry]:
    """Of these events, the feedback that is not taken back."""
    entries = list(entries)
    gone = void(entries)
    return [e for e in entries if isinstance(e.record, Feedback) and e.event_id not in gone]


def _touched(entries: Sequence[Entry], since: Since) -> set[int]:
    """Events that these make void, and those they bring back by undoing what had made them so."""
    touched = void(entries)
    undone = {e.record.event_id for e in entries if isinstance(e.record, TakenBack)}
    if not undone:
        return touched
    taken_back = (e.record for e in since(min(undone) - 1) if e.event_id in undone)
    return touched.union(*(record.voids() for record in taken_back))

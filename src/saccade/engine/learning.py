"""Live models: the fold over the log kept up to date, and taken back when a user says so.

Several processes may serve one store. Each keeps its own models and reads what the others appended
before it appends itself, so all fold the same events in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import RLock

from saccade.engine.models import Models
from saccade.engine.recipe import Recipe
from saccade.errors import StoreError
from saccade.store.events import FEEDBACK, Appender, Event, Log

# A checkpoint costs some kilobytes; without one, undo folds the log from its beginning.
EVENTS_A_CHECKPOINT = 64
CHECKPOINTS = 16
EVENTS_A_SNAPSHOT = 256


class Learning:
    """The models of one store, in this process."""

    def __init__(self, log: Log, recipe: Recipe) -> None:
        self._log = log
        self._recipe = recipe
        self._lock = RLock()
        self._checkpoints: list[Models] = []
        self._void: set[int] = set()
        self._seen = 0  # the last event taken in, of whatever kind
        self._unsaved = 0
        self.models = self._restored()
        self.catch_up()

    def catch_up(self) -> Models:
        """Take in what was appended since; returns the models, which must not be changed."""
        with self._lock:
            self._take(self._log.since(self._seen), self._log.since)
            return self.models

    def append(self, write: Callable[[Appender], Event]) -> Event:
        """Append one event durably, then learn from it. Others' events come first."""
        with self._lock:
            with self._log.appending() as appender:
                self._take(appender.since(self._seen), appender.since)
                event = write(appender)
            # Durable now. Learning cannot fail on input: it was checked before it was written.
            self._take([event], self._log.since)
            self._save_sometimes()
            return event

    def live_feedback(self, events: Iterable[Event]) -> list[Event]:
        """Of these events, the feedback that is not taken back."""
        events = list(events)
        void = _void(events)
        return [e for e in events if e.kind in FEEDBACK and e.event not in void]

    def replay(self) -> str:
        """Fold the whole log again and go on with the result. Returns its digest."""
        with self._lock:
            self._restart(self._log.since(0))
            return self.models.digest()

    @classmethod
    def folded(cls, log: Log, recipe: Recipe) -> Models:
        """The models the whole log gives, built aside."""
        events = log.since(0)
        void, models = _void(events), Models(recipe)
        for event in events:
            if event.kind in FEEDBACK and event.event not in void:
                models.apply(event)
        return models

    def save(self) -> None:
        """Keep the models beside the log, so that the next start is quick."""
        with self._lock:
            self.catch_up()
            if self._unsaved:
                with self._log.appending(synced=False) as appender:
                    # Someone forgotten a moment ago must not come back in a snapshot.
                    self._take(appender.since(self._seen), appender.since)
                    appender.snapshot(self._seen, *self.models.dump())
                self._unsaved = 0

    # -- the fold ------------------------------------------------------------------------------

    def _take(self, events: Sequence[Event], since: Callable[[int], list[Event]]) -> None:
        """Apply new events; one that takes back an old one folds again from before it."""
        if not events:
            return
        void = _void(events)
        if any(event.kind == "forgotten" for event in events):
            self._restart(since(0))
        elif void <= {event.event for event in events}:
            self._void |= void
            # A new object: whoever ranks a page now keeps the models they began with.
            self._fold(self.models.copy(), events)
        else:
            first = min(void)
            self._checkpoints = [c for c in self._checkpoints if c.event < first]
            base = self._checkpoints[-1].copy() if self._checkpoints else Models(self._recipe)
            events = since(base.event)
            # What takes an event back comes after it, so this finds every void one from here on.
            self._void |= _void(events)
            self._fold(base, events)

    def _restart(self, events: Sequence[Event]) -> None:
        self._checkpoints = []
        self._void = _void(events)
        self._fold(Models(self._recipe), events)

    def _fold(self, models: Models, events: Sequence[Event]) -> None:
        for event in events:
            if event.kind in FEEDBACK and event.event not in self._void:
                models.apply(event)
                self._unsaved += 1
                newest = self._checkpoints[-1].event if self._checkpoints else 0
                if event.event >= newest + EVENTS_A_CHECKPOINT:
                    self._checkpoints = [*self._checkpoints[-CHECKPOINTS + 1 :], models.copy()]
            self._seen = max(self._seen, event.event)
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


def _void(events: Iterable[Event]) -> set[int]:
    return {int(event.body["event"]) for event in events if event.kind == "undone"}

"""An open store: the collection as it is now, what is learned, the sessions under way."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import NamedTuple

import numpy as np

from saccade.engine import sources
from saccade.engine.collection import Collection
from saccade.engine.events import FEEDBACK, Entry, Shown, entry
from saccade.engine.learning.log import Learning, kept
from saccade.engine.learning.marks import Marks, SessionMarks
from saccade.engine.recipe import Recipe
from saccade.engine.searching.attributes import Scales
from saccade.engine.searching.session import Session, Sessions, resume
from saccade.errors import NotFound, Stopping, StoreError
from saccade.scale.local import cores
from saccade.store.store import Store
from saccade.types import Page


class Resumed(NamedTuple):
    """A page as the log keeps it, its session, and what that has said so far."""

    entry: Entry
    shown: Shown
    session: Session
    marks: Marks


class OpenStore:
    """What every part of the engine works on. Safe to use from many threads."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        warm: bool = True,
        clock: Callable[[], float] = time.time,
        seed: int | None = None,
    ) -> None:
        self.store = Store(path, create=create)
        self.clock = clock
        self.chance, self.drawing = np.random.default_rng(seed), Lock()  # choosers draw one by one
        self.pool = ThreadPoolExecutor(cores(), thread_name_prefix="saccade-scan")
        self.sessions = Sessions()
        self.scales = Scales()
        self.recipe = self._read_recipe()
        self.learning = Learning(self.store.log, self.recipe)
        self.marks = SessionMarks(self.store.log)
        self.dropped: Counter[str] = Counter()  # experts that failed on a page
        self.unlogged = 0  # pages shown that could not be logged
        self._interrupts = 0
        self._reloading = Lock()
        self._collection = sources.load(self.store, self.recipe)
        if warm:
            self.warm()

    def collection(self) -> Collection:
        """The collection as it is now; another process may have indexed."""
        if self.store.catalog.generation() == self._collection.generation:
            return self._collection
        with self._reloading:
            if self.store.catalog.generation() != self._collection.generation:
                self.reload()
            return self._collection

    def reload(self) -> None:
        """Read the collection anew."""
        self.recipe = self._read_recipe()
        self._collection = sources.load(self.store, self.recipe, self._collection)
        self.learning.keep = kept(self.recipe)
        # Each would keep the whole collection of before in memory; the log can build them again.
        self.sessions.clear()

    def shown(self, page: Page | str) -> tuple[Entry, Shown]:
        """What the log keeps of a page."""
        page_id = page if isinstance(page, str) else page.page_id
        line = self.store.log.page(page_id, Shown.kind)
        found = None if line is None else entry(line)
        if found is None or not isinstance(found.record, Shown):
            days = self.recipe.retention["days"]
            raise NotFound(
                f"no page {page_id!r} in the log, which keeps pages that nobody marked "
                f"for {days:g} days at most",
                hint="search again",
            )
        return found, found.record

    def session(self, of: Entry, shown: Shown) -> Session:
        """The session of a page: at hand, or built again from the log."""
        kept = self.sessions.get(of.session_id)
        if kept is None:
            kept = resume(of, shown, self.collection(), self.pool)
        return kept

    def resumed(self, page: Page | str) -> Resumed:
        """A page as the log keeps it, with its session and marks."""
        entry, shown = self.shown(page)
        marks = self.marks.of(entry.user, entry.session_id)
        return Resumed(entry, shown, self.session(entry, shown), marks)

    def failures(self) -> tuple[int, dict[str, int]]:
        """Pages shown that could not be logged; how often each expert failed and was left out."""
        return self.unlogged, dict(self.dropped)

    def users(self) -> tuple[str, ...]:
        """Everyone who gave feedback."""
        return self.store.log.users(FEEDBACK)

    def warm(self) -> None:
        """Load kernels, columns and descriptors now, so that the first search is as fast as any."""
        from saccade.engine.searching.warm import warm

        warm(self._collection, self.recipe, self.pool)

    def interrupt(self) -> None:
        """Ask the long jobs under way to end; those that begin later do not hear of it."""
        self._interrupts += 1

    def interruptible(self) -> Callable[[], None]:
        """What a long job calls now and then: it raises `Stopping` once it was asked to end."""
        before = self._interrupts

        def check() -> None:
            if self._interrupts != before:
                raise Stopping("this was stopped before its end", hint="what is made is kept")

        return check

    def close(self) -> None:
        """Keep a snapshot of the models and let go of the store."""
        with suppress(StoreError):  # a snapshot is only a shortcut; the log has everything
            self.learning.save()
        self.pool.shutdown()
        self.store.close()

    def _read_recipe(self) -> Recipe:
        kept = self.store.catalog.setting("recipe")
        if kept is not None:
            return Recipe.from_json(kept)
        recipe = Recipe.default()
        self.store.commit(settings={"recipe": recipe.as_json()}, quiet=True)
        return recipe

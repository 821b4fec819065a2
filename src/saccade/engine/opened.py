"""An open store: the collection as it is now, what is learned, what is kept in memory of both."""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any, TypeVar

import numpy as np

from saccade import trace
from saccade.engine.cache import Cache
from saccade.engine.collection import Collection
from saccade.engine.events import EventKinds, Record
from saccade.engine.learning.fold import FOLDS, Fold, FoldTable
from saccade.engine.learning.log import Learning, retention
from saccade.engine.recipe import Recipe
from saccade.engine.sources import SOURCES, Source, SourceTable
from saccade.engine.sources.shards import Division
from saccade.errors import Stopping, StoreError
from saccade.hints import REPAIR
from saccade.scale.executors import executor
from saccade.scale.local import cores
from saccade.store.store import Store

log = logging.getLogger(__name__)

_PAUSE = 0.003  # seconds after each mebibyte that is verified behind: about what it takes

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Tables:
    """What a store can hold and learn: events, folds, sources. By itself, those of the middle."""

    kinds: EventKinds = field(default_factory=EventKinds)
    folds: FoldTable = field(default_factory=lambda: FOLDS)
    sources: SourceTable = SOURCES

    @classmethod
    def of(
        cls,
        records: tuple[type[Record], ...],
        folds: Mapping[str, Callable[[Recipe], Fold]],
        sources: Mapping[str, Source],
    ) -> Tables:
        """Those of the middle and further rows."""
        return cls(EventKinds(*records), {**FOLDS, **folds}, SOURCES.with_(sources))


class OpenStore:
    """What every part of the engine works on. Safe to use from many threads."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        tables: Tables | None = None,
        *,
        create: bool = True,
        database: str | None = None,
        shards: int | None = None,
        on: str = "processes",
        clock: Callable[[], float] = time.time,
        seed: int | None = None,
    ) -> None:
        self.tables = tables or Tables()
        self.executor = executor(on)
        self._division = None if shards is None else Division(shards, self.executor)
        self.store = Store(path, create=create, database=database)
        self.clock = clock
        self.chance, self.drawing = np.random.default_rng(seed), Lock()  # choosers draw one by one
        self.pool = ThreadPoolExecutor(cores(), thread_name_prefix="saccade-scan")
        self.dropped: Counter[str] = Counter()  # experts that failed on a page
        self.unlogged = 0  # pages shown that could not be logged
        self._caches: list[tuple[Cache[Any, Any], bool]] = []
        self._interrupts = 0
        self._reloading = Lock()
        self.recipe = self._read_recipe()
        self.learning = Learning(
            self.store.log, self.recipe, self.tables.kinds, self.tables.folds, forgot=self._forgot
        )
        self._collection = self._divided(self.tables.sources.load(self.store, self.recipe))
        self._closing = Event()
        self._verifying: Thread | None = None
        self._verify_behind()

    def collection(self) -> Collection:
        """The collection as it is now; another process may have indexed."""
        if self.store.catalog.generation() == self._collection.generation:
            return self._collection
        with self._reloading:
            if self.store.catalog.generation() != self._collection.generation:
                self.reload()
            return self._collection

    def reload(self, *, afresh: bool = False) -> None:
        """Read the collection anew; `afresh` with nothing of what is in memory."""
        self.recipe = self._read_recipe()
        before = None if afresh else self._collection
        loaded = self.tables.sources.load(self.store, self.recipe, before)
        self._collection = self._divided(loaded)
        self.learning.retention = retention(self.recipe)
        # Sessions would keep the whole collection of before in memory; the log has what is needed.
        for cache, of_collection in self._caches:
            if of_collection:
                cache.clear()
        self._verify_behind()

    def _verify_behind(self) -> None:
        """Have large files verified while they are searched already; a damaged one is let go."""
        running = self._verifying is not None and self._verifying.is_alive()
        if self.store.columns.owed and not running and not self._closing.is_set():
            self._verifying = Thread(target=self._verify, name="saccade-verify", daemon=True)
            self._verifying.start()

    def _verify(self) -> None:
        columns, stopped = self.store.columns, self._closing.wait
        with trace.dropping(log, StoreError, doing="verifying columns"):
            while columns.owed and not self._closing.is_set():
                # Half of a core at most: people search meanwhile.
                damaged = columns.verify(lambda: not stopped(_PAUSE))
                if damaged:
                    error = StoreError(f"{damaged[0]} does not match its checksum", hint=REPAIR)
                    trace.swallowed(log, error, doing="verifying columns", files=len(damaged))
                    with self._reloading:
                        self.reload(afresh=True)

    def _divided(self, collection: Collection) -> Collection:
        """The collection, cut into shards where that was asked for."""
        if self._division is None:
            return collection
        return self._division.divided(self.store, collection)

    def keep(self, cache: Cache[Key, Value], *, of_collection: bool = True) -> Cache[Key, Value]:
        """Look after a cache: it is emptied when someone is forgotten.

        What is `of_collection` means nothing when that has changed, and is let go then.
        """
        self._caches.append((cache, of_collection))
        return cache

    def _forgot(self) -> None:
        """Someone was forgotten: nothing in memory may hold them."""
        for cache, _ in self._caches:
            cache.clear()

    def users(self) -> tuple[str, ...]:
        """Everyone who gave feedback."""
        return self.store.log.users(self.tables.kinds.feedback)

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
        self._closing.set()
        if self._verifying is not None:
            self._verifying.join()
        # A snapshot is only a shortcut: the log has everything.
        with trace.dropping(log, StoreError, doing="keeping a snapshot of the models"):
            if not self.store.moved:
                self.learning.save()
        self.pool.shutdown()
        if self._division is not None:
            self._division.close()
        self.store.close()

    def _read_recipe(self) -> Recipe:
        stored = self.store.catalog.setting("recipe")
        if stored is not None:
            return Recipe.from_json(stored)
        recipe = Recipe.default()
        if not self.store.read_only:
            self.store.commit(settings={"recipe": recipe.as_json()}, quiet=True)
        return recipe

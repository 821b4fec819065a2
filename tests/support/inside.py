"""A look below the engine's surface, for tests that damage a store or read its log on purpose.

Everything else goes through what `saccade.engine` offers.
"""

from __future__ import annotations

from saccade.engine import Engine
from saccade.engine.collection import Collection
from saccade.engine.events import MOVING, Entry, entry
from saccade.engine.learning.fold import Models
from saccade.store.database import Database
from saccade.store.store import Store


def store_of(engine: Engine) -> Store:
    """The store: its files, its log, its columns."""
    return engine._opened.store


def database_of(engine: Engine) -> Database:
    """The tables, to break them."""
    return store_of(engine)._database


def log_of(engine: Engine) -> list[Entry]:
    """Every event that teaches or takes back, in order."""
    return [entry(line) for line in store_of(engine).log.since(0, MOVING)]


def models_of(engine: Engine) -> Models:
    """Everything learned, up to date."""
    return engine._opened.learning.catch_up()


def collection_of(engine: Engine) -> Collection:
    """The collection as searches see it."""
    return engine._opened.collection()


def kill(engine: Engine) -> None:
    """Let go of everything without a last snapshot, as a killed process does."""
    engine._opened.pool.shutdown()
    store_of(engine).close()

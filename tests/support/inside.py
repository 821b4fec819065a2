"""A look below the engine's surface, for tests that damage a store or read its log on purpose.

Everything else goes through what `saccade.engine` offers.
"""

from __future__ import annotations

from saccade.engine import Engine
from saccade.engine.attributes.capability import AttributeCapability
from saccade.engine.attributes.scoring import Scales
from saccade.engine.cache import Cache
from saccade.engine.collection import Collection
from saccade.engine.events import Entry
from saccade.engine.learning.fold import Models
from saccade.engine.loop.session import Session
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
    kinds = engine._opened.tables.kinds
    return [kinds.entry(line) for line in store_of(engine).log.since(0, kinds.moving)]


def kinds_of(engine: Engine) -> tuple[str, ...]:
    """Every kind of event that the log may hold."""
    return tuple(engine._opened.tables.kinds.records)


def page_of(engine: Engine, page_id: str) -> Entry:
    """A page as the log keeps it."""
    return engine._loop.shown(page_id)[0]


def sessions_of(engine: Engine) -> Cache[str, Session]:
    """The sessions in memory."""
    return engine._loop._sessions


def scales_of(engine: Engine) -> Scales:
    """The scores of attributes in memory."""
    return engine._loop.capability(AttributeCapability).scales


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

"""Statements that every search runs, written by SQLAlchemy once and run by the driver itself.

What SQLAlchemy does anew for each execution, from a cache key to a result, takes 0.1 ms where the
database takes 0.005; a search has half a dozen of them. Types are not converted: give and expect
numbers, text and bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sql

from saccade.store import dialects


class Prepared:
    """A statement ready to run; values that it does not state itself are bound by name.

    Where a database needs another statement for the same, it is given under its name.

    >>> Prepared(sql.select(sql.bindparam("one") + 1)).text()
    'SELECT ? + ? AS anon_1'
    """

    def __init__(self, statement: sql.Executable, **others: sql.Executable) -> None:
        self._statement, self._others = statement, others
        self._ready: dict[str, _Ready] = {}

    def text(self, database: str = "sqlite") -> str:
        """The statement as a database is given it."""
        return self._for(database).text

    def on(self, connection: sql.Connection, **values: Any) -> list[tuple[Any, ...]]:
        """What it gives within a transaction."""
        raw = connection.connection.dbapi_connection
        return self.run(raw, connection.dialect.name, **values)

    def run(self, raw: Any, database: str, /, **values: Any) -> list[tuple[Any, ...]]:
        """What it gives on one of the driver's connections to a kind of database."""
        return self._for(database).run(raw, values)

    def _for(self, database: str) -> _Ready:
        ready = self._ready.get(database)
        if ready is None:
            statement = self._others.get(database, self._statement)
            ready = self._ready[database] = _Ready(dialects.named(database), statement)
        return ready


class _Ready:
    """A statement as one database is given it."""

    def __init__(self, dialect: dialects.Dialect, statement: sql.Executable) -> None:
        compiled = dialect.compiled(statement)
        self.text = str(compiled)
        self._dialect = dialect
        # By place or by name, as the driver takes them.
        self._names = None if compiled.positiontup is None else tuple(compiled.positiontup)
        self._all = tuple(compiled.params)
        self._stated = {name: v for name, v in compiled.params.items() if v is not None}

    def run(self, raw: Any, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        given = {**self._stated, **values}
        if self._names is None:
            return self._dialect.run(raw, self.text, {name: given[name] for name in self._all})
        return self._dialect.run(raw, self.text, [given[name] for name in self._names])

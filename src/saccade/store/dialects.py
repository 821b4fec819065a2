"""The databases that a catalog may lie in: one row each, and what a row must know.

    a file      `dialect`       SQLite, inside the store; nothing to install
    a server    `postgresql`    PostgreSQL, where several machines share one catalog and log

Everything else in this package is SQLAlchemy Core and the same for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import sqlalchemy as sql

from saccade.errors import StoreError
from saccade.store import dialect as sqlite
from saccade.store.dialect import MANY, Mode

if TYPE_CHECKING:
    from saccade.store.postgresql import CatalogServer

    Place = Path | CatalogServer

T = TypeVar("T")


class Dialect(Protocol):
    """What is special about a database. Its modules say why each does what it does."""

    def engine(self, place: Any, mode: Mode = "rw") -> sql.Engine:
        """Connections to a database."""

    def reading(self, connection: sql.Connection) -> sql.Connection:
        """A connection whose statements all see the same moment."""

    def writing(
        self, connection: sql.Connection, *, synced: bool, patience: float
    ) -> sql.Connection:
        """A connection that writes alone from its beginning on."""

    def check_writable(self, engine: sql.Engine) -> None:
        """Raise what a writer would meet now."""

    def lent(self, engine: sql.Engine) -> AbstractContextManager[Any]:
        """One of the driver's own connections."""

    def compiled(self, statement: sql.Executable) -> Any:
        """A statement as text."""

    def run(
        self, raw: Any, text: str, values: Sequence[Any] | Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        """What a text finds on the driver's connection."""

    def alone(self, engine: sql.Engine, lock: Path, wait: float) -> AbstractContextManager[bool]:
        """Be the only process that has a lock."""

    def check_ours(self, connection: sql.Connection) -> None:
        """Refuse a database without a catalog in which there is something else."""

    def begun(self, connection: sql.Connection) -> None:
        """The tables are new."""

    def last_number(self, connection: sql.Connection, table: str) -> int:
        """The largest number that a row ever had."""

    def skip_to(self, connection: sql.Connection, table: str, number: int) -> None:
        """Number from after a number on."""

    def count_on(self, connection: sql.Connection, table: sql.Table) -> None:
        """Number from after the rows that are there on."""

    def integrity(self, connection: sql.Connection) -> list[str]:
        """What the database finds wrong with itself."""

    def scrub(self, connection: sql.Connection) -> None:
        """Leave nothing of what was deleted."""

    def explanation(self, error: sql.exc.DatabaseError, place: Any) -> StoreError | None:
        """A failure in one sentence."""


def of(database: sql.Connection | sql.Engine) -> Dialect:
    """The ways of the database behind a connection."""
    return named(database.dialect.name)


def named(name: str) -> Dialect:
    """The ways of a database by its name; a server's are not loaded where there is none."""
    if name == "sqlite":
        return cast(Dialect, sqlite)
    from saccade.store import postgresql

    return cast(Dialect, postgresql)


def for_place(place: Place) -> Dialect:
    """The ways of the database at a place."""
    return named("sqlite" if isinstance(place, Path) else "postgresql")


def explanation(error: sql.exc.DatabaseError, place: Place) -> StoreError | None:
    """A failure of a database in one sentence; None for a mistake of ours."""
    ours = type(error.orig).__module__.partition(".")[0] == "sqlite3"
    return named("sqlite" if ours else "postgresql").explanation(error, place)


def batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """As many at a time as one statement takes."""
    return (items[i : i + MANY] for i in range(0, len(items), MANY))

"""Connections to a store's tables, and what a failure means to a person.

`tables` has the tables, `dialects` what is special about the database behind them, `formats` how a
catalog is begun and brought up to date.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from saccade.errors import StoreError
from saccade.store import dialect, dialects
from saccade.store.prepared import Prepared

if TYPE_CHECKING:
    from saccade.store.dialects import Place

PATIENCE = 30.0
"""Seconds that a writer waits for its turn."""


class Database:
    """Connections to one store's tables."""

    def __init__(
        self,
        file: Place,
        *,
        mode: dialect.Mode = "rw",
        refusal: StoreError | None = None,
        when_closed: Callable[[], object] | None = None,
    ) -> None:
        self.file = file  # or a server: where it is, as a person is told
        self.refusal = refusal  # why nothing can be written; None where it can
        self._when_closed = when_closed
        with explained(file):
            if isinstance(file, Path) and mode == "rw" and not file.exists():
                file.touch()
        self._dialect = dialects.for_place(file)
        self._engine = self._dialect.engine(file, mode)

    def close(self) -> None:
        """Give back every connection."""
        self._engine.dispose()
        if self._when_closed is not None:
            self._when_closed()

    def check_writable(self) -> None:
        """Raise a StoreError where nothing can be written."""
        with explained(self.file):
            self._dialect.check_writable(self._engine)

    def check_allowed(self) -> None:
        """Raise why nothing can be written, where it was known when the store was opened."""
        if self.refusal is not None:
            raise type(self.refusal)(self.refusal.message, hint=self.refusal.hint)

    @contextmanager
    def read(self) -> Iterator[sql.Connection]:
        """A consistent view for reading."""
        with explained(self.file), self._engine.connect() as connection:
            yield self._dialect.reading(connection)

    @contextmanager
    def alone(self, lock: Path, *, wait: float = 0.0) -> Iterator[bool]:
        """Be the only process that has a lock; gives whether one is, after so many seconds."""
        holding = self._dialect.alone(self._engine, lock, wait)
        place = lock.parent if isinstance(self.file, Path) else self.file
        with explained(place):
            mine = holding.__enter__()
        try:
            yield mine
        finally:
            with explained(place):
                holding.__exit__(None, None, None)

    def ask(self, question: Prepared, **values: Any) -> list[tuple[Any, ...]]:
        """What one prepared statement finds now; it is a transaction of its own."""
        with explained(self.file), self._dialect.lent(self._engine) as raw:
            return question.run(raw, self._engine.dialect.name, **values)

    @contextmanager
    def write(self, *, synced: bool = True, patience: float = PATIENCE) -> Iterator[sql.Connection]:
        """One transaction, committed at the end, rolled back on any error.

        `synced` waits for the disk; without it a commit survives the death of the process but
        perhaps not of the machine. Any later synced commit makes it durable too. Whoever else
        writes is waited for so many seconds.
        """
        self.check_allowed()
        with explained(self.file), self._engine.connect() as connection:
            connection = self._dialect.writing(connection, synced=synced, patience=patience)
            with connection.begin():
                yield connection

    def integrity(self) -> list[str]:
        """What the database finds wrong with itself; empty when all is well."""
        with self.read() as connection:
            return self._dialect.integrity(connection)

    def scrub(self) -> None:
        """Leave nothing on disk of what was deleted."""
        with explained(self.file), self._engine.connect() as connection:
            self._dialect.scrub(connection)

    def copy(self, file: Path) -> None:
        """A consistent copy of a file in a new one."""
        with explained(file), self._engine.connect() as connection:
            dialect.copy(connection, file)


@contextmanager
def explained(place: Place) -> Iterator[None]:
    """Turn failures of disk and database into one sentence that says what to do."""
    try:
        yield
    except sql.exc.DatabaseError as error:
        sentence = dialects.explanation(error, place)
        if sentence is None:
            raise
        raise sentence from error
    except OSError as error:
        if not isinstance(place, Path):
            raise
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise dialect.full(place) from error
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise dialect.unwritable(place) from error
        raise StoreError(
            f"{place} cannot be used: {error.strerror or error}", hint="choose another place"
        ) from error

"""A store's catalog and log into another database, and back.

    saccade move photos.saccade --to postgresql://ana@db/photos
    saccade move photos.saccade --to sqlite

Every table is gone through in the order of its key, some rows at a time: where both sides hold the
same rows nothing is done, otherwise those of the new side are written anew. That is copying, going
on after an interruption, and verifying, all three: a move is over when one more walk finds nothing
to do. Only then does the folder name the new database, and the old one lets go of its tables, so
that whoever is forgotten later is not left behind there. Until then the store is where it was.

Columns, words and thumbnails are files, and stay in the folder. Searching and marking go on while
rows are copied; indexing waits, and marks do during the last walk. A server that has the store open
finds that it has moved, and opens it anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from saccade.errors import InvalidInput, StoreError, StoreFormat
from saccade.hints import REPAIR
from saccade.store import dialects, files, formats, remembered
from saccade.store.database import Database, explained
from saccade.store.postgresql import CatalogServer
from saccade.store.remembered import Memory
from saccade.store.store import CATALOG, Store
from saccade.store.tables import JSON, METADATA, NUMBER, arrivals, events, images, jobs, meta

if TYPE_CHECKING:
    from saccade.store.dialects import Place

HERE = "sqlite"
"""What a person calls the file in the folder."""
DRAFT = "catalog.moving.sqlite"
A_TIME = 1000

Watch = Callable[[int, int], None]  # rows gone through, of how many

_NUMBERED = (jobs, arrivals)
"""Tables whose rows the database numbers."""
_APART = (NUMBER, formats.MOVING)
"""Settings that are each side's own."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What was moved and verified."""

    place: str
    images: int
    events: int
    rows: int
    written: int
    """Rows that were not there yet; fewer than all where an earlier move had begun."""


def kept_address(to: str) -> str:
    """A place that can be moved to, as it may be written down.

    Raises:
        InvalidInput: it is none, or a password is in it.
    """
    if to == HERE:
        return to
    server = CatalogServer.of(to)
    if server.secret:
        raise InvalidInput(
            "an address that is kept has no password in it",
            hint="postgresql://ana@db/photos, and the password where PostgreSQL looks for it: "
            "~/.pgpass, or PGPASSWORD",
        )
    return str(server)


def move(root: str | os.PathLike[str], to: str, watch: Watch = lambda done, total: None) -> Moved:
    """Move a store's catalog and log into a database; `sqlite` is the file in its folder.

    Raises:
        StoreError: something is damaged, or a database cannot be used; the store is where it was.
    """
    store = Store(root, create=False)
    with closing(store):
        if store.read_only:
            raise StoreError(f"{store.root}: {store.read_only}, and its catalog cannot leave it")
        target: Place = store.root / DRAFT if to == HERE else CatalogServer.of(to)
        here = store.database.file
        if isinstance(target, CatalogServer) and str(target) == str(here):
            _drop_file(store.root)  # a move that was killed between its last two steps
            counts = store.catalog.count(), sum(store.log.counts().values())
            return Moved(str(here), *counts, rows=0, written=0)
        if isinstance(target, Path) == isinstance(here, Path):
            place = "is in its folder already" if isinstance(here, Path) else f"is in {here}"
            hint = "move it to sqlite first" if isinstance(target, CatalogServer) else ""
            raise InvalidInput(f"the catalog of {store.root} {place}", hint=hint)
        for flaw in (*store.catalog.flaws(), *store.log.flaws()):
            if flaw.damage:
                raise StoreError(
                    f"the catalog is not moved: {flaw.place}: {flaw.problem}", hint=REPAIR
                )
        name = remembered.give_name(store.database)
        with store.indexing(), _target(target, name) as new:
            # Most of it while marks go on; then nobody writes until the new place is the place.
            with store.database.read() as source:
                before = _copied(source, new, watch)
            with store.database.write() as source:
                moved = _copied(source, new, lambda done, total: None)
                _settle(store.root, new, target, name)
                METADATA.drop_all(source)
            if isinstance(here, Path):
                store.close()
                _drop_file(store.root)
    return replace(moved, written=before.written + moved.written)


def _drop_file(root: Path) -> None:
    """Delete the catalog that was a file: a database has it now, verified and named."""
    with explained(root):
        for file in root.glob(f"{CATALOG}*"):
            file.unlink(missing_ok=True)


def into_file(database: Database, file: Path) -> None:
    """A catalog as it is at this moment, as a file of its own."""
    with database.read() as source, _target(file, "") as new:
        _copied(source, new, lambda done, total: None)
        _finish(new, remembered.STORE)


@contextmanager
def _target(place: Place, name: str) -> Iterator[Database]:
    """The database to move into: new, or one into which this very store was being moved."""
    database = Database(place)
    with closing(database):
        if formats.begin(database, {formats.MOVING: name, remembered.STORE: name}):
            yield database
            return
        with database.read() as connection:
            half = connection.scalar(sql.select(meta.c.value).where(meta.c.key == formats.MOVING))
        if half is None or json.loads(half) != name:
            raise StoreFormat(
                f"{place} holds the catalog of another store, and nothing was moved",
                hint="name an empty database",
            )
        yield database


def _copied(source: sql.Connection, target: Database, watch: Watch) -> Moved:
    tables = METADATA.sorted_tables
    counts = {t.name: _count(source, t) for t in tables}
    total, written, done = sum(counts.values()), 0, 0
    for walked in (_made_equal, _unequal):
        done = 0
        for table in tables:
            for changed, passed in walked(source, target, table):
                written, done = written + changed, done + passed
                watch(done, total)
    with target.write() as connection:
        number = dialects.of(source).last_number(source, events.name)
        dialects.of(connection).skip_to(connection, events.name, number)
        for table in _NUMBERED:
            dialects.of(connection).count_on(connection, table)
    place = target.file.with_name(CATALOG) if isinstance(target.file, Path) else target.file
    return Moved(str(place), counts[images.name], counts[events.name], done, written)


Chunk = tuple[list[dict[str, Any]], Any, Any]  # rows, after which key, up to which (None: the end)


def _chunks(source: sql.Connection, table: sql.Table) -> Iterator[Chunk]:
    """A table in the order of its key, some rows at a time."""
    (key,) = table.primary_key.columns
    after: Any = None
    while True:
        rows = _rows(source, key, after)
        last = rows[-1][key.name] if len(rows) == A_TIME else None
        yield rows, after, last
        if last is None:
            return
        after = last


def _made_equal(
    source: sql.Connection, target: Database, table: sql.Table
) -> Iterator[tuple[int, int]]:
    """Write what is not there as it should be; gives how many rows were, and how many there are."""
    (key,) = table.primary_key.columns
    for rows, after, last in _chunks(source, table):
        with target.write() as connection:
            same = _rows(connection, key, after, last) == rows
            if not same:
                _clear(connection, key, after, last)
                if rows:
                    connection.execute(_insertion(table), rows)
        yield 0 if same else len(rows), len(rows)


def _unequal(
    source: sql.Connection, target: Database, table: sql.Table
) -> Iterator[tuple[int, int]]:
    """Read everything back.

    Raises:
        StoreError: something is not what was written.
    """
    (key,) = table.primary_key.columns
    for rows, after, last in _chunks(source, table):
        with target.read() as connection:
            if _rows(connection, key, after, last) != rows:
                raise StoreError(
                    f"table {table.name!r} of {target.file} is not what was written there",
                    hint="run the same command again",
                )
        yield 0, len(rows)


def _clear(connection: sql.Connection, key: sql.Column[Any], after: Any, through: Any) -> None:
    """Delete rows, and first those of other tables that name them: their turn comes later."""
    for table in METADATA.sorted_tables:
        for foreign in table.foreign_keys:
            if foreign.column is key:
                named = _between(foreign.parent, after, through)
                connection.execute(sql.delete(table).where(*named))
    connection.execute(sql.delete(key.table).where(*_between(key, after, through)))


def _rows(
    connection: sql.Connection, key: sql.Column[Any], after: Any, through: Any = None
) -> list[dict[str, Any]]:
    """Rows after a key: up to another, or so many. What is JSON stays the text that was written."""
    columns = [
        sql.type_coerce(c, sql.Text).label(c.name) if c.type is JSON else c
        for c in key.table.columns
    ]
    query = sql.select(*columns).where(*_between(key, after, through)).order_by(key)
    if through is None:
        query = query.limit(A_TIME)
    return [dict(row) for row in connection.execute(query).mappings()]


def _between(key: sql.Column[Any], after: Any, through: Any) -> list[sql.ColumnElement[bool]]:
    limits = [] if after is None else [key > after]
    if through is not None:
        limits.append(key <= through)
    if key.table is meta:
        limits.append(key.not_in(_APART))
    return limits


def _insertion(table: sql.Table) -> sql.Insert:
    kinds = ((c.name, sql.Text() if c.type is JSON else c.type) for c in table.columns)
    return sql.insert(table).values({n: sql.bindparam(n, type_=kind) for n, kind in kinds})


def _count(connection: sql.Connection, table: sql.Table) -> int:
    query = sql.select(sql.func.count()).select_from(table)
    if table is meta:
        query = query.where(meta.c.key.not_in(_APART))
    return int(connection.scalar(query) or 0)


def _settle(root: Path, target: Database, place: Place, name: str) -> None:
    """Let the folder name its new catalog."""
    _finish(target)
    if isinstance(place, Path):
        target.close()
        with explained(root):
            place.replace(root / CATALOG)
            files.sync_folder(root)
        remembered.forget(root)
    else:
        remembered.remember(root, Memory(place, name))


def _finish(target: Database, *dropped: str) -> None:
    with target.write() as connection:
        gone = meta.c.key.in_((formats.MOVING, *dropped))
        connection.execute(sql.delete(meta).where(gone))

"""Which format a catalog has: begun, completed, or refused.

    2   the first release: events are chained, every file has a checksum

A format is raised with every new kind of event, field of a recipe or table: whoever knows less
refuses the store instead of misreading it. A table that whoever knows less can do without, and that
can be filled again from pictures, is made where it is missing (`LATER`).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sql

from saccade.errors import StoreFormat
from saccade.hints import Hint
from saccade.store import dialects
from saccade.store.catalog import MISSING, set_
from saccade.store.database import Database
from saccade.store.tables import (
    METADATA,
    arrivals,
    checksums,
    claims,
    events,
    fields,
    images,
    jobs,
    meta,
    origins,
    recent_pages,
    set_aside,
    skipped,
    snapshots,
    tokens,
)
from saccade.store.tables import chain as links

log = logging.getLogger(__name__)

FORMAT = 2
"""What this code writes."""
MOVING = "moving"
"""The setting of a catalog that is being moved here, and is not whole yet."""

LATER = (arrivals, claims, fields, jobs, origins, tokens)
"""Tables that stores of this format got later: one that lacks them is older, and lost nothing."""
REPLACEABLE = (checksums, links, set_aside, recent_pages, snapshots, skipped, tokens, claims)
"""Tables without which a store still opens: what they held is computed again, or told as lost."""

_RESTORE = "restore it from a backup, or index into a new store"


def is_ready(database: Database, root: object) -> bool:
    """Whether a catalog, of what is told as `root`, can be read as it is.

    Raises:
        StoreFormat: it is a newer one, or one from before the first release.
    """
    with database.read() as connection:
        version = _version(connection, database.file)
        tables = set(sql.inspect(connection).get_table_names())
    if version is None:
        return False
    _refuse_another(version, root)
    _refuse_half(database)
    return METADATA.tables.keys() <= tables


def prepare(database: Database, root: Path) -> bool:
    """Make a catalog ready for this code; returns whether it was this process that began it.

    Its files lie below `root`.

    Raises:
        StoreFormat: it is another one, or has lost what cannot be made again.
    """
    with database.read() as connection:
        version = _version(connection, database.file)
    if version is None:
        _refuse_what_lost_its_catalog(root, database.file)
        return begin(database)
    _refuse_another(version, root)
    _refuse_half(database)
    _complete(database)
    return False


def begin(database: Database, settings: Mapping[str, str] | None = None) -> bool:
    """Make the tables where there are none; returns whether it did.

    Raises:
        StoreFormat: something else is there.
    """
    with database.write() as connection:
        # Where nobody else can write: of two who begin at once, one is first.
        if _version(connection, database.file) is not None:
            return False
        dialects.of(connection).check_ours(connection)
        METADATA.create_all(connection)
        dialects.of(connection).begun(connection)
        connection.execute(sql.insert(meta), {"key": "format", "value": str(FORMAT)})
        for key, value in (settings or {}).items():
            set_(connection, key, value)
        return True


def _refuse_half(database: Database) -> None:
    with database.read() as connection:
        half = connection.scalar(sql.select(meta.c.value).where(meta.c.key == MOVING))
    if half is not None:
        raise StoreFormat(
            f"{database.file}: a store is being moved here, and not all of it has arrived",
            hint=Hint(
                "move it once more; until it is done the store is where it was",
                command="run the same `saccade move` again; until then the store is where it was",
            ),
        )


def _refuse_another(version: int, root: object) -> None:
    if version < FORMAT:
        raise StoreFormat(
            f"{root}: made before the first release: the store has format {version}, "
            f"this Saccade reads {FORMAT}",
            hint="index the folder into a new store",
        )
    if version > FORMAT:
        raise StoreFormat(
            f"{root}: made by a newer Saccade: the store has format {version}, "
            f"this Saccade reads up to {FORMAT}",
            hint="install a newer Saccade to open it",
        )


def destroy(database: Database) -> bool:
    """Drop every table unless somebody has put something in; returns whether it did.

    Whoever has the store open and writes later is refused, and not told that it was kept.
    """
    with database.write() as connection:
        if any(connection.execute(sql.select(t).limit(1)).first() for t in (images, events)):
            return False
        METADATA.drop_all(connection)
    return True


def _version(connection: sql.Connection, file: object) -> int | None:
    if not sql.inspect(connection).has_table(meta.name):
        return None
    value = connection.scalar(sql.select(meta.c.value).where(meta.c.key == "format"))
    try:
        return None if value is None else int(value)
    except ValueError:
        raise StoreFormat(
            f"{file}: its format is {value!r}, which is no number: the catalog is damaged",
            hint=_RESTORE,
        ) from None


def _refuse_what_lost_its_catalog(root: Path, file: object) -> None:
    if any((root / "columns").glob("*/*")):
        raise StoreFormat(
            f"{file}: the catalog is empty, yet there are columns beside it: it was lost",
            hint=Hint(
                "bring it back from a backup, or index into a new store",
                command="bring it back with `saccade restore BACKUP`, or index anew",
            ),
        )


def _complete(database: Database) -> None:
    """Make tables that were lost, and remember that they were; refuse where it matters."""
    with database.read() as connection:
        lost = METADATA.tables.keys() - set(sql.inspect(connection).get_table_names())
    if not lost:
        return
    later = {table.name for table in LATER}
    dear = lost - later - {table.name for table in REPLACEABLE}
    if dear:
        raise StoreFormat(
            f"{database.file}: it has no table {min(dear)!r}: the catalog is damaged",
            hint=_RESTORE,
        )
    with database.write() as connection:
        METADATA.create_all(connection)
        if lost <= later:
            return
        text = connection.scalar(sql.select(meta.c.value).where(meta.c.key == MISSING))
        connection.execute(sql.delete(meta).where(meta.c.key == MISSING))
        value = json.dumps(sorted(lost - later | set(json.loads(text or "[]"))))
        connection.execute(sql.insert(meta), {"key": MISSING, "value": value})

"""Which database a store's catalog lies in, where that is not a file of its own.

    database.json    {"saccade-database": 1, "address": "postgresql://ana@db/photos", "store": …}

The password is not kept. The name that the store has here is also in the database: a catalog of
other pictures is noticed before anything is read by it.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sql

from saccade.errors import StoreError, StoreFormat
from saccade.store import files
from saccade.store.catalog import set_
from saccade.store.database import Database, explained
from saccade.store.tables import events, images, meta

if TYPE_CHECKING:
    from saccade.store.postgresql import CatalogServer

DATABASE = "database.json"
STORE = "store"  # among the settings: the name by which a database and a folder know each other
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Memory:
    """What a folder remembers of its catalog."""

    server: CatalogServer
    store: str


def recall(root: Path) -> Memory | None:
    """What a folder remembers; None where its catalog is a file of its own.

    Raises:
        StoreFormat: it cannot be read.
    """
    from saccade.store.postgresql import CatalogServer

    file = root / DATABASE
    try:
        with explained(root):
            value = json.loads(file.read_bytes()) if file.exists() else None
        if value is None:
            return None
        if value["saccade-database"] != FORMAT:
            raise ValueError
        address, store = str(value["address"]), str(value["store"])
    except (ValueError, KeyError, TypeError):
        raise StoreFormat(
            f"{file} is damaged: it should name the database of this store",
            hint="write its address there, or restore the store from a backup",
        ) from None
    return Memory(CatalogServer.of(address), store)


def remember(root: Path, memory: Memory) -> None:
    """Keep where the catalog is, so that it lasts: the old file or the new one, never half."""
    value = {"saccade-database": FORMAT, "address": str(memory.server), "store": memory.store}
    draft = root / f".{DATABASE}.{os.getpid()}.part"
    with explained(root), _gone_after_failure(draft):
        files.write_text(draft, json.dumps(value, indent=2) + "\n")
        draft.replace(root / DATABASE)
        files.sync_folder(root)


def forget(root: Path) -> None:
    """The catalog is a file of the folder again."""
    with explained(root):
        (root / DATABASE).unlink(missing_ok=True)
        files.sync_folder(root)


@contextmanager
def _gone_after_failure(draft: Path) -> Iterator[None]:
    draft.unlink(missing_ok=True)
    try:
        yield
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def agree(database: Database, root: Path, memory: Memory | None) -> None:
    """Make sure that a catalog is this folder's; a new one becomes it, and is remembered.

    Raises:
        StoreFormat: it belongs to another folder.
    """
    name = name_of(database)
    if memory is not None and memory.store == name:
        return
    if memory is not None or not _is_empty(database):
        raise StoreFormat(
            f"{database.file} is the catalog of another store than {root}",
            hint="name the database of this store, or an empty one for a new store",
        )
    from saccade.store.postgresql import CatalogServer

    if not isinstance(database.file, CatalogServer):
        raise StoreError(f"{database.file} is no server")
    remember(root, Memory(database.file, give_name(database)))


def name_of(database: Database) -> str | None:
    """The name by which the folder of a catalog knows it; None where it has none."""
    with database.read() as connection:
        text = connection.scalar(sql.select(meta.c.value).where(meta.c.key == STORE))
    return None if text is None else str(json.loads(text))


def give_name(database: Database) -> str:
    """The name of a catalog, made where it has none."""
    name = name_of(database)
    if name is None:
        name = uuid.uuid4().hex
        with database.write() as connection:
            set_(connection, STORE, name)
    return name


def _is_empty(database: Database) -> bool:
    with database.read() as connection:
        return not any(connection.execute(sql.select(t).limit(1)).first() for t in (images, events))

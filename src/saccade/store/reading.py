"""A store that cannot be written here: a medium that is read-only, rights, a full disk.

It is opened to be searched, and nothing is kept of what is said:

    beside      the catalog with its journal, beside whoever may write them
    still       the catalog alone, where there is no journal
    copied      a copy in a temporary folder, where a journal must be read in or a format raised

A server says itself what may be done there.
"""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from saccade.errors import StoreError, StoreFormat
from saccade.store import formats
from saccade.store.database import Database
from saccade.store.dialect import Mode

if TYPE_CHECKING:
    from saccade.store.dialects import Place

_STILL: tuple[Mode, ...] = ("still",)


def to_read(file: Place, refusal: StoreError) -> Database:
    """A catalog that cannot be written, for the reason given.

    Raises:
        StoreError: it cannot be read either.
    """
    if not isinstance(file, Path):
        return _served(file, refusal)
    journal, shared = (file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))
    left = journal.exists() and journal.stat().st_size > 0
    # Without a journal the file is all there is; without either nobody writes it now, and to look
    # beside them would make them.
    beside: tuple[Mode, ...] = ("ro",) if left or shared.exists() else ()
    for mode in (*beside, *(() if left else _STILL)):
        database = Database(file, mode=mode, refusal=refusal)
        try:
            if formats.is_ready(database, file.parent):
                return database
        except StoreFormat:
            database.close()
            raise
        except StoreError:
            pass  # by this way it cannot be read
        database.close()
    return _copied(file, journal if left else None, refusal)


def _served(server: Place, refusal: StoreError) -> Database:
    database = Database(server, mode="ro", refusal=refusal)
    try:
        if formats.is_ready(database, server):
            return database
    except BaseException:
        database.close()
        raise
    database.close()
    raise refusal


def _copied(file: Path, journal: Path | None, refusal: StoreError) -> Database:
    folder = Path(tempfile.mkdtemp(prefix="saccade-"))
    remove = partial(shutil.rmtree, folder, ignore_errors=True)
    try:
        shutil.copyfile(file, folder / file.name)
        if journal is not None:
            shutil.copyfile(journal, folder / journal.name)
        database = Database(folder / file.name, when_closed=remove)
        formats.prepare(database, file.parent)
    except OSError:
        remove()
        raise refusal from None
    except BaseException:
        remove()
        raise
    # Only now: what is said from here on would be gone with the folder.
    database.refusal = refusal
    return database

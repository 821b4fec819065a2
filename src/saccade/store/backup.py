"""A copy of a store that is consistent, verified, and a store itself.

Searching and feedback go on meanwhile; indexing waits. The copy has its name only once every file
of it was read back and matched its checksum, so that whatever has the name can be trusted.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from saccade.errors import InvalidInput, StoreError
from saccade.store import files
from saccade.store.database import explained
from saccade.store.store import CATALOG, Store


def back_up(store: Store, place: str | os.PathLike[str]) -> Path:
    """Copy a store to a new place; returns where it is."""
    target = Path(place).expanduser().absolute()
    if target.exists():
        raise InvalidInput(f"{target} exists already", hint="give the copy a name of its own")
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with explained(target):
            files.make_folder(draft)
            with store.indexing():
                store.copy_catalog(draft / CATALOG)
                _copy_files(store, draft)
            _verify(draft)
            draft.rename(target)
            files.sync_folder(target.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _copy_files(store: Store, draft: Path) -> None:
    named = {file for segment in store.columns.segments() for file in segment.files.values()}
    others = [*store.root.glob("words/*.npz"), *store.root.glob("thumbs/*/*.jpg")]
    for name in (*sorted(named), *(str(file.relative_to(store.root)) for file in others)):
        files.make_folder((draft / name).parent)
        with (store.root / name).open("rb") as source, (draft / name).open("wb") as copy:
            shutil.copyfileobj(source, copy, 2**20)
            copy.flush()
            os.fsync(copy.fileno())
    for folder in {(draft / name).parent for name in named} | {draft}:
        files.sync_folder(folder)


def _verify(draft: Path) -> None:
    copy = Store(draft, create=False)
    try:
        wrong = copy.integrity()
        if wrong:
            raise StoreError(
                f"the catalog is damaged: {wrong[0]}", hint="restore it from an earlier backup"
            )
        for segment in copy.columns.segments():
            copy.columns.load(segment, again=True)
        copy.log.testify()
    finally:
        copy.close()

"""Pictures that people search with and that are in no folder: kept for them, a few of the newest.

    uploads/DIGEST OF A NAME/ID      the bytes as they came, named as every image is

No name of a person is in a file or a path. What is oldest goes where a person has too many, or all
have together; a copy of the store is without them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from saccade.store import files
from saccade.store.database import Database, explained

FOLDER = "uploads"
MOST, MOST_BYTES = 20, 64 << 20
"""Of one person."""
MOST_IN_ALL, MOST_BYTES_IN_ALL = 2000, 1 << 30


@dataclass(frozen=True, slots=True)
class KeptFile:
    """One of them on disk."""

    image_id: str
    path: Path
    size: int
    at: float


class UploadFiles:
    """The uploads of a store."""

    def __init__(self, database: Database, root: Path) -> None:
        self._database, self._root = database, root / FOLDER

    def keep(self, user: str, image_id: str, data: bytes) -> None:
        """Keep a picture for a person; one that is there is the newest again."""
        folder = self._of(user)
        file, draft = folder / image_id, folder / f".{image_id}.{os.getpid()}.part"
        self._database.check_allowed()
        with explained(folder):
            files.make_folder(folder)
            try:
                draft.write_bytes(data)
                draft.replace(file)
            except BaseException:
                draft.unlink(missing_ok=True)
                raise
        _trim(_files(folder), MOST, MOST_BYTES)
        _trim(self._every(), MOST_IN_ALL, MOST_BYTES_IN_ALL)

    def find(self, image_id: str) -> bytes | None:
        """The bytes of one that somebody has, whoever it is."""
        for one in self._every():
            if one.image_id == image_id:
                try:
                    return one.path.read_bytes()
                except OSError:
                    continue  # it went this moment
        return None

    def of(self, user: str) -> tuple[KeptFile, ...]:
        """A person's own, the newest first."""
        return tuple(sorted(_files(self._of(user)), key=lambda one: -one.at))

    def drop(self, user: str, image_id: str) -> bool:
        """Take one away; whether it was there."""
        mine = [one for one in self.of(user) if one.image_id == image_id]
        for one in mine:
            one.path.unlink(missing_ok=True)
        return bool(mine)

    def forget(self, user: str) -> None:
        """Take all of a person's away, with their folder."""
        folder = self._of(user)
        with explained(folder):
            if folder.exists():
                shutil.rmtree(folder)

    def _of(self, user: str) -> Path:
        return self._root / hashlib.blake2b(user.encode(), digest_size=16).hexdigest()

    def _every(self) -> Iterator[KeptFile]:
        try:
            folders = [one for one in os.scandir(self._root) if one.is_dir(follow_symlinks=False)]
        except OSError:
            return
        for folder in folders:
            yield from _files(Path(folder.path))


def _files(folder: Path) -> Iterator[KeptFile]:
    """What a folder holds; a draft that a killed process left is gone over in silence."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            status = entry.stat()
        except OSError:
            continue
        if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
            yield KeptFile(entry.name, Path(entry.path), status.st_size, status.st_mtime)


def _trim(files: Iterable[KeptFile], most: int, most_bytes: int) -> None:
    """Take the oldest away until no more than so many are there, and so many bytes."""
    total = 0
    for number, one in enumerate(sorted(files, key=lambda one: (-one.at, one.image_id))):
        total += one.size
        if number >= most or total > most_bytes:
            one.path.unlink(missing_ok=True)

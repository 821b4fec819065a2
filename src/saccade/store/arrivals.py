"""Pictures that others send in under ids of their own, and where their bytes are kept.

    photos.saccade/pictures/red-shoe-1-3f2a90c1.jpg        the id as far as a file can be called so,
                                                           and the beginning of the picture's own

The bytes are on disk before the line that names them is written, and the line before whoever sent
them is told; a job turns lines into pictures of the collection, or takes pictures out of it, and
then they go. A picture that lies elsewhere on the server is a line with its path, and stays there.
Of several lines of one id the last counts.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import get_ident
from typing import Any

import sqlalchemy as sql

from saccade.store import dialect, files
from saccade.store.database import Database, explained
from saccade.store.tables import arrivals, meta, paths
from saccade.types import FieldValue

FOLDER = "pictures"
PLACE = "pictures"
"""The setting that says where the folder was when the store was last open."""
AN_HOUR = 3600.0
"""Seconds after which a file that nobody names is one whose line was never written."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is to become of an id: a picture at a path, or, without one, nothing."""

    external_id: str
    image_id: str = ""
    path: str = ""
    fields: Mapping[str, FieldValue | None] | None = None
    number: int = 0


class Arrivals:
    """What came in and was not taken in yet; and the folder of pictures that the store keeps."""

    def __init__(self, database: Database, root: Path) -> None:
        self._database, self._root = database, root
        # Whichever way it was opened by: what is written down is one place.
        self._within = os.path.join(os.path.realpath(root), FOLDER, "")

    @property
    def folder(self) -> Path:
        """Where the store keeps the bytes of pictures that were sent to it."""
        files.inside(self._root, FOLDER)
        return Path(self._within)

    def holds(self, path: str) -> bool:
        """Whether a path is of a picture that the store keeps itself."""
        return path.startswith(self._within)

    # -- bytes ---------------------------------------------------------------------------------

    def write(self, external_id: str, image_id: str, data: bytes, ending: str) -> Path:
        """Keep the bytes of a picture so that they last; the same ones have the same place."""
        file = self.folder / f"{_plain(external_id)}-{image_id[:12]}{ending}"
        with explained(self._root):
            files.make_folder(file.parent)
            files.make_way(file)
            draft = file.with_name(f".{file.name}.{os.getpid()}-{get_ident()}.part")
            try:
                with draft.open("wb") as stream:
                    stream.write(data)
                    stream.flush()
                    os.fsync(stream.fileno())
                draft.replace(file)
            except BaseException:
                draft.unlink(missing_ok=True)
                raise
            files.sync_folder(file.parent)
        return file

    def sweep(self, paths: Collection[str]) -> None:
        """Delete the files of the folder that are no picture's and of no line.

        One that was written a moment ago may have its line yet to come.
        """
        named = {*paths, *(one.path for one in self.all())}
        before = time.time() - AN_HOUR
        with explained(self._root):
            for file in self.folder.glob("*") if self.folder.is_dir() else ():
                if str(file) not in named and file.lstat().st_mtime < before:
                    file.unlink(missing_ok=True)

    def delete(self, gone: Iterable[str]) -> None:
        """Delete the bytes of pictures that the store keeps and that have left."""
        with explained(self._root):
            for path in gone:
                if self.holds(path):
                    Path(path).unlink(missing_ok=True)

    # -- lines ---------------------------------------------------------------------------------

    def add(self, new: Sequence[Arrival]) -> None:
        """Write lines down, all of them or none."""
        lines = [
            {
                "external_id": one.external_id,
                "image_id": one.image_id,
                "path": one.path,
                "fields": json.dumps(dict(one.fields or {})),
            }
            for one in new
        ]
        with self._database.write() as connection:
            connection.execute(sql.insert(arrivals), lines)

    def all(self) -> tuple[Arrival, ...]:
        """Every line, in the order they came."""
        query = sql.select(arrivals).order_by(arrivals.c.number)
        with self._database.read() as connection:
            return tuple(map(_arrival, connection.execute(query)))

    def last(self, external_id: str) -> Arrival | None:
        """What came last under an id and was not taken in yet."""
        query = sql.select(arrivals).where(arrivals.c.external_id == external_id)
        with self._database.read() as connection:
            line = connection.execute(query.order_by(arrivals.c.number.desc()).limit(1)).first()
        return None if line is None else _arrival(line)

    def follow(self) -> None:
        """Notice that the store lies elsewhere than when it was last open, and its pictures too."""
        here = json.dumps(self._within)
        with self._database.read() as connection:
            text = connection.scalar(sql.select(meta.c.value).where(meta.c.key == PLACE))
        before = _text(text)
        # Of several machines that share a database one may reach the folder by another path: what
        # is written down stays, as long as it leads there.
        shared = not isinstance(self._database.file, Path) and os.path.isdir(before)
        if text == here or shared:
            return
        with self._database.write() as connection:
            connection.execute(sql.delete(meta).where(meta.c.key == PLACE))
            connection.execute(sql.insert(meta), {"key": PLACE, "value": here})
            for table in (paths, arrivals) if before else ():
                moved = sql.func.substr(table.c.path, 1, len(before)) == before
                path = sql.literal(self._within) + sql.func.substr(table.c.path, len(before) + 1)
                connection.execute(sql.update(table).where(moved).values(path=path))


def took(connection: sql.Connection, numbers: Sequence[int]) -> None:
    """Take off lines that have become of what they say, within a transaction of the store."""
    for start in range(0, len(numbers), dialect.MANY):
        batch = numbers[start : start + dialect.MANY]
        connection.execute(sql.delete(arrivals).where(arrivals.c.number.in_(batch)))


def _text(written: str | None) -> str:
    """What a setting says; one that is damaged says nothing."""
    try:
        return str(json.loads(written or '""'))
    except ValueError:
        return ""


def _arrival(line: Any) -> Arrival:
    return Arrival(line.external_id, line.image_id, line.path, json.loads(line.fields), line.number)


def _plain(name: str) -> str:
    """A name as far as a file can have it anywhere.

    >>> _plain("Shoes: red/1"), _plain("..")
    ('Shoes-red-1', '')
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", name)[:60].strip("-")

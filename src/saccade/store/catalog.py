"""What is in the collection: images, the paths they were found at, files left out, settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray

from saccade.errors import NotFound
from saccade.store import dialect
from saccade.store.database import Database, images, meta, paths, skipped
from saccade.store.prepared import Prepared
from saccade.types import ImageRecord, Skipped

_ORPHANED = images.c.alive & ~sql.exists().where(paths.c.row == images.c.row)

_GENERATION = Prepared(sql.select(meta.c.value).where(meta.c.key == "generation"))

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewImage:
    """An image about to enter the catalog."""

    image_id: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class NewPath:
    """A file about to be known as an image."""

    path: str
    image_id: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Listing:
    """The images by row, for ranking: ids and sizes, and which rows are alive."""

    ids: tuple[str, ...]
    row_of: dict[str, int]
    sizes: NDArray[np.int32]  # [n, 2] width, height
    alive: NDArray[np.bool_]
    first_path: dict[int, str]


class Catalog:
    """Images and paths. Everybody reads; `Store.commit` writes, one transaction at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- settings ------------------------------------------------------------------------------

    def setting(self, key: str) -> Any:
        """A stored setting, or None."""
        with self._database.read() as connection:
            text = connection.scalar(sql.select(meta.c.value).where(meta.c.key == key))
        return None if text is None else json.loads(text)

    def generation(self) -> int:
        """Grows with every change of images, paths or columns."""
        found = self._database.ask(_GENERATION)
        return int(found[0][0]) if found else 0

    # -- reading -------------------------------------------------------------------------------

    def listing(self) -> Listing:
        """Every image by row."""
        with self._database.read() as connection:
            found = connection.execute(sql.select(images).order_by(images.c.row)).all()
            first = connection.execute(
                sql.select(paths.c.row, sql.func.min(paths.c.path)).group_by(paths.c.row)
            ).all()
        ids = tuple(row.image_id for row in found)
        return Listing(
            ids=ids,
            row_of={image_id: row for row, image_id in enumerate(ids)},
            sizes=np.array([(r.width, r.height) for r in found], np.int32).reshape(-1, 2),
            alive=np.array([r.alive for r in found], np.bool_),
            first_path=dict(first),
        )

    def count(self) -> int:
        """How many images are alive."""
        with self._database.read() as connection:
            return int(connection.scalar(sql.select(sql.func.count()).where(images.c.alive)) or 0)

    def homeless(self) -> int:
        """How many living images have no path."""
        query = sql.select(sql.func.count()).select_from(images).where(_ORPHANED)
        with self._database.read() as connection:
            return int(connection.scalar(query) or 0)

    def total(self) -> int:
        """How many rows there are, alive or not."""
        with self._database.read() as connection:
            return int(connection.scalar(sql.select(sql.func.count()).select_from(images)) or 0)

    def image(self, image_id: str) -> ImageRecord:
        """One image with all its paths."""
        with self._database.read() as connection:
            found = connection.execute(
                sql.select(images).where(images.c.image_id == image_id, images.c.alive)
            ).one_or_none()
            if found is None:
                raise NotFound(
                    f"no image {image_id!r} in this collection", hint="ids come from search results"
                )
            return _record(connection, found)

    def page(self, offset: int, limit: int) -> tuple[ImageRecord, ...]:
        """Images in row order, a slice of them."""
        query = sql.select(images).where(images.c.alive).order_by(images.c.row)
        with self._database.read() as connection:
            found = connection.execute(query.offset(offset).limit(limit)).all()
            return tuple(_record(connection, row) for row in found)

    def known_paths(self) -> dict[str, tuple[int, int]]:
        """Size and time of change of every file known or left out: what need not be read again."""
        with self._database.read() as connection:
            out: dict[str, tuple[int, int]] = {}
            for table in (skipped, paths):
                rows = connection.execute(sql.select(table.c.path, table.c.size, table.c.mtime_ns))
                out.update((row.path, (row.size, row.mtime_ns)) for row in rows)
            return out

    def path_rows(self) -> dict[str, int]:
        """The row of every known path."""
        with self._database.read() as connection:
            return dict(connection.execute(sql.select(paths.c.path, paths.c.row)).all())

    def skipped(self, offset: int = 0, limit: int | None = None) -> tuple[Skipped, ...]:
        """Files left out, with their reasons."""
        query = sql.select(skipped.c.path, skipped.c.reason).order_by(skipped.c.path)
        with self._database.read() as connection:
            rows = connection.execute(query.offset(offset).limit(limit)).all()
        return tuple(Skipped(row.path, row.reason) for row in rows)


# -- writing, within a transaction of the store ----------------------------------------------------


def add_images(connection: sql.Connection, new: Sequence[NewImage]) -> None:
    """Give new images the rows after the last one."""
    if new:
        first = connection.scalar(sql.select(sql.func.count()).select_from(images)) or 0
        values = [
            {
                "row": first + i,
                "image_id": image.image_id,
                "width": image.width,
                "height": image.height,
                "alive": True,
            }
            for i, image in enumerate(new)
        ]
        connection.execute(sql.insert(images), values)


def add_paths(connection: sql.Connection, new: Sequence[NewPath]) -> None:
    """Know files as images; a dead image whose bytes came back lives again."""
    for batch in _batches(new):
        ids = {path.image_id for path in batch}
        found = connection.execute(
            sql.select(images.c.image_id, images.c.row).where(images.c.image_id.in_(ids))
        ).all()
        row_of = dict(found)
        names = [path.path for path in batch]
        connection.execute(sql.delete(paths).where(paths.c.path.in_(names)))
        connection.execute(sql.delete(skipped).where(skipped.c.path.in_(names)))
        values = [
            {"path": p.path, "row": row_of[p.image_id], "size": p.size, "mtime_ns": p.mtime_ns}
            for p in batch
        ]
        connection.execute(sql.insert(paths), values)
        connection.execute(
            sql.update(images).where(images.c.row.in_(row_of.values())).values(alive=True)
        )


def add_skipped(connection: sql.Connection, left_out: Iterable[tuple[Skipped, int, int]]) -> None:
    """Remember files left out, so that the next run need not read them again."""
    values = [
        {"path": s.path, "size": size, "mtime_ns": mtime_ns, "reason": s.reason}
        for s, size, mtime_ns in left_out
    ]
    for batch in _batches(values):
        names = [value["path"] for value in batch]
        connection.execute(sql.delete(skipped).where(skipped.c.path.in_(names)))
        # The file was an image once and is none now: its old path must not stay.
        connection.execute(sql.delete(paths).where(paths.c.path.in_(names)))
        dialect.insert_missing(connection, skipped, list(batch))


def remove_paths(connection: sql.Connection, gone: Sequence[str]) -> int:
    """Forget paths; images without any path leave the collection. Returns how many."""
    for batch in _batches(gone):
        connection.execute(sql.delete(paths).where(paths.c.path.in_(batch)))
        connection.execute(sql.delete(skipped).where(skipped.c.path.in_(batch)))
    return connection.execute(sql.update(images).where(_ORPHANED).values(alive=False)).rowcount


def changed(connection: sql.Connection) -> None:
    """Tell readers that there is something new."""
    text = connection.scalar(sql.select(meta.c.value).where(meta.c.key == "generation"))
    set_(connection, "generation", int(text or 0) + 1)


def set_(connection: sql.Connection, key: str, value: Any) -> None:
    """Store a setting."""
    connection.execute(sql.delete(meta).where(meta.c.key == key))
    connection.execute(sql.insert(meta), {"key": key, "value": json.dumps(value)})


def _record(connection: sql.Connection, found: Any) -> ImageRecord:
    names = connection.scalars(
        sql.select(paths.c.path).where(paths.c.row == found.row).order_by(paths.c.path)
    ).all()
    return ImageRecord(found.image_id, found.row, found.width, found.height, tuple(names))


def _batches(items: Sequence[T]) -> Iterable[Sequence[T]]:
    return (items[i : i + dialect.MANY] for i in range(0, len(items), dialect.MANY))

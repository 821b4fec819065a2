"""What is in the collection: images, the paths they were found at, files left out, settings."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray

from saccade.errors import InvalidInput, NoSuchImage, StoreFormat
from saccade.store import dialects
from saccade.store.database import Database
from saccade.store.flaws import RESTORE, Flaw
from saccade.store.prepared import Prepared
from saccade.store.tables import fields, images, meta, origins, paths, skipped
from saccade.types import FieldValue, ImageRecord, Origin, Skipped

_ORPHANED = images.c.alive & ~sql.exists().where(paths.c.row == images.c.row)

_DANGLING = (paths.c.path == "") | ~sql.exists().where(images.c.row == paths.c.row)

FIELD_KINDS = "fields"
"""Where the settings keep what each field holds."""
DEAR = frozenset({"format", "recipe"})
"""Settings that nothing else tells."""
MISSING = "missing"
"""The setting that names tables that were not there, until somebody has looked."""

_GENERATION = Prepared(sql.select(meta.c.value).where(meta.c.key == "generation"))
_PLACES = Prepared(sql.select(paths.c.path, paths.c.row, paths.c.mtime_ns))
_FIELDS = Prepared(sql.select(fields.c.row, fields.c.body))
_EXTERNAL = Prepared(
    sql.select(fields.c.row).where(fields.c.external_id == sql.bindparam("external_id"))
)
_EXTERNALS = Prepared(
    sql.select(fields.c.external_id, fields.c.row).where(fields.c.external_id.is_not(None))
)
_ORIGINS = Prepared(sql.select(origins.c.row, origins.c.taken, origins.c.camera))

_ONE = Prepared(
    sql.select(images.c.row, images.c.width, images.c.height, paths.c.path)
    .outerjoin_from(images, paths)
    .where((images.c.image_id == sql.bindparam("image_id")) & images.c.alive)
    .order_by(paths.c.path)
)
"""One image, a line for each of its paths."""


@dataclass(frozen=True, slots=True)
class NewImage:
    """An image about to enter the catalog."""

    image_id: str
    width: int
    height: int
    origin: Origin | None = None
    """Where it comes from; None where nobody has looked."""


@dataclass(frozen=True, slots=True)
class NewPath:
    """A file about to be known as an image."""

    path: str
    image_id: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class ImageFields:
    """What somebody says of an image: an id of theirs, and fields; None takes a field away."""

    external_id: str
    fields: Mapping[str, float | str | bool | None]

    def kinds(self) -> dict[str, str]:
        """What each field holds: number, text or flag."""
        kinds = {bool: "flag", int: "number", float: "number", str: "text"}
        return {name: kinds[type(v)] for name, v in self.fields.items() if v is not None}


@dataclass(frozen=True, slots=True)
class CatalogListing:
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
        try:
            return None if text is None else json.loads(text)
        except ValueError as error:
            raise StoreFormat(
                f"{self._database.file}: its setting {key!r} is damaged: {error}", hint=RESTORE
            ) from error

    def generation(self) -> int:
        """Grows with every change of images, paths or columns."""
        answer = self._database.ask(_GENERATION)
        return _number(answer[0][0]) if answer else 0

    # -- reading -------------------------------------------------------------------------------

    def listing(self) -> CatalogListing:
        """Every image by row."""
        with self._database.read() as connection:
            records = connection.execute(sql.select(images).order_by(images.c.row)).all()
            first = connection.execute(
                sql.select(paths.c.row, sql.func.min(paths.c.path)).group_by(paths.c.row)
            ).all()
        ids = tuple(row.image_id for row in records)
        return CatalogListing(
            ids=ids,
            row_of={image_id: row for row, image_id in enumerate(ids)},
            sizes=np.array([(r.width, r.height) for r in records], np.int32).reshape(-1, 2),
            alive=np.array([r.alive for r in records], np.bool_),
            first_path=dict(first),
        )

    def flaws(self) -> Iterator[Flaw]:
        """What is wrong with settings and paths."""
        with self._database.read() as connection:
            settings = dict(connection.execute(sql.select(meta.c.key, meta.c.value)).all())
            lost = _strings(settings.pop(MISSING, None))
            dangling = connection.scalar(sql.select(sql.func.count()).where(_DANGLING)) or 0
        for table in lost:
            problem = f"its table {table!r} was lost and begun anew"
            yield Flaw("catalog", problem, "would be filled as far as anything tells")
        for key, text in settings.items():
            if not _is_json(text):
                derived = key not in DEAR
                remedy = "would be computed again" if derived else RESTORE
                problem = f"its setting {key!r} is damaged"
                yield Flaw("catalog", problem, remedy, mendable=derived)
        if dangling:
            problem = f"{dangling} paths name no file, or no image"
            yield Flaw("catalog", problem, "would be dropped: `saccade index FOLDER` finds them")
        homeless = self.homeless()
        if homeless:
            problem = f"{homeless} images have no path"
            remedy = "`saccade index FOLDER` finds their files again"
            yield Flaw("catalog", problem, remedy, mendable=False, damage=False)

    def mend(self) -> None:
        """Drop what is damaged and can be computed or found again."""
        with self._database.write() as connection:
            connection.execute(sql.delete(meta).where(meta.c.key == MISSING))
            settings = connection.execute(sql.select(meta.c.key, meta.c.value)).all()
            damaged = [key for key, text in settings if not _is_json(text) and key not in DEAR]
            for key in damaged:
                number = next((_number(text) for name, text in settings if name == key), 0)
                connection.execute(sql.delete(meta).where(meta.c.key == key))
                if key == "generation":
                    set_(connection, key, number)
            connection.execute(sql.delete(paths).where(_DANGLING))

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
        lines = self._database.ask(_ONE, image_id=image_id)
        if not lines:
            raise NoSuchImage(image_id)
        row, width, height, _ = lines[0]
        names = tuple(path for *_, path in lines if path is not None)
        return ImageRecord(image_id, row, width, height, names)

    def records(self, rows: Sequence[int]) -> tuple[ImageRecord, ...]:
        """The images of some rows, in the order given; a page of them is one statement."""
        by_row: dict[int, ImageRecord] = {}
        with self._database.read() as connection:
            for batch in dialects.batches(rows):
                by_row |= _records(connection, images.c.row.in_(batch))
        return tuple(by_row[row] for row in rows)

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

    def places(self) -> list[tuple[str, int, int]]:
        """Every known path with its row and the time its file changed."""
        return self._database.ask(_PLACES)

    def origins(self) -> list[tuple[int, str, str]]:
        """Of every row that was looked at: when it was taken, and with what."""
        return self._database.ask(_ORIGINS)

    def fields(self) -> list[tuple[int, dict[str, FieldValue]]]:
        """The fields of every row that has some."""
        return [(row, json.loads(body)) for row, body in self._database.ask(_FIELDS)]

    def row_of_external(self, external_id: str) -> int | None:
        """The row of an id that others gave."""
        answer = self._database.ask(_EXTERNAL, external_id=external_id)
        return int(answer[0][0]) if answer else None

    def rows_of_externals(self) -> dict[str, int]:
        """Every id that others gave, with its row."""
        return dict(self._database.ask(_EXTERNALS))

    def without_origin(self) -> dict[int, tuple[str, ...]]:
        """The living rows that nobody has looked at, with their paths."""
        unseen = images.c.alive & ~sql.exists().where(origins.c.row == images.c.row)
        query = sql.select(images.c.row, paths.c.path).join_from(images, paths).where(unseen)
        by_row: dict[int, tuple[str, ...]] = {}
        with self._database.read() as connection:
            for row, path in connection.execute(query.order_by(images.c.row, paths.c.path)):
                by_row[row] = (*by_row.get(row, ()), path)
        return by_row

    def skipped(self, offset: int = 0, limit: int | None = None) -> tuple[Skipped, ...]:
        """Files left out, with their reasons."""
        query = sql.select(skipped.c.path, skipped.c.reason).order_by(skipped.c.path)
        with self._database.read() as connection:
            rows = connection.execute(query.offset(offset).limit(limit)).all()
        return tuple(Skipped(row.path, row.reason) for row in rows)

    def count_skipped(self) -> int:
        """How many files were left out."""
        with self._database.read() as connection:
            return int(connection.scalar(sql.select(sql.func.count()).select_from(skipped)) or 0)


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
        origins = {first + i: image.origin for i, image in enumerate(new)}
        add_origins(connection, {row: one for row, one in origins.items() if one is not None})


def add_origins(connection: sql.Connection, by_row: Mapping[int, Origin]) -> None:
    """Keep where images come from, by row."""
    values = [{"row": row, "taken": o.taken, "camera": o.camera} for row, o in by_row.items()]
    for batch in dialects.batches(values):
        rows = [value["row"] for value in batch]
        connection.execute(sql.delete(origins).where(origins.c.row.in_(rows)))
        connection.execute(sql.insert(origins), list(batch))


def set_fields(connection: sql.Connection, by_row: Mapping[int, ImageFields]) -> None:
    """Keep what is said of images, beside what is known; an id that another image has goes over.

    A field holds what its first value was, whoever gave it.
    """
    if not by_row:
        return
    text = connection.scalar(sql.select(meta.c.value).where(meta.c.key == FIELD_KINDS))
    kinds: dict[str, str] = json.loads(text or "{}")
    for one in by_row.values():
        check_kinds(one, kinds)
    set_(connection, FIELD_KINDS, kinds)
    for row, one in by_row.items():
        before = connection.execute(sql.select(fields).where(fields.c.row == row)).one_or_none()
        body = {} if before is None else json.loads(before.body)
        body = {name: v for name, v in {**body, **one.fields}.items() if v is not None}
        external = one.external_id or (None if before is None else before.external_id)
        if one.external_id:
            taken = (fields.c.external_id == one.external_id) & (fields.c.row != row)
            connection.execute(sql.update(fields).where(taken).values(external_id=None))
        connection.execute(sql.delete(fields).where(fields.c.row == row))
        values = {"row": row, "external_id": external, "body": json.dumps(body)}
        connection.execute(sql.insert(fields), values)


def check_kinds(given: ImageFields, kinds: dict[str, str]) -> None:
    """Raise InvalidInput for a value that is not what its field holds; new ones get their kind."""
    for name, kind in given.kinds().items():
        if kinds.setdefault(name, kind) != kind:
            raise InvalidInput(
                f"field {name!r} holds a {kinds[name]}, and {given.fields[name]!r} is a {kind}",
                hint="give the field another name, or a value of its kind",
            )


def add_paths(connection: sql.Connection, new: Sequence[NewPath]) -> None:
    """Know files as images; a dead image whose bytes came back lives again."""
    for batch in dialects.batches(new):
        ids = {path.image_id for path in batch}
        pairs = connection.execute(
            sql.select(images.c.image_id, images.c.row).where(images.c.image_id.in_(ids))
        ).all()
        row_of = dict(pairs)
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
    for batch in dialects.batches(values):
        names = [value["path"] for value in batch]
        connection.execute(sql.delete(skipped).where(skipped.c.path.in_(names)))
        # The file was an image once and is none now: its old path must not stay.
        connection.execute(sql.delete(paths).where(paths.c.path.in_(names)))
        # A file that was left out twice has one reason, the first.
        once = {value["path"]: value for value in reversed(batch)}
        connection.execute(sql.insert(skipped), list(once.values()))


def remove_paths(connection: sql.Connection, gone: Sequence[str]) -> int:
    """Forget paths; images without any path leave the collection. Returns how many."""
    for batch in dialects.batches(gone):
        connection.execute(sql.delete(paths).where(paths.c.path.in_(batch)))
        connection.execute(sql.delete(skipped).where(skipped.c.path.in_(batch)))
    return connection.execute(sql.update(images).where(_ORPHANED).values(alive=False)).rowcount


def changed(connection: sql.Connection) -> None:
    """Tell readers that there is something new."""
    text = connection.scalar(sql.select(meta.c.value).where(meta.c.key == "generation"))
    set_(connection, "generation", _number(text or "0") + 1)


def set_(connection: sql.Connection, key: str, value: Any) -> None:
    """Store a setting."""
    connection.execute(sql.delete(meta).where(meta.c.key == key))
    connection.execute(sql.insert(meta), {"key": key, "value": json.dumps(value)})


def _records(connection: sql.Connection, which: sql.ColumnElement[bool]) -> dict[int, ImageRecord]:
    """Some images by row, each with all its paths."""
    query = (
        sql.select(
            images,
            paths.c.path,
            origins.c.taken,
            origins.c.camera,
            fields.c.external_id,
            fields.c.body,
        )
        .outerjoin_from(images, paths)
        .outerjoin(origins, origins.c.row == images.c.row)
        .outerjoin(fields, fields.c.row == images.c.row)
        .where(which)
        .order_by(images.c.row, paths.c.path)
    )
    records: dict[int, ImageRecord] = {}
    for row, lines in groupby(connection.execute(query), attrgetter("row")):
        first, *others = lines
        names = () if first.path is None else (first.path, *(line.path for line in others))
        records[row] = ImageRecord(
            first.image_id, row, first.width, first.height, names,
            first.taken or "", first.camera or "",
            first.external_id or "", json.loads(first.body or "{}"),
        )  # fmt: skip
    return records


def _number(text: str) -> int:
    """A generation; one that is no number any more still differs from what was before."""
    try:
        return int(text)
    except ValueError:
        return zlib.crc32(text.encode())


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _strings(text: str | None) -> list[str]:
    return [str(item) for item in json.loads(text)] if text and _is_json(text) else []

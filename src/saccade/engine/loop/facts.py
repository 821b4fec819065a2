"""What is known of every row beside how it looks: folders, names, times, cameras, shapes.

Read from the catalog once a generation, as arrays by row or by path, so that a clause is a
comparison of arrays and a count of what fits is a `bincount`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from os.path import commonpath
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection
from saccade.engine.request import SHAPES
from saccade.store.catalog import Catalog
from saccade.types import Array, FieldValue, Rows

Fits = NDArray[np.bool_]  # [rows]
Codes = NDArray[np.int32]  # places in a list of names; -1 for none
Counted = list[tuple[str, int]]

NEVER = np.iinfo(np.int64).min
"""The time of a row without one."""
A_DAY = 86_400
NEARLY_SQUARE = 1.05
PANORAMA = 2.0


@dataclass(frozen=True, eq=False)
class Facts:
    """The rows of one collection and their paths; what follows from them is found out once."""

    rows: int
    names: tuple[str, ...]  # of each path's file, without capital letters
    folders: tuple[str, ...]  # distinct ones
    folder_of: Codes  # [paths]
    row_of: Rows  # [paths]
    times: NDArray[np.int64]  # [rows] seconds of 1970, as the camera's clock or the file has it
    cameras: tuple[str, ...]
    camera_of: Codes  # [rows]
    shape_of: NDArray[np.int8]  # [rows] places in SHAPES
    filled_fields: Sequence[tuple[int, Mapping[str, FieldValue]]] = ()  # of the rows that have some

    @classmethod
    def of(cls, catalog: Catalog, collection: Collection) -> Facts:
        """What a catalog knows of a collection's rows; later ones came since it was read."""
        rows = collection.rows
        places = [place for place in catalog.places() if place[1] < rows]
        row_of = np.array([row for _, row, _ in places], np.int64)
        cut = [_parted(path) for path, _, _ in places]
        folders = {folder: i for i, folder in enumerate(sorted({folder for folder, _ in cut}))}
        # Of several files the oldest one: a copy is made later.
        changed = np.array([time for _, _, time in places], np.int64) // 1_000_000_000
        times = np.full(rows, np.iinfo(np.int64).max)
        np.minimum.at(times, row_of, changed)
        times[times == np.iinfo(np.int64).max] = NEVER
        origins = [origin for origin in catalog.origins() if origin[0] < rows]
        dated = [(row, taken) for row, taken, _ in origins if taken]
        at = np.array([taken for _, taken in dated], "datetime64[s]")
        times[[row for row, _ in dated]] = at.astype(np.int64)
        camera_of, cameras = np.full(rows, -1, np.int32), dict[str, int]()
        for row, _, camera in origins:
            if camera:
                camera_of[row] = cameras.setdefault(camera, len(cameras))
        return cls(
            rows=rows,
            names=tuple(name.casefold() for _, name in cut),
            folders=tuple(folders),
            folder_of=np.array([folders[folder] for folder, _ in cut], np.int32),
            row_of=row_of,
            times=times,
            cameras=tuple(cameras),
            camera_of=camera_of,
            shape_of=_shapes(collection.listing.sizes),
            filled_fields=[one for one in catalog.fields() if one[0] < rows],
        )

    # -- which rows fit ------------------------------------------------------------------------

    def anywhere(self, fits: NDArray[np.bool_]) -> Fits:
        """The rows of the paths that fit: one of several is enough."""
        out = np.zeros(self.rows, np.bool_)
        out[self.row_of[fits]] = True
        return out

    def since(self, day: date) -> Fits:
        """The rows taken on a day or later; one without a time is on neither side."""
        seconds = (day - date(1970, 1, 1)).days * A_DAY
        return np.asarray((self.times >= seconds) & (self.times != NEVER))

    def until(self, day: date) -> Fits:
        """The rows taken before a day."""
        return np.asarray((self.times != NEVER) & ~self.since(day))

    @cached_property
    def fields(self) -> dict[str, Array]:
        """Every field by row: numbers and flags as numbers, texts as they are; else nan or None."""
        names = {name for _, fields in self.filled_fields for name in fields}
        out: dict[str, Array] = {}
        for name in names:
            mine = [(row, fields[name]) for row, fields in self.filled_fields if name in fields]
            text = isinstance(mine[0][1], str)
            values = np.full(self.rows, None, object) if text else np.full(self.rows, np.nan)
            for row, value in mine:
                values[row] = value
            out[name] = values
        return out

    @cached_property
    def below(self) -> tuple[tuple[str, ...], ...]:
        """The parts of each folder, from the one that holds all pictures on; no capital letters.

        Folders above that do not count: everything lies in those.
        """
        above = len(PurePath(commonpath(self.folders)).parts) - 1 if self._comparable else 0
        return tuple(
            tuple(part.casefold() for part in PurePath(folder).parts[above:])
            for folder in self.folders
        )

    @property
    def _comparable(self) -> bool:
        """Whether folders have a common part at all: other drives, or none, have not."""
        try:
            return bool(self.folders) and bool(commonpath(self.folders))
        except ValueError:
            return False

    # -- how many ------------------------------------------------------------------------------

    def in_folders(self, fits: Fits) -> Counted:
        """Every folder below the one that holds all, with how many of these rows lie in it.

        A folder counts what it finds as a clause: what lies deeper, too, and what lies in another
        of the same name.
        """
        names, rows, codes = self._tree
        counts = np.bincount(codes[fits[rows]], minlength=len(names))
        return [(name, int(n)) for name, n in zip(names, counts, strict=True) if n]

    @cached_property
    def _tree(self) -> tuple[tuple[str, ...], Rows, Codes]:
        """Names of folders, and every pair of a row and a folder that it is found in."""
        spelled: dict[tuple[str, ...], str] = {}
        for folder, parts in zip(self.folders, self.below, strict=True):
            plain = PurePath(folder).parts[-len(parts) :] if parts else ()
            for end in range(2, len(parts) + 1):
                spelled.setdefault(parts[1:end], "/".join(plain[1:end]))
        wanted = {parts: i for i, parts in enumerate(sorted(spelled))}
        found_in = [
            sorted(
                {
                    wanted[parts[start:end]]
                    for start in range(len(parts))
                    for end in range(start + 1, len(parts) + 1)
                    if parts[start:end] in wanted
                }
            )
            for parts in self.below
        ]
        lengths = np.array([len(codes) for codes in found_in], np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        flat = np.array([code for codes in found_in for code in codes], np.int64)
        times = lengths[self.folder_of]
        rows = np.repeat(self.row_of, times)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
        codes = flat[np.repeat(starts[:-1][self.folder_of], times) + within]
        if np.bincount(self.row_of).max(initial=0) > 1:
            # A row that lies in a folder twice counts once.
            pairs = np.sort(rows * max(1, len(wanted)) + codes)
            pairs = pairs[np.diff(pairs, prepend=-1) != 0]
            rows, codes = np.divmod(pairs, max(1, len(wanted)))
        return tuple(spelled[parts] for parts in wanted), rows, codes.astype(np.int32)

    def in_months(self, fits: Fits) -> Counted:
        """The months in which these rows were taken, the first first."""
        names, codes = self._months
        return _counted(names, codes, fits)

    @cached_property
    def _months(self) -> tuple[tuple[str, ...], Codes]:
        dated = self.times != NEVER
        months = self.times[dated].astype("datetime64[s]").astype("datetime64[M]")
        distinct, places = np.unique(months, return_inverse=True)
        codes = np.full(self.rows, -1, np.int32)
        codes[dated] = places
        return tuple(str(month) for month in distinct), codes

    def by_camera(self, fits: Fits) -> Counted:
        """The cameras that these rows were taken with, the most used first."""
        return _largest(_counted(self.cameras, self.camera_of, fits))

    def by_shape(self, fits: Fits) -> Counted:
        """The shapes of these rows, the most frequent first."""
        return _largest(_counted(SHAPES, self.shape_of.astype(np.int32), fits))


def largest(counts: Mapping[str, int]) -> Counted:
    """Names with their counts, the largest first, equal ones by name."""
    return _largest(counts.items())


def _largest(counted: Iterable[tuple[str, int]]) -> Counted:
    return sorted(((name, n) for name, n in counted if n), key=lambda one: (-one[1], one[0]))


def _counted(names: Sequence[str], codes: Codes, fits: Fits) -> Counted:
    mine = codes[fits]
    counts = np.bincount(mine[mine >= 0], minlength=len(names))
    return [(name, int(n)) for name, n in zip(names, counts, strict=True) if n]


def _parted(path: str) -> tuple[str, str]:
    """Folder and name of a file: what `os.path.split` gives, for many."""
    name = path.replace("\\", "/").rpartition("/")[2] if "\\" in path else path.rpartition("/")[2]
    folder = path[: len(path) - len(name) - 1]
    return folder or path[: len(path) - len(name)], name


def _shapes(sizes: NDArray[np.int32]) -> NDArray[np.int8]:
    """The shape of each picture by its width and height."""
    width, height = sizes[:, 0].astype(float), np.maximum(sizes[:, 1], 1).astype(float)
    ratio = width / height
    shapes = np.select(
        [ratio >= PANORAMA, ratio > NEARLY_SQUARE, ratio < 1 / NEARLY_SQUARE],
        [SHAPES.index("panorama"), SHAPES.index("wide"), SHAPES.index("tall")],
        SHAPES.index("square"),
    )
    return shapes.astype(np.int8)

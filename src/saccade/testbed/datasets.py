"""Labelled picture sets, read by their layout and never by their name.

Two layouts are known:

    FOLDER/labels.csv           a column `file`, a label column, any others; the pictures lie in
    FOLDER/images/…             `images/`, or beside the table when there is no such folder

    FOLDER/<class>/…            one folder a class, without a table

"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.images.scan import scan
from saccade.types import Skipped

TABLE = "labels.csv"


@dataclass(frozen=True, slots=True)
class Dataset:
    """Pictures and their labels, one row a picture, in the order of the table or of the names."""

    folder: Path
    files: tuple[Path, ...]
    labels: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # every other column
    lines: tuple[int, ...] = ()  # of the table that each row stands on; none without a table
    problems: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.files)

    @property
    def classes(self) -> tuple[str, ...]:
        """The different labels, in the order of their first picture."""
        return tuple(dict.fromkeys(self.labels))

    def truth(self) -> dict[str, str]:
        """Label by path, as a simulated person takes it."""
        paths = (str(file) for file in self.files)
        return dict(zip(paths, self.labels, strict=True))

    def column(self, name: str) -> tuple[str, ...]:
        """One of the other columns, as text."""
        if name not in self.columns:
            raise InvalidInput(f"{self.folder} has no column {name!r}; {_there_are(self.columns)}")
        return self.columns[name]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """One of the other columns, as numbers, [n]."""
        values = np.empty(len(self))
        for row, text in enumerate(self.column(name)):
            try:
                values[row] = float(text)
            except ValueError:
                place = f"{self.folder / TABLE}, line {self.lines[row]}"
                raise InvalidInput(f"{place}: {text!r} in column {name!r} is no number") from None
        return values


def load(folder: str | Path, *, label: str = "class") -> Dataset:
    """Read a labelled set; `label` is the column of the labels, where there is a table.

    Raises:
        InvalidInput: no such folder; a table without the columns, with a broken line, or naming
            pictures that are not there; nothing in it.
    """
    folder = Path(folder).expanduser()
    if not folder.is_dir():
        raise InvalidInput(f"no folder {str(folder)!r}; check the path")
    if (folder / TABLE).is_file():
        return _from_table(folder, label)
    return _from_folders(folder)


def _from_folders(folder: Path) -> Dataset:
    """Each picture's class is the first folder on the way to it."""
    files, labels = [], []
    for found in scan(folder):
        if isinstance(found, Skipped):
            raise InvalidInput(f"{found.path}: {found.reason}; mend it or move it away")
        parts = found.path.relative_to(folder).parts
        if len(parts) > 1:
            files.append(found.path)
            labels.append(parts[0])
    if not files:
        raise InvalidInput(
            f"{folder} has neither {TABLE} nor folders with pictures",
            hint="put each class into its own folder, or write a table with `file` and `class`",
        )
    return Dataset(folder, tuple(files), tuple(labels))


def _from_table(folder: Path, label: str) -> Dataset:
    table = folder / TABLE
    names, rows, lines = _read(table)
    for needed in ("file", label):
        if needed not in names:
            raise InvalidInput(f"{table}, line 1: no column {needed!r}; {_there_are(names)}")
    columns = {name: tuple(row[i] for row in rows) for i, name in enumerate(names)}
    below = folder / "images" if (folder / "images").is_dir() else folder
    files = _located(table, below, columns.pop("file"), lines)
    return Dataset(folder, files, columns.pop(label), columns, lines)


def _read(table: Path) -> tuple[list[str], list[list[str]], tuple[int, ...]]:
    """The header, the rows, each as long as it, and their lines; empty lines are no rows."""
    try:
        with table.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream)
            names = next(reader, [])
            rows, lines = [], []
            for row in filter(None, reader):
                if len(row) != len(names):
                    raise InvalidInput(
                        f"{table}, line {reader.line_num}: {len(row)} fields where the header has "
                        f"{len(names)}"
                    )
                rows.append(row)
                lines.append(reader.line_num)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{table} is not UTF-8 text: {error.reason}; save it as UTF-8"
        ) from error
    except csv.Error as error:
        raise InvalidInput(f"{table}, line {reader.line_num}: {error}") from error
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(f"{table}, line 1: column {twice[0]!r} is there twice; rename one")
    if not rows:
        raise InvalidInput(f"{table} lists no picture; give it a line for each")
    return names, rows, tuple(lines)


def _located(
    table: Path, below: Path, names: Sequence[str], lines: Sequence[int]
) -> tuple[Path, ...]:
    """The pictures' paths; all of them must be there, once each, below the folder."""
    seen: dict[str, int] = {}
    missing = []
    for name, line in zip(names, lines, strict=True):
        path = PurePosixPath(name)
        if not name or path.is_absolute() or ".." in path.parts:
            raise InvalidInput(f"{table}, line {line}: file {name!r} is no path below {below}")
        if name in seen:
            raise InvalidInput(f"{table}, line {line}: file {name!r} is on line {seen[name]} too")
        seen[name] = line
        if not (below / path).is_file():
            missing.append(f"{name} (line {line})")
    if missing:
        shown = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
        raise InvalidInput(
            f"{table}: {len(missing)} of {len(names)} pictures are not in {below}: {shown}"
        )
    return tuple(below / name for name in names)


def _there_are(names: Sequence[str] | Mapping[str, object]) -> str:
    return f"there are: {', '.join(names)}" if names else "there are none"

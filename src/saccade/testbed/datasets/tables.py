"""FOLDER/labels.csv: a column `file`, a label column, and any others.

    file,class,split,rank_natural            the pictures lie in FOLDER/images, or beside the table
    file,role,book_id,title                  role: query and gallery, or model and probe

FOLDER/pairs.csv, where there is one, compares pictures by attribute:

    attribute,more,less        or        attribute,first,second,relation      more, less or alike
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from saccade.errors import InvalidInput
from saccade.testbed.datasets.record import TABLE, Dataset, Pair, named, there_are

PAIRS = "pairs.csv"
LABELS = ("class", "label", "category", "concept", "keyword", "object")
"""What a column of labels is called, in the order in which they are looked for."""


def read(folder: Path, label: str | None) -> Dataset | None:
    """The set of a table, or None where there is no table."""
    table = folder / TABLE
    if not table.is_file():
        return None
    names, rows, lines = _read(table)
    if "file" not in names:
        raise InvalidInput(f"{table}, line 1: no column 'file'; {there_are(names)}")
    columns = {name: tuple(row[i] for row in rows) for i, name in enumerate(names)}
    label = _label_of(table, columns) if label is None else label
    if label and label not in names:
        raise InvalidInput(f"{table}, line 1: no column {label!r}; {there_are(names)}")
    below = folder / "images" if (folder / "images").is_dir() else folder
    files, there, problems = _located(table, below, columns.pop("file"), rows, lines)
    labels = columns.pop(label) if label else ("",) * len(rows)
    others = {name: tuple(values[i] for i in there) for name, values in columns.items()}
    dataset = Dataset(
        folder, files, tuple(labels[i] for i in there), others, tuple(lines[i] for i in there),
        layout="table", problems=tuple(problems),
    )  # fmt: skip
    return _with_pairs(dataset, below)


def _label_of(table: Path, columns: Mapping[str, Sequence[str]]) -> str:
    """The column of labels: a usual name, or what links the sides of a set with roles."""
    for name in LABELS:
        if name in columns:
            return name
    roles = columns.get("role")
    if roles is not None:
        gallery = roles[0]
        for name, values in columns.items():
            if name in ("file", "role"):
                continue
            answers = {v for v, role in zip(values, roles, strict=True) if role == gallery}
            asked = {v for v, role in zip(values, roles, strict=True) if role != gallery}
            if asked and asked <= answers:
                return name
    if "grade" in columns or any(name.startswith("rank_") for name in columns):
        return ""
    raise InvalidInput(
        f"{table}, line 1: no column 'class'; {there_are(list(columns))}",
        hint=f"a column of labels is called one of {', '.join(LABELS)}",
    )


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
    table: Path, below: Path, names: Sequence[str], rows: Sequence[list[str]], lines: Sequence[int]
) -> tuple[tuple[Path, ...], list[int], list[str]]:
    """Paths of the pictures that are there, their rows, and problems that count the others."""
    seen: dict[str, int] = {}  # name -> row
    there, missing, again = [], [], []
    for row, (name, line) in enumerate(zip(names, lines, strict=True)):
        path = PurePosixPath(name)
        if not name or path.is_absolute() or ".." in path.parts:
            raise InvalidInput(f"{table}, line {line}: file {name!r} is no path below {below}")
        if name in seen:
            first = seen[name]
            if rows[first] != rows[row]:
                raise InvalidInput(
                    f"{table}, line {line}: file {name!r} is on line {lines[first]} too, and not "
                    "the same is said of it"
                )
            again.append(f"{name} (line {line})")
            continue
        seen[name] = row
        if (below / path).is_file():
            there.append(row)
        else:
            missing.append(f"{name} (line {line})")
    problems = [named(f"labelled files are not in {below}", missing)] if missing else []
    if not there:
        raise InvalidInput(f"{table}: {problems[0]}", hint="check the column `file`")
    if again:
        problems.append(named("lines are there twice, and count once", again))
    return tuple(below / names[row] for row in there), there, problems


def _with_pairs(dataset: Dataset, below: Path) -> Dataset:
    """The set with the comparisons of its pairs.csv."""
    from dataclasses import replace

    table = dataset.folder / PAIRS
    if not table.is_file():
        return dataset
    names, rows, lines = _read(table)
    place = {file.relative_to(below).as_posix(): row for row, file in enumerate(dataset.files)}
    sides = ("more", "less") if "more" in names else ("first", "second")
    for needed in ("attribute", *sides):
        if needed not in names:
            raise InvalidInput(f"{table}, line 1: no column {needed!r}; {there_are(names)}")
    pairs, missing = [], []
    for row, line in zip(rows, lines, strict=True):
        entry = dict(zip(names, row, strict=True))
        ends = [place.get(entry[side]) for side in sides]
        if ends[0] is None or ends[1] is None:
            missing.append(f"line {line}")
            continue
        pairs.append(_pair(table, line, entry, ends[0], ends[1]))
    problems = (
        (named(f"pairs of {table} name files that are not there", missing),) if missing else ()
    )
    return replace(dataset, pairs=tuple(pairs), problems=(*dataset.problems, *problems))


def _pair(table: Path, line: int, entry: Mapping[str, str], first: int, second: int) -> Pair:
    relation = entry.get("relation", "more").strip().lower()
    if relation not in ("more", "less", "alike"):
        raise InvalidInput(f"{table}, line {line}: relation {relation!r}: give more, less or alike")
    if relation == "less":
        first, second = second, first
    return Pair(entry["attribute"], first, second, alike=relation == "alike")

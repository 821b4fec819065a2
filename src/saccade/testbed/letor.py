r"""LETOR files: svmlight lines with a query id, plain or gzipped.

    2 qid:10 1:0.031 3:1.5 # docid = 40626

A missing feature is 0. The lines of one query lie together. Features count from 1 in the file and
are columns from 0 here. Comments are kept as they stand. What `write` prints, `read` reads back as
the same values. Whatever cannot be read is refused with the file, the line and the field.

>>> import pathlib, tempfile
>>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.txt"
>>> _ = path.write_text("1 qid:7 1:0.5 # a\n0 qid:7 2:2\n")
>>> data = read(path)
>>> data.phi.tolist(), data.grades.tolist(), data.groups.tolist(), data.comments
([[0.5, 0.0], [0.0, 2.0]], [1, 0], [7, 7], (' a', ''))

>>> data.queries.tolist(), [len(one.grades) for one in stream(path, features=2)]
([7], [2])
>>> write(path, data.phi, data.grades, data.groups)
>>> read(path).phi.tolist() == data.phi.tolist()
True
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, NotFound
from saccade.types import Phi

CHUNK = 1 << 23  # bytes parsed at once: a file of any size needs little more than its own numbers


@dataclass(frozen=True, slots=True, eq=False)
class Letor:
    """Graded rows of one file, or of one query of it."""

    phi: Phi
    grades: NDArray[np.int64]
    groups: NDArray[np.int64]
    comments: tuple[str, ...] = ()

    @property
    def queries(self) -> NDArray[np.int64]:
        """Query ids in the order of the file."""
        return self.groups[np.flatnonzero(_changes(self.groups))]


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """What one chunk of lines holds, with values still sparse."""

    grades: NDArray[np.int64]
    groups: NDArray[np.int64]
    lines: NDArray[np.int64]
    bounds: NDArray[np.int64]
    features: NDArray[np.int64]
    values: NDArray[np.float32]
    comments: list[str]


def read(path: str | Path, *, features: int = 0) -> Letor:
    """The whole file. With `features` the rows have that width, and a higher feature is refused."""
    blocks = list(_blocks(Path(path), features))
    if not sum(len(block.grades) for block in blocks):
        raise InvalidInput(f"{path}: no rows", hint="expected lines like '2 qid:1 1:0.5 2:0.25'")
    width = features or 1 + max((int(b.features.max(initial=-1)) for b in blocks), default=-1)
    if width == 0:
        raise InvalidInput(f"{path}: no row has a feature", hint="expected fields like '1:0.5'")
    return Letor(
        phi=np.concatenate([_dense(block, width) for block in blocks]),
        grades=np.concatenate([block.grades for block in blocks]),
        groups=np.concatenate([block.groups for block in blocks]),
        comments=tuple(text for block in blocks for text in block.comments),
    )


def stream(path: str | Path, *, features: int) -> Iterator[Letor]:
    """Query after query, each with `features` columns; memory holds one chunk and one query."""
    query: Letor | None = None
    for block in _blocks(Path(path), features):
        phi = _dense(block, features)
        cuts = [*np.flatnonzero(_changes(block.groups)).tolist(), len(block.groups)]
        for begin, end in pairwise(cuts):
            part = Letor(
                phi[begin:end],
                block.grades[begin:end],
                block.groups[begin:end],
                tuple(block.comments[begin:end]),
            )
            if query is not None and query.groups[0] != part.groups[0]:
                yield query
                query = None
            query = part if query is None else _joined(query, part)
    if query is not None:
        yield query


def write(
    path: str | Path,
    phi: Phi,
    grades: NDArray[np.int64],
    groups: NDArray[np.int64],
    *,
    comments: Sequence[str] = (),
) -> None:
    """Write rows; zeros are left out, values are the shortest text that reads back the same.

    A name that ends in `.gz` is gzipped. The file appears whole or not at all.
    """
    path = Path(path)
    phi = np.asarray(phi, np.float32)
    if phi.ndim != 2 or len(phi) != len(grades) or len(phi) != len(groups):
        raise InvalidInput(f"{path}: phi [n, m], grades [n] and groups [n] must have one n")
    if comments and len(comments) != len(phi):
        raise InvalidInput(f"{path}: {len(comments)} comments for {len(phi)} rows")
    if not np.isfinite(phi).all():
        raise InvalidInput(f"{path}: row {int(np.argwhere(~np.isfinite(phi))[0][0])} is not finite")
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _writer(partial, packed=path.suffix == ".gz") as file:
            for row in range(len(phi)):
                comment = comments[row] if comments else ""
                file.write(_line(phi[row], int(grades[row]), int(groups[row]), comment))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _line(row: NDArray[np.float32], grade: int, group: int, comment: str) -> bytes:
    """One row as text. The last column is always printed, so that the width survives."""
    columns = np.flatnonzero(row).tolist()
    if len(row) and (not columns or columns[-1] != len(row) - 1):
        columns.append(len(row) - 1)
    fields = " ".join(f"{column + 1}:{row[column]!s}" for column in columns)
    note = f" #{comment}" if comment else ""
    return f"{grade} qid:{group} {fields}{note}\n".encode()


def _writer(path: Path, *, packed: bool) -> BinaryIO:
    if not packed:
        return path.open("wb")
    # No name and no time in the header: the same rows give the same bytes.
    return cast(BinaryIO, _Packed(path))


class _Packed(gzip.GzipFile):
    """A gzip file that closes the file below it."""

    def __init__(self, path: Path) -> None:
        self._below = path.open("wb")
        super().__init__(filename="", fileobj=self._below, mode="wb", mtime=0)

    def close(self) -> None:
        super().close()
        self._below.close()


def _changes(groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True where a row starts a new query."""
    first = np.ones(len(groups), bool)
    first[1:] = groups[1:] != groups[:-1]
    return first


def _joined(one: Letor, two: Letor) -> Letor:
    return Letor(
        np.concatenate([one.phi, two.phi]),
        np.concatenate([one.grades, two.grades]),
        np.concatenate([one.groups, two.groups]),
        one.comments + two.comments,
    )


def _dense(block: _Block, width: int) -> Phi:
    from saccade.kernels import letor as kernel

    out = np.zeros((len(block.grades), width), np.float32)
    kernel.spread(block.features, block.values, block.bounds, out)
    return out


def _blocks(path: Path, limit: int) -> Iterator[_Block]:
    """Parsed chunks, with the queries' order checked across them."""
    done: set[int] = set()
    current: int | None = None
    for data, first_line in _chunks(path):
        block = _parse(data, path, first_line, limit)
        for at in np.flatnonzero(_changes(block.groups)).tolist():
            query = int(block.groups[at])
            if query == current:
                continue
            if query in done:
                raise InvalidInput(
                    f"{path}:{block.lines[at]}: query {query} again after other queries",
                    hint="the lines of one query must lie together; sort the file by qid",
                )
            done.add(query)
            current = query
        yield block


def _chunks(path: Path) -> Iterator[tuple[bytes, int]]:
    """Whole lines, and the number of the first one."""
    line, rest = 1, b""
    try:
        with _open(path) as file:
            while piece := file.read(CHUNK):
                cut = piece.rfind(b"\n") + 1
                if cut == 0:
                    rest += piece
                    continue
                whole = rest + piece[:cut]
                yield whole, line
                line += whole.count(b"\n")
                rest = piece[cut:]
    except FileNotFoundError:
        raise NotFound(f"{path}: no such file") from None
    except (OSError, EOFError) as error:
        raise InvalidInput(f"{path}:{line}: cannot be read on from here: {error}") from error
    if rest:
        yield rest, line


def _open(path: Path) -> BinaryIO:
    """The file's bytes, unpacked when they start as gzip does."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")


def _parse(data: bytes, path: Path, first_line: int, limit: int) -> _Block:
    from saccade.kernels import letor as kernel

    text = np.frombuffer(data, np.uint8)
    slots = int(np.count_nonzero(text == ord(":")))
    most = int(np.count_nonzero(text == ord("\n"))) + 1
    rows = np.empty((most, 3), np.int64)
    bounds = np.empty(most + 1, np.int64)
    comments = np.empty((most, 2), np.int64)
    features = np.empty(slots, np.int64)
    values = np.empty(slots, np.float64)
    inexact = np.empty((slots, 3), np.int64)
    n, used, odd, code, line, begin, end = kernel.parse(
        text, kernel.POWERS, limit, rows, bounds, features, values, comments, inexact
    )
    if code != kernel.GOOD:
        field = data[begin:end].decode(errors="replace")
        raise InvalidInput(f"{path}:{first_line + line}: {_complaint(code, field, limit)}")
    rows, bounds = rows[:n], bounds[: n + 1]
    lines = rows[:, 2] + first_line
    for slot, begin, end in inexact[:odd].tolist():
        values[slot] = _number(data[begin:end])
    with np.errstate(over="ignore"):
        single = values[:used].astype(np.float32)
    wrong = np.flatnonzero(~np.isfinite(single))
    if len(wrong):
        row = int(np.searchsorted(bounds, wrong[0], side="right")) - 1
        raise InvalidInput(
            f"{path}:{lines[row]}: feature {features[wrong[0]] + 1} is not a finite number"
        )
    return _Block(
        rows[:, 0].copy(), rows[:, 1].copy(), lines, bounds, features[:used], single,
        [data[a:b].decode(errors="replace").rstrip("\r") if a >= 0 else ""
         for a, b in comments[:n].tolist()],
    )  # fmt: skip


def _number(text: bytes) -> float:
    """A number by the full parser; NaN when it is none."""
    try:
        return float("nan") if b"_" in text else float(text)
    except ValueError:
        return float("nan")


def _complaint(code: int, field: str, limit: int) -> str:
    """What is wrong with a field, and what belongs there."""
    from saccade.kernels import letor as kernel

    texts: dict[int, str] = {
        kernel.BAD_GRADE: f"grade {field!r} is not a whole number from 0",
        kernel.NO_QUERY: f"expected 'qid:NUMBER' after the grade, found {field!r}",
        kernel.BAD_QUERY: f"query id {field!r} is not a whole number from 0",
        kernel.BAD_FEATURE: f"field {field!r} is not 'FEATURE:VALUE' with a feature number from 1",
        kernel.BAD_VALUE: f"field {field!r} has no value",
        kernel.UNSORTED_FEATURE: f"field {field!r} does not come after the features before it",
        kernel.TOO_MANY_FEATURES: f"field {field!r}: features 1 to {limit} are known here",
    }
    return texts[code]

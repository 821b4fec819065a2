"""Descriptors on disk: immutable segments of rows, memory-mapped.

A segment is a batch of named arrays for consecutive rows. Its files are written under a temporary
name, synced, renamed, and then made visible by one SQL transaction; a file no transaction named is
rubbish from an interrupted run and is swept by the next writer.
"""

from __future__ import annotations

import json
import logging
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sqlalchemy as sql

from saccade import trace
from saccade.errors import StoreError
from saccade.hints import REPAIR
from saccade.store import arrays as bundles
from saccade.store import files
from saccade.store.database import Database, explained
from saccade.store.dialect import MANY
from saccade.store.tables import as_bytes, checksums, segments
from saccade.types import Array, Arrays

log = logging.getLogger(__name__)

BEHIND = 64 * 2**20
"""Bytes of a file beyond which nobody who opens a store waits for it to be verified."""

# Neighbouring segments are merged until they hold this many rows: few maps, bounded rewriting.
LARGE = 65_536


@dataclass(frozen=True, slots=True)
class Segment:
    """Where the rows `first` to `first + rows` of one column lie."""

    segment_id: int
    name: str
    version: str
    first: int
    rows: int
    files: Mapping[str, str]

    @property
    def last(self) -> int:
        """Its last row."""
        return self.first + self.rows - 1


@dataclass(frozen=True, slots=True)
class Draft:
    """A segment whose files are on disk but which nobody sees."""

    name: str
    version: str
    first: int
    rows: int
    files: Mapping[str, str]
    digests: Mapping[str, str]  # by file


class Columns:
    """Segments of every column of one store."""

    def __init__(self, database: Database, root: Path) -> None:
        self._database = database
        self._root = root
        # Files do not change once they are written: each is verified when it is first mapped, or
        # behind, where it is large.
        self._verified: set[str] = set()
        self._owed: dict[str, None] = {}
        self._damaged: set[str] = set()  # of those
        self._at_once = False

    def segments(self) -> tuple[Segment, ...]:
        """Every visible segment, by column and row."""
        return tuple(segment for _, segment in self._rows() if segment is not None)

    def unreadable(self) -> tuple[int, ...]:
        """Rows of the catalog that should be segments and are none."""
        return tuple(number for number, segment in self._rows() if segment is None)

    def _rows(self) -> list[tuple[int, Segment | None]]:
        text = [as_bytes(segments.c[n]) for n in ("name", "version", "files")]
        query = sql.select(segments.c.segment, segments.c.first, segments.c.rows, *text)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(segments.c.name, segments.c.first)).all()
        return [(row[0], _segment(*row)) for row in rows]

    def drop_unreadable(self) -> None:
        """Let go of rows that should be segments and are none."""
        with self._database.write() as connection:
            gone = segments.c.segment.in_(self.unreadable())
            connection.execute(sql.delete(segments).where(gone))

    def bare(self) -> list[tuple[Segment, list[str]]]:
        """Segments with files that have no checksum, and those files."""
        with self._database.read() as connection:
            checksummed = set(connection.scalars(sql.select(checksums.c.file)))
        pairs = (
            (s, [f for f in s.files.values() if f not in checksummed]) for s in self.segments()
        )
        return [(segment, lacking) for segment, lacking in pairs if lacking]

    def mark(self, names: Iterable[str]) -> None:
        """Give files checksums, as they are now."""
        with self._database.write() as connection:
            for file in set(names):
                with trace.dropping(log, OSError, StoreError, doing="taking a checksum", file=file):
                    digest = files.digest_of(files.inside(self._root, file))
                    connection.execute(sql.delete(checksums).where(checksums.c.file == file))
                    connection.execute(sql.insert(checksums), {"file": file, "digest": digest})

    def coverage(self) -> dict[tuple[str, str], int]:
        """How many rows, from the first on without a gap, each (column, version) covers."""
        covered: dict[tuple[str, str], int] = {}
        for s in self.segments():
            key = (s.name, s.version)
            if s.first == covered.get(key, 0):
                covered[key] = s.first + s.rows
        return covered

    def load(self, segment: Segment, *, again: bool = False) -> dict[str, Array]:
        """The arrays of a segment, mapped into memory.

        Each file is verified the first time, or `again`: before it is mapped, or behind where it is
        large (`verify`).
        """
        if again:
            self._verified -= set(segment.files.values())
        unknown = [file for file in segment.files.values() if file not in self._verified]
        later = set() if again else {file for file in unknown if self._can_wait(file)}
        digests = self.digests([file for file in unknown if file not in later])
        out = {}
        for name, file in segment.files.items():
            place = files.inside(self._root, file)
            try:
                sound = file not in digests or files.digest_of(place) == digests[file]
                if sound:
                    out[name] = np.load(place, mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError, EOFError) as error:
                raise _damaged(segment, f"{place} is missing or damaged") from error
            if not sound:
                raise _damaged(segment, f"{place} does not match its checksum")
            if file in later:
                self._owed[file] = None
            else:
                self._verified.add(file)
        return out

    def _can_wait(self, file: str) -> bool:
        """Whether a file is mapped before it is verified."""
        if self._at_once or file in self._damaged:
            return False
        with suppress(OSError):
            return files.inside(self._root, file).stat().st_size > BEHIND
        return False

    @property
    def owed(self) -> bool:
        """Whether files are mapped that were not verified yet."""
        return bool(self._owed)

    def verify(self, going: Callable[[], bool] = lambda: True) -> tuple[str, ...]:
        """Verify what is owed as long as it is `going`; gives the files that are damaged.

        Those are not mapped again: whoever loads their segment is told.
        """
        wrong = []
        for file in tuple(self._owed):
            place, digests = files.inside(self._root, file), self.digests([file])
            try:
                found = files.unhurried_digest_of(place, going)
                if found is None:
                    break
                sound = file not in digests or found == digests[file]
            except OSError as error:
                trace.swallowed(log, error, doing="verifying a file", file=file)
                sound = False
            self._owed.pop(file, None)
            if sound:
                self._verified.add(file)
            else:
                self._damaged.add(file)
                wrong.append(file)
        return tuple(wrong)

    @contextmanager
    def all_verified(self) -> Iterator[None]:
        """Meanwhile nothing is mapped before it is verified: what is made of columns stays."""
        self.verify()
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False

    def digests(self, wanted: Sequence[str] | None = None) -> dict[str, str]:
        """The checksums of files, of some or of all that have one."""
        query = sql.select(checksums.c.file, checksums.c.digest)
        if wanted is not None:
            query = query.where(checksums.c.file.in_(wanted))
        if wanted is not None and not wanted:
            return {}
        with self._database.read() as connection:
            return dict(connection.execute(query).all())

    def draft(self, name: str, version: str, first: int, arrays: Arrays) -> Draft:
        """Write a segment's files; `Store.commit` makes it visible."""
        folder = Path("columns") / _slug(name)
        stem = f"{first:09d}-{uuid.uuid4().hex[:12]}"
        names = {key: str(folder / f"{stem}.{_slug(key)}.npy") for key in arrays}
        with explained(self._root):
            digests = {
                names[key]: files.write_array(files.inside(self._root, names[key]), array)
                for key, array in arrays.items()
            }
            files.sync_folder(self._root / folder)
        return Draft(name, version, first, bundles.count(arrays), names, digests)

    def merge(self) -> int:
        """Join neighbouring small segments. Returns how many were joined."""
        joined = 0
        groups: dict[tuple[str, str], list[list[Segment]]] = {}
        for s in self.segments():
            runs = groups.setdefault((s.name, s.version), [[]])
            run = runs[-1]
            ends = run[-1].first + run[-1].rows if run else s.first
            if run and (ends != s.first or sum(r.rows for r in run) + s.rows > LARGE):
                runs.append([])
            runs[-1].append(s)
        for (name, version), runs in groups.items():
            for run in runs:
                if len(run) > 1:
                    # Damaged: the doctor's, not a reason to stop.
                    with trace.dropping(log, StoreError, doing="joining segments", column=name):
                        joined += self._join(name, version, run)
        return joined

    def _join(self, name: str, version: str, run: list[Segment]) -> int:
        whole = bundles.concatenate([self.load(s) for s in run])
        draft = self.draft(name, version, run[0].first, whole)
        with self._database.write() as connection:
            ids = [s.segment_id for s in run]
            connection.execute(sql.delete(segments).where(segments.c.segment.in_(ids)))
            publish(connection, draft)
        return len(run)

    def strays(self) -> list[Path]:
        """Files no segment names. A link is one itself: what it leads to is not ours."""
        named = {file for s in self.segments() for file in s.files.values()}
        columns = self._root / "columns"
        if columns.is_symlink() or not columns.is_dir():
            return []
        paths: list[Path] = []
        for folder in sorted(columns.iterdir()):
            if folder.is_symlink() or not folder.is_dir():
                paths.append(folder)
            else:
                inside = sorted(folder.iterdir())
                paths += [file for file in inside if file.is_symlink() or not file.is_dir()]
        return [f for f in paths if f.relative_to(self._root).as_posix() not in named]

    def sweep(self) -> int:
        """Delete strays. Only the indexer may: another process's could be half-written."""
        strays = self.strays()
        if not strays:
            return 0
        for file in strays:
            file.unlink(missing_ok=True)
        gone = [file.relative_to(self._root).as_posix() for file in strays]
        with self._database.write() as connection:
            for i in range(0, len(gone), MANY):
                of_these = checksums.c.file.in_(gone[i : i + MANY])
                connection.execute(sql.delete(checksums).where(of_these))
        return len(strays)


def publish(connection: sql.Connection, draft: Draft) -> None:
    """Make a written segment visible, within a transaction of the store."""
    connection.execute(
        sql.insert(segments),
        {
            "name": draft.name,
            "version": draft.version,
            "first": draft.first,
            "rows": draft.rows,
            "files": dict(draft.files),
        },
    )
    rows = [{"file": file, "digest": digest} for file, digest in draft.digests.items()]
    connection.execute(sql.insert(checksums), rows)


def retract(connection: sql.Connection, name: str, version: str | None) -> None:
    """Drop a whole column, or one version of it, within a transaction of the store."""
    query = sql.delete(segments).where(segments.c.name == name)
    if version is not None:
        query = query.where(segments.c.version == version)
    connection.execute(query)


def drop(connection: sql.Connection, segment: Segment) -> None:
    """Drop one segment, within a transaction of the store."""
    connection.execute(sql.delete(segments).where(segments.c.segment == segment.segment_id))


def listed(text: bytes) -> dict[str, str] | None:
    """The files of a segment as a catalog keeps them; None where that is no list of files."""
    try:
        file_names = json.loads(text)
    except (TypeError, ValueError):
        return None
    if not isinstance(file_names, dict) or not file_names:
        return None
    return file_names if all(isinstance(file, str) for file in file_names.values()) else None


def _segment(
    number: int, first: int, rows: int, name: bytes, version: bytes, named: bytes
) -> Segment | None:
    """A row of the catalog as a segment; None where it is damaged."""
    file_names = listed(named)
    counts = isinstance(first, int) and isinstance(rows, int) and first >= 0 and rows >= 0
    if file_names is None or not counts:
        return None
    try:
        return Segment(number, name.decode(), version.decode(), first, rows, file_names)
    except (AttributeError, ValueError):
        return None


def _damaged(segment: Segment, what: str) -> StoreError:
    return StoreError(f"column {segment.name!r}: {what}", hint=REPAIR)


def _slug(name: str) -> str:
    """A name for a folder or file; columns may be called by paths and settings of encoders."""
    plain = re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-")[:48]
    if plain == name:
        return plain
    return f"{plain}-{uuid.uuid5(uuid.NAMESPACE_URL, name).hex[:8]}"

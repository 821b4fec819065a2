"""Columns that lag behind the collection: a new descriptor, a new version, a repaired segment.

Only what is missing is computed, from the pictures where they are now, a few hundred rows at a
time, each batch visible when it is whole.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from saccade.engine.indexing import crew
from saccade.engine.indexing.worker import Described, FileBatch
from saccade.engine.progress import Progress, Watch
from saccade.engine.sources import SOURCES, SourceTable
from saccade.store import arrays as bundles
from saccade.store.store import Store
from saccade.types import Array, Skipped

ROWS_A_COMMIT = 512
Run = Callable[[Iterable[FileBatch], int], crew.Results]
"""Describes tasks of so many files."""
BLANK = "blank"
"""Where the settings keep, by column, the rows whose pictures could not be read."""


@dataclass(frozen=True, slots=True)
class FileBlock:
    """Rows that are committed together, and a file of each that is there, or nothing."""

    rows: range
    files: tuple[str, ...]

    @property
    def readable(self) -> tuple[str, ...]:
        """The files that are there."""
        return tuple(file for file in self.files if file)


class Backfill:
    """Brings the columns of a store up to its rows. `versions` names the columns wanted.

    Columns of descriptors that are `resting` are left as they are.
    """

    def __init__(
        self,
        store: Store,
        versions: Mapping[str, str],
        watch: Watch,
        run: Run = crew.run,
        *,
        sources: SourceTable = SOURCES,
        resting: Collection[str] = (),
    ) -> None:
        self._store = store
        self._versions = versions
        self._watch = watch
        self._run = run
        self._sources = sources
        self._left_alone = {*resting, *sources.derived()}
        self.problems: list[Skipped] = []

    def missing(self) -> dict[str, int]:
        """For each column that does not cover the collection, the first row it lacks."""
        total = self._store.catalog.total()
        covered = self._store.columns.coverage()
        lag = {n: covered.get((n, v), 0) for n, v in self._versions.items()}
        return {name: first for name, first in lag.items() if first < total}

    def run(self) -> None:
        """Compute what columns lack (a new descriptor, a repaired one), and drop what is stale."""
        self._reopen()
        total = self._store.catalog.total()
        while lacking := self.missing():
            soon = {n: lag for n, lag in lacking.items() if not self._sources.of(n).late}
            wanted = soon or lacking
            first = min(wanted.values())
            names = tuple(name for name, lag in wanted.items() if lag == first)
            self._fill(names, first, total, "backfill" if soon else "local-features")
        # What is made from columns is not made here: its source knows when it is stale.
        stale = {
            (s.name, s.version)
            for s in self._store.columns.segments()
            if self._versions.get(s.name) != s.version and s.name not in self._left_alone
        }
        if stale:
            self._store.commit(retract=sorted(stale))

    def _reopen(self) -> None:
        """Take back segments with blank rows whose pictures are there again."""
        blank = {n: set(rows) for n, rows in (self._store.catalog.setting(BLANK) or {}).items()}
        stats = self._store.catalog.known_paths()
        back = {
            row
            for path, row in self._store.catalog.path_rows().items()
            if any(row in rows for rows in blank.values()) and _unchanged(path, stats[path])
        }
        dropped = []
        for segment in self._store.columns.segments() if back else ():
            if segment.name in self._left_alone:
                continue
            rows = set(range(segment.first, segment.first + segment.rows))
            if rows & back & blank.get(segment.name, set()):
                blank[segment.name] -= rows  # those still lost are noted again when it is filled
                dropped.append(segment)
        if back:
            names = {name for s in dropped for name in self._sources.derived(s.name)}
            self._store.commit(
                drop=dropped,
                retract=[(name, None) for name in sorted(names)],
                settings={BLANK: {n: sorted(rows) for n, rows in blank.items() if rows}},
            )

    def _note(self, names: tuple[str, ...], rows: list[int]) -> None:
        if rows:
            blank = self._store.catalog.setting(BLANK) or {}
            noted = {name: sorted({*blank.get(name, ()), *rows}) for name in names}
            self._store.commit(settings={BLANK: {**blank, **noted}}, quiet=True)

    def _fill(self, names: tuple[str, ...], first: int, total: int, stage: str) -> None:
        later = [s.first for s in self._store.columns.segments() if s.name in names]
        total = min([start for start in later if start > first], default=total)
        paths: dict[int, list[str]] = defaultdict(list)
        for path, row in self._store.catalog.path_rows().items():
            paths[row].append(path)
        row_of = self._store.catalog.listing().row_of
        blocks = [
            FileBlock(rows, tuple(next(filter(os.path.exists, paths[row]), "") for row in rows))
            for start in range(first, total, ROWS_A_COMMIT)
            for rows in [range(start, min(start + ROWS_A_COMMIT, total))]
        ]
        tasks = (
            FileBatch(batch, names, thumbnails=False)
            for block in blocks
            for batch in crew.chunks(block.readable)
        )
        files = sum(len(block.readable) for block in blocks)
        # One crew for all blocks: its start costs as much as describing many pictures.
        with closing(self._run(tasks, files)) as results:
            for block in blocks:
                self._watch(Progress(stage, block.rows.start, total))
                columns = self._described(names, block, results, paths, row_of, stage, total)
                drafts = [
                    self._store.columns.draft(
                        name, self._versions[name], block.rows.start, columns[name]
                    )
                    for name in names
                ]
                self._store.commit(drafts=drafts)

    def _described(
        self,
        names: tuple[str, ...],
        block: FileBlock,
        results: Iterator[tuple[FileBatch, Described]],
        paths: Mapping[int, list[str]],
        row_of: Mapping[str, int],
        stage: str,
        total: int,
    ) -> dict[str, dict[str, Array]]:
        """The columns of some rows; a row whose picture cannot be read is blank and reported."""
        rows, there = block.rows, block.files
        pieces: dict[str, list[dict[str, Array]]] = {name: [] for name in names}
        order, done = np.full(len(rows), -1), 0  # where each row stands in the pieces
        failed: set[str] = set()
        sent = 0
        while sent < len(block.readable):
            task, result = next(results)
            sent += len(task.paths)
            for name, arrays in result.columns.items():
                pieces[name].append(arrays)
            for i, (_, image_id, _, _) in enumerate(result.new):
                # A file may hold another picture by now: the bytes say whose row this is.
                if row_of.get(image_id, -1) in rows:
                    order[row_of[image_id] - rows.start] = done + i
            done += len(result.new)
            self._watch(Progress(stage, rows.start + done, total))
            failed |= {left_out.path for left_out in (*result.skipped, *result.unread)}
            self.problems += [*result.problems, *result.skipped, *result.unread]
        reason = f"its file is gone or holds another picture: {', '.join(names)} stay empty"
        lost = [row for row in rows if order[row - rows.start] < 0]
        # A file that is there and cannot be described would fail again: only the others may return.
        self._note(names, [row for row in lost if there[row - rows.start] not in failed])
        self.problems += [Skipped(paths[row][0], reason) for row in lost if paths[row]]
        # A row that could not be read takes the blank one at the end.
        place = np.where(order < 0, done, order)
        out = {}
        for name in names:
            nothing = self._sources.of(name).blank(name)
            out[name] = bundles.take(bundles.concatenate([*pieces[name], nothing]), place)
        return out


def _unchanged(path: str, before: tuple[int, int]) -> bool:
    try:
        status = os.stat(path)
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == before

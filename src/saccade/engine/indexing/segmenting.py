"""Regions of pictures that somebody needs, made by workers and kept as they come.

Killed at any moment, the next call goes on where this one was: what is committed is not made again.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.engine.indexing import crew
from saccade.engine.indexing.worker import Described, Task
from saccade.engine.progress import Progress, Watch
from saccade.engine.sources.regions import REGIONS, embedding_of, rows_of, task_name, version_of
from saccade.scale.local import Check, unchecked
from saccade.store import arrays as bundles
from saccade.store.store import Store
from saccade.types import Skipped

PICTURES_A_COMMIT = 64
SECONDS_A_COMMIT = 5.0
A_TASK = 2
"""Pictures between two looks at whether to go on: a second's work."""
COST = 6
"""Descriptions of a picture that take as long as its regions: so many fewer need workers."""

Columns = dict[str, NDArray[Any]]


class Segmenting:
    """Makes regions. Hold `store.indexing()` around it."""

    def __init__(
        self, store: Store, watch: Watch, *, workers: int | None = None, check: Check = unchecked
    ) -> None:
        self._store = store
        self._watch = watch
        self._check = check
        self._workers = workers
        self._embedding = embedding_of(store)
        self._pending: list[Columns] = []
        self._since = monotonic()

    def run(self, rows: Sequence[int]) -> dict[int, Skipped]:
        """Make what these rows lack; gives back those whose pictures have none, and why."""
        known = set(rows_of(self._store))
        lacking = [row for row in rows if row not in known]
        where = self._paths(lacking)
        listing = self._store.catalog.listing()
        row_of, reason = listing.row_of, "its file is gone or holds another picture"
        failed = {row: Skipped(listing.first_path.get(row, ""), reason) for row in lacking}
        at = {path: row for row, path in where.items()}
        names = (task_name(self._embedding),)
        files = [where[row] for row in lacking if row in where]
        tasks = [Task(batch, names, thumbnails=False) for batch in crew.chunks(files, A_TASK)]
        done, wanted = 0, set(lacking)
        self._watch(Progress(REGIONS, 0, len(lacking)))
        hands = crew.run(tasks, COST * len(files), workers=self._workers, check=self._check)
        try:
            for task, result in hands:
                for row in self._collect(result, row_of, wanted):
                    failed.pop(row, None)
                for told in (*result.problems, *result.skipped, *result.unread):
                    failed[at[told.path]] = told
                done += len(task.paths)
                self._watch(Progress(REGIONS, done, len(lacking)))
                if monotonic() - self._since > SECONDS_A_COMMIT or self._held >= PICTURES_A_COMMIT:
                    self._commit()
        finally:
            # Interrupted or not, what is made is worth keeping; who is at work is let go first.
            hands.close()
            self._commit()
        return failed

    @property
    def _held(self) -> int:
        return sum(bundles.count(columns) for columns in self._pending)

    def _paths(self, rows: Sequence[int]) -> dict[int, str]:
        """A file of each picture that is there."""
        wanted, paths = set(rows), defaultdict(list)
        for path, row in self._store.catalog.path_rows().items():
            if row in wanted:
                paths[row].append(path)
        there = {
            row: next((p for p in found if os.path.exists(p)), "") for row, found in paths.items()
        }
        return {row: path for row, path in there.items() if path}

    def _collect(self, result: Described, row_of: dict[str, int], wanted: set[int]) -> list[int]:
        """Take a worker's result in; a file may hold another picture by now, its bytes say so."""
        arrays = result.columns[task_name(self._embedding)] if result.new else {}
        rows = [row_of.get(image_id, -1) for _, image_id, _, _ in result.new]
        counts = np.diff(arrays["offsets"]) if arrays else np.zeros(0, np.int64)
        good = [i for i, row in enumerate(rows) if row in wanted and counts[i] > 0]
        if not good:
            return []
        kept = bundles.take(arrays, np.array(good, np.int64))
        found = [rows[i] for i in good]
        kept["image"] = np.repeat(np.array(found, np.int64), counts[good])
        wanted -= set(found)
        self._pending.append(kept)
        return found

    def _commit(self) -> None:
        pending, self._pending, self._since = self._pending, [], monotonic()
        if not pending:
            return
        held = [s for s in self._store.columns.segments() if s.name == REGIONS]
        first = max((s.first + s.rows for s in held), default=0)
        whole = bundles.concatenate(pending)
        draft = self._store.columns.draft(REGIONS, version_of(self._embedding), first, whole)
        self._store.commit(drafts=[draft])

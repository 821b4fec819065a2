"""Indexing: a folder becomes rows, incrementally, and may be interrupted at any moment.

    scan → what is new → workers describe → segments on disk → one transaction makes them visible

A file whose size and time are known is not read. What is read is hashed first, and decoded only if
its bytes are new. Every few hundred images a batch is committed whole: images, paths and all
columns together, so that a killed run leaves a smaller collection, never a torn one.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.engine.recipe import Recipe
from saccade.engine.worker import Described, Task, describe_files, descriptor_of
from saccade.errors import InvalidInput
from saccade.images.scan import Found, scan
from saccade.scale.local import Crashed, cores, map_tasks
from saccade.store import arrays as bundles
from saccade.store.catalog import Catalog, NewImage, NewPath
from saccade.store.store import Store
from saccade.types import AddReport, Skipped

FILES_A_TASK = 16
IMAGES_A_COMMIT = 512
SECONDS_A_COMMIT = 10.0
# Starting a worker costs about as much as describing this many pictures.
FEW = 48
# No file has this time of change.
NEVER = -1


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long job is; `total` is 0 while unknown."""

    stage: str
    done: int
    total: int


Watch = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class _Batch:
    """What came out of one task: images, their paths and their rows of every column."""

    images: tuple[NewImage, ...]
    paths: tuple[NewPath, ...]
    skipped: tuple[tuple[Skipped, int, int], ...]
    columns: dict[str, dict[str, NDArray[Any]]]


@dataclass(slots=True)
class _Pending:
    """Described, not yet committed.

    A batch enters by one `append`: wherever Ctrl-C strikes, images and columns match.
    """

    batches: list[_Batch] = field(default_factory=list)
    since: float = field(default_factory=monotonic)

    def due(self) -> bool:
        waited = monotonic() - self.since > SECONDS_A_COMMIT
        images = sum(len(batch.images) for batch in self.batches)
        return images >= IMAGES_A_COMMIT or (waited and bool(self.batches))


class Indexer:
    """One run over one folder. Hold `store.indexing()` around it."""

    def __init__(
        self,
        store: Store,
        recipe: Recipe,
        *,
        workers: int | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._store = store
        self._recipe = recipe
        self._workers = workers or cores()
        self._watch = watch or (lambda progress: None)
        self._versions = {name: descriptor_of(name).version for name in recipe.descriptors}
        self._problems: list[Skipped] = []
        self.seconds: dict[str, float] = defaultdict(float)
        self._described = 0

    def add(self, folder: str | os.PathLike[str], *, prune: bool = False) -> AddReport:
        """Bring the collection up to date with a folder."""
        start = perf_counter()
        root = os.path.abspath(Path(folder).expanduser())
        found, unreadable = self._scan(root)
        known = self._store.catalog.known_paths()
        below = [path for path in known if path.startswith(root.rstrip(os.sep) + os.sep)]
        if not found and not below and not unreadable:
            raise InvalidInput(
                f"no pictures in {root}",
                hint="Saccade reads JPEG, PNG, WebP, TIFF, BMP and GIF, in sub-folders too",
            )
        todo = [f for path, f in found.items() if known.get(path) != (f.size, f.mtime_ns)]
        images = set(self._store.catalog.path_rows())
        vanished = set(below) - set(found)
        self._store.columns.sweep()
        self.backfill()
        before = self._store.catalog.total()
        moved, duplicates = self._describe(todo, vanished & images)
        gone = sorted((vanished & images) - moved)
        # A file that was left out and is gone is nobody's loss; an image is, until pruning is
        # asked.
        outdated = [*moved, *(vanished - images), *(gone if prune else [])]
        pruned = self._remove(outdated, bury=prune)
        self._tidy()
        self._keep_costs()
        skipped = [s for s in self._store.catalog.skipped() if s.path in found]
        return AddReport(
            added=self._store.catalog.total() - before,
            known=len(images & set(found)) - sum(str(f.path) in images for f in todo),
            duplicates=duplicates,
            moved=len(moved),
            vanished=tuple(gone),
            pruned=pruned,
            skipped=(*skipped, *unreadable),
            problems=tuple(self._problems),
            seconds=perf_counter() - start,
        )

    def _scan(self, root: str) -> tuple[dict[str, Found], list[Skipped]]:
        found: dict[str, Found] = {}
        unreadable: list[Skipped] = []
        for item in scan(Path(root)):
            if isinstance(item, Skipped):
                unreadable.append(item)
            else:
                found[str(item.path)] = item
                if len(found) % 500 == 0:
                    self._watch(Progress("scan", len(found), 0))
        return found, unreadable

    # -- new files -----------------------------------------------------------------------------

    def _describe(self, todo: Sequence[Found], vanished: set[str]) -> tuple[set[str], int]:
        """Describe and commit files. Returns the old paths of moved images, and new duplicates."""
        listing = self._store.catalog.listing()
        of_file = {str(f.path): f for f in todo}
        ids = set(listing.ids)
        old_paths: dict[str, list[str]] = defaultdict(list)
        by_size: dict[int, set[str]] = defaultdict(set)
        stats = self._store.catalog.known_paths()
        for path, row in self._store.catalog.path_rows().items():
            old_paths[listing.ids[row]].append(path)
            by_size[stats[path][0]].add(listing.ids[row])
        # An image without a path (its file vanished and was pruned) can come back under any size.
        homeless = ids - set(old_paths)
        moved: set[str] = set()
        pending, duplicates, done = _Pending(), 0, 0

        def tasks() -> Iterator[Task]:
            for batch in _chunks([str(f.path) for f in todo], FILES_A_TASK):
                same_size = (by_size[of_file[path].size] for path in batch)
                yield Task(
                    tuple(batch), self._recipe.descriptors, frozenset(homeless.union(*same_size))
                )

        self._watch(Progress("describe", 0, len(todo)))
        try:
            for task, result in self._run(tasks(), len(todo)):
                for path, image_id in self._collect(result, of_file, ids, pending):
                    gone = [old for old in old_paths[image_id] if old in vanished]
                    if gone:
                        moved.update(gone[:1])
                        vanished.difference_update(gone[:1])
                    elif path not in old_paths[image_id]:
                        duplicates += bool(old_paths[image_id])
                    old_paths[image_id].append(path)
                    by_size[of_file[path].size].add(image_id)
                done += len(task.paths)
                self._watch(Progress("describe", done, len(todo)))
                if pending.due():
                    # Let go of it first: interrupted inside, it must not be committed again.
                    ready, pending = pending, _Pending()
                    self._commit(ready)
        finally:
            # Interrupted or not, what is described is worth keeping.
            self._commit(pending)
        return moved, duplicates

    def _collect(
        self, result: Described, of_file: dict[str, Found], ids: set[str], pending: _Pending
    ) -> list[tuple[str, str]]:
        """Take a worker's result in; two workers may have met the same bytes.

        Returns (path, id)s.
        """
        fresh = []
        for i, (path, image_id, _, _) in enumerate(result.new):
            if image_id not in ids:
                ids.add(image_id)
                fresh.append(i)
                self._store.write_thumbnail(image_id, result.thumbnails[i])
            result.known.append((path, image_id))
        rows = np.array(fresh, np.int64)
        stat = {path: (f.size, f.mtime_ns) for path, f in of_file.items()}
        pending.batches.append(
            _Batch(
                images=tuple(NewImage(*result.new[i][1:]) for i in fresh),
                paths=tuple(NewPath(path, name, *stat[path]) for path, name in result.known),
                skipped=(
                    *((left_out, *stat[left_out.path]) for left_out in result.skipped),
                    # Permissions and drives change without a trace in the file: always look again.
                    *((unread, stat[unread.path][0], NEVER) for unread in result.unread),
                ),
                columns={n: bundles.take(arrays, rows) for n, arrays in result.columns.items()},
            )
        )
        self._problems += result.problems
        self._described += len(result.new)
        for stage, seconds in result.seconds.items():
            self.seconds[stage] += seconds
        return result.known

    def _commit(self, pending: _Pending) -> None:
        batches = pending.batches
        if not batches:
            return
        start = perf_counter()
        first = self._store.catalog.total()
        columns = self._store.columns
        images = [image for batch in batches for image in batch.images]
        full = [batch.columns for batch in batches if batch.images]
        drafts = [
            columns.draft(name, version, first, bundles.concatenate([b[name] for b in full]))
            for name, version in self._versions.items()
            if images
        ]
        with self._store.database.write() as connection:
            Catalog.add_images(connection, first, images)
            for draft in drafts:
                columns.publish(connection, draft)
            Catalog.add_paths(connection, [path for batch in batches for path in batch.paths])
            Catalog.add_skipped(connection, [item for batch in batches for item in batch.skipped])
            Catalog.changed(connection)
        self.seconds["write"] += perf_counter() - start

    def _remove(self, outdated: Sequence[str], *, bury: bool) -> int:
        if not (outdated or bury):
            return 0
        with self._store.database.write() as connection:
            buried = Catalog.remove_paths(connection, outdated, bury=bury)
            Catalog.changed(connection)
        return buried

    def _tidy(self) -> None:
        if self._store.columns.merge():
            with self._store.database.write() as connection:
                Catalog.changed(connection)
            self._store.columns.sweep()

    def _keep_costs(self) -> None:
        """Milliseconds an image took, by stage: what `schemes` shows."""
        if self._described:
            costs = {k: 1e3 * s / self._described for k, s in self.seconds.items()}
            self._store.catalog.set(
                "costs", {**(self._store.catalog.setting("costs") or {}), **costs}
            )

    # -- columns that lag behind ---------------------------------------------------------------

    def missing(self) -> dict[str, int]:
        """For each column that does not cover the collection, the first row it lacks."""
        total = self._store.catalog.total()
        covered = self._store.columns.coverage()
        lag = {n: covered.get((n, v), 0) for n, v in self._versions.items()}
        return {name: first for name, first in lag.items() if first < total}

    def backfill(self) -> None:
        """Compute what columns lack (a new descriptor, a repaired one), and drop what is stale."""
        total = self._store.catalog.total()
        while lacking := self.missing():
            first = min(lacking.values())
            names = tuple(name for name, lag in lacking.items() if lag == first)
            self._fill(names, first, total)
        stale = {
            (s.name, s.version)
            for s in self._store.columns.segments()
            if self._versions.get(s.name) != s.version
        }
        if stale:
            with self._store.database.write() as connection:
                for name, version in stale:
                    self._store.columns.retract(connection, name=name, version=version)
                Catalog.changed(connection)
            self._store.columns.sweep()

    def _fill(self, names: tuple[str, ...], first: int, total: int) -> None:
        path_of: dict[int, list[str]] = defaultdict(list)
        for path, row in self._store.catalog.path_rows().items():
            path_of[row].append(path)
        later = [s.first for s in self._store.columns.segments() if s.name in names]
        total = min([start for start in later if start > first], default=total)
        for start in range(first, total, IMAGES_A_COMMIT):
            rows = range(start, min(start + IMAGES_A_COMMIT, total))
            self._watch(Progress("backfill", start, total))
            readable = {
                path: row
                for row in rows
                for path in [next((p for p in path_of[row] if os.path.exists(p)), None)]
                if path is not None
            }
            blank = {name: _blank(name, len(rows)) for name in names}
            tasks = [
                Task(tuple(batch), names, thumbnails=False)
                for batch in _chunks(list(readable), FILES_A_TASK)
            ]
            for _, result in self._run(tasks, len(readable)):
                here = [readable[path] - start for path, *_ in result.new]
                for name in names:
                    for key, array in result.columns[name].items():
                        blank[name][key][here] = array
                self._problems += [*result.problems, *result.skipped]
            lost = set(rows) - set(readable.values())
            self._problems += [
                Skipped(f"row {row}", f"its file is gone: {', '.join(names)} stay empty")
                for row in sorted(lost)
                if path_of[row]
            ]
            drafts = [
                self._store.columns.draft(name, self._versions[name], start, blank[name])
                for name in names
            ]
            with self._store.database.write() as connection:
                for draft in drafts:
                    self._store.columns.publish(connection, draft)
                Catalog.changed(connection)

    # -- workers -------------------------------------------------------------------------------

    def _run(self, tasks: Iterable[Task], files: int) -> Iterator[tuple[Task, Described]]:
        workers = min(self._workers, -(-files // FEW))
        if files <= FEW:
            for task in tasks:
                yield task, describe_files(task)
            return
        function = "saccade.engine.worker:describe_files"
        crashed: list[Task] = []
        for task, result in map_tasks(function, tasks, workers=workers):
            if isinstance(result, Crashed):
                crashed.append(task)
            else:
                yield task, result
        # Somewhere in these tasks is a file that kills a worker: one file at a time finds it.
        singles = [
            Task((path,), task.descriptors, task.known, task.thumbnails)
            for task in crashed
            for path in task.paths
        ]
        for task, result in map_tasks(function, singles, workers=workers):
            if isinstance(result, Crashed):
                reason = f"reading it ended the worker process (exit code {result.code})"
                result = Described(skipped=[Skipped(task.paths[0], reason)])
            yield task, result


def _blank(name: str, rows: int) -> dict[str, NDArray[Any]]:
    return {
        "vectors": np.zeros((rows, descriptor_of(name).dimension), np.float32),
        "norms": np.zeros((rows, 2), np.float32),
    }


def _chunks(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (items[i : i + size] for i in range(0, len(items), size))

"""Indexing: a folder becomes rows, incrementally, and may be interrupted at any moment.

    scan → what is new → workers describe → segments on disk → one transaction makes them visible

A file whose size and time are known is not read. What is read is hashed first, and decoded only if
its bytes are new. Every few hundred images a batch is committed whole: images, paths and all
columns together, so that a killed run leaves a smaller collection, never a torn one.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.engine import crew
from saccade.engine.backfill import Backfill
from saccade.engine.progress import Progress, Watch, unwatched
from saccade.engine.recipe import Recipe
from saccade.engine.vocabularies import Vocabularies
from saccade.engine.words import WORDS
from saccade.engine.worker import Described, Task, source_of
from saccade.errors import InvalidInput
from saccade.images.scan import Found, scan
from saccade.store import arrays as bundles
from saccade.store.catalog import Catalog, NewImage, NewPath
from saccade.store.store import Store
from saccade.types import AddReport, Skipped

IMAGES_A_COMMIT = 512
SECONDS_A_COMMIT = 10.0
# No file has this time of change.
NEVER = -1


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
        self._workers = workers
        self._watch = watch or unwatched
        self._versions = {name: source_of(name).version for name in recipe.descriptors}
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
        self._keep_recipe()
        images = self._store.catalog.path_rows()
        vanished = set(below) - set(found)
        self._store.columns.sweep()
        kinds = {name: source_of(name).kind for name in self._recipe.descriptors}
        self._store.catalog.set("kinds", kinds)
        self.backfill()
        before = self._store.catalog.count()
        moved, duplicates = self._describe(todo, vanished & images.keys())
        added = self._store.catalog.count() - before
        now = self._store.catalog.path_rows()
        gone = sorted((vanished & images.keys()) - moved)
        # A file that was left out and is gone is nobody's loss; an image is, until pruning is
        # asked.
        outdated = [*moved, *(vanished - images.keys()), *(gone if prune else [])]
        buried = self._remove(outdated)
        self.backfill()  # a picture that came back may fill what it left blank
        self._tidy()
        self._keep_costs()
        skipped = [s for s in self._store.catalog.skipped() if s.path in found]
        return AddReport(
            added=added,
            known=sum(path in found and now.get(path) == row for path, row in images.items()),
            duplicates=duplicates,
            moved=len(moved),
            vanished=tuple(gone),
            pruned=buried if prune else 0,
            skipped=(*skipped, *unreadable),
            problems=tuple(self._problems),
            seconds=perf_counter() - start,
        )

    def _scan(self, root: str) -> tuple[dict[str, Found], list[Skipped]]:
        found: dict[str, Found] = {}
        unreadable: list[Skipped] = []
        # A store may lie in the folder it describes; its thumbnails are no pictures of the user.
        place = os.path.relpath(os.path.realpath(self._store.root), os.path.realpath(root))
        own = os.path.join(root, place, "")
        for item in scan(Path(root)):
            if str(item.path).startswith(own):
                continue
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
            for batch in crew.chunks(list(of_file)):
                same_size = (by_size[of_file[path].size] for path in batch)
                known = frozenset(homeless.union(*same_size))
                yield Task(batch, self._recipe.descriptors, known)

        self._watch(Progress("describe", 0, len(todo)))
        try:
            for task, result in crew.run(tasks(), len(todo), workers=self._workers):
                for path, image_id in self._collect(result, of_file, ids, pending):
                    by_size[of_file[path].size].add(image_id)
                    others = old_paths[image_id]
                    if path in others:
                        continue
                    # Moved within this folder, or here from another one.
                    gone = [old for old in others if old in vanished or not os.path.exists(old)]
                    if gone:
                        moved.add(gone[0])
                        others.remove(gone[0])
                    else:
                        duplicates += bool(others)
                    others.append(path)
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

        def stat(path: str) -> tuple[int, int]:
            return of_file[path].size, of_file[path].mtime_ns

        pending.batches.append(
            _Batch(
                images=tuple(NewImage(*result.new[i][1:]) for i in fresh),
                paths=tuple(NewPath(path, name, *stat(path)) for path, name in result.known),
                skipped=(
                    *((left_out, *stat(left_out.path)) for left_out in result.skipped),
                    # Permissions and drives change without a trace in the file: always look again.
                    *((unread, stat(unread.path)[0], NEVER) for unread in result.unread),
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

    def _remove(self, outdated: Sequence[str]) -> int:
        """Forget paths. An image without any leaves: its file was pruned or holds another one."""
        if not outdated and not self._store.catalog.homeless():
            return 0
        with self._store.database.write() as connection:
            buried = Catalog.remove_paths(connection, outdated)
            Catalog.changed(connection)
        return buried

    def _tidy(self) -> None:
        if self._store.columns.merge():
            with self._store.database.write() as connection:
                Catalog.changed(connection)
        self._store.columns.sweep()

    def _keep_recipe(self) -> None:
        """Cut short from here on, the next run goes on with the same recipe."""
        kept = self._store.catalog.setting("recipe")
        if kept is None or Recipe.from_json(kept) != self._recipe:
            self._store.catalog.set("recipe", self._recipe.as_json())
            with self._store.database.write() as connection:
                Catalog.changed(connection)

    def _keep_costs(self) -> None:
        """Milliseconds an image took, by stage: what `schemes` shows."""
        if self._described:
            costs = {k: 1e3 * s / self._described for k, s in self.seconds.items()}
            self._store.catalog.set(
                "costs", {**(self._store.catalog.setting("costs") or {}), **costs}
            )

    # -- what is made from what is there -------------------------------------------------------

    def missing(self) -> dict[str, int]:
        """For each column that does not cover the collection, the first row it lacks."""
        return self._backfill().missing()

    def backfill(self) -> None:
        """Compute what columns lack, and the words that follow from them."""
        filling = self._backfill()
        filling.run()
        self._problems += filling.problems
        self._update_words()

    def _backfill(self) -> Backfill:
        return Backfill(self._store, self._versions, self._watch, self._workers)

    def _update_words(self) -> None:
        if WORDS in self._recipe.descriptors:
            Vocabularies(self._store, self._watch).update()

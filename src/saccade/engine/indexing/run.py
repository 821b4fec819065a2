"""Indexing: a folder becomes rows, incrementally, and may be interrupted at any moment.

    look → describe → forget → fill → derive → tidy        each step once, `add` names them

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

from saccade.engine import sources
from saccade.engine.indexing import crew
from saccade.engine.indexing.backfill import Backfill
from saccade.engine.indexing.changes import changes, sorted_paths
from saccade.engine.indexing.worker import Described, Task
from saccade.engine.progress import Progress, Watch, unwatched
from saccade.engine.recipe import Recipe
from saccade.errors import InvalidInput
from saccade.images.scan import Found, scan
from saccade.store import arrays as bundles
from saccade.store.catalog import NewImage, NewPath
from saccade.store.store import LeftOut, Store
from saccade.types import AddReport, Skipped

IMAGES_A_COMMIT = 512
SECONDS_A_COMMIT = 10.0
# No file has this time of change.
NEVER = -1


@dataclass(frozen=True, slots=True)
class Batch:
    """What came out of one task: images, their paths and their rows of every column."""

    images: tuple[NewImage, ...]
    paths: tuple[NewPath, ...]
    skipped: tuple[LeftOut, ...]
    columns: dict[str, dict[str, NDArray[Any]]]


@dataclass(slots=True)
class Pending:
    """Described, to be committed.

    A batch enters by one `append`: wherever Ctrl-C strikes, images and columns match.
    """

    batches: list[Batch] = field(default_factory=list)
    since: float = field(default_factory=monotonic)

    def due(self) -> bool:
        """Whether there is enough to commit, or it has waited long enough."""
        waited = monotonic() - self.since > SECONDS_A_COMMIT
        images = sum(len(batch.images) for batch in self.batches)
        return images >= IMAGES_A_COMMIT or (waited and bool(self.batches))


@dataclass(frozen=True, slots=True)
class Before:
    """What the folder holds and what the catalog knew when the run began."""

    found: dict[str, Found]
    unreadable: tuple[Skipped, ...]
    stats: dict[str, tuple[int, int]]  # of every known path
    rows: dict[str, int]  # of every path of an image
    ids: tuple[str, ...]
    images: int
    unread: tuple[str, ...]
    vanished: frozenset[str]

    def ids_by_size(self) -> dict[int, set[str]]:
        """The images whose files have each size."""
        out: dict[int, set[str]] = defaultdict(set)
        for path, row in self.rows.items():
            out[self.stats[path][0]].add(self.ids[row])
        return out

    def paths_of(self) -> dict[str, list[str]]:
        """The paths of each image."""
        out: dict[str, list[str]] = defaultdict(list)
        for path, row in self.rows.items():
            out[self.ids[row]].append(path)
        return out


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
        self._resting = sources.resting(recipe.descriptors)
        self._awake = tuple(name for name in recipe.descriptors if name not in self._resting)
        self._versions = {name: sources.about(name).version for name in self._awake}
        self._problems = [Skipped(name, f"rests: {why}") for name, why in self._resting.items()]
        self.seconds: dict[str, float] = defaultdict(float)
        self._described = 0

    def add(self, folder: str | os.PathLike[str], *, prune: bool = False) -> AddReport:
        """Bring the collection up to date with a folder."""
        began = perf_counter()
        before = self._look(folder)
        self._keep_recipe()
        met = self._describe(before)
        after = sorted_paths(
            met, before.paths_of(), lambda old: old in before.vanished or not os.path.exists(old)
        )
        lost = sorted((before.vanished & before.rows.keys()) - after.moved)
        left = self._forget(before, after.moved, lost if prune else [])
        self.fill()
        self._store.tidy()
        self._keep_costs()
        now = self._store.catalog.path_rows()
        skipped = [s for s in self._store.catalog.skipped() if s.path in before.found]
        return AddReport(
            added=self._store.catalog.count() + left - before.images,
            known=sum(p in before.found and now.get(p) == row for p, row in before.rows.items()),
            duplicates=after.duplicates,
            moved=len(after.moved),
            vanished=tuple(lost),
            pruned=left if prune else 0,
            skipped=(*skipped, *before.unreadable),
            problems=tuple(self._problems),
            seconds=perf_counter() - began,
        )

    def missing(self) -> dict[str, int]:
        """For each column that does not cover the collection, the first row it lacks."""
        return self._backfill().missing()

    def fill(self) -> None:
        """Compute what columns lack (a new descriptor, a picture that came back), and what follows.

        Pictures are described first: one that came back may fill what it left blank.
        """
        filling = self._backfill()
        filling.run()
        self._problems += filling.problems
        sources.update(self._store, self._awake, self._watch)

    def _backfill(self) -> Backfill:
        asleep = frozenset(self._resting)
        return Backfill(self._store, self._versions, self._watch, self._workers, resting=asleep)

    # -- the steps of a run --------------------------------------------------------------------

    def _look(self, folder: str | os.PathLike[str]) -> Before:
        root = os.path.abspath(Path(folder).expanduser())
        found, unreadable = self._scan(root)
        catalog = self._store.catalog
        stats = catalog.known_paths()
        below = [path for path in stats if path.startswith(root.rstrip(os.sep) + os.sep)]
        if not found and not below and not unreadable:
            raise InvalidInput(
                f"no pictures in {root}",
                hint="Saccade reads JPEG, PNG, WebP, TIFF, BMP and GIF, in sub-folders too",
            )
        files = {path: (file.size, file.mtime_ns) for path, file in found.items()}
        changed = changes(files, stats, below)
        return Before(
            found=found,
            unreadable=tuple(unreadable),
            stats=stats,
            rows=catalog.path_rows(),
            ids=catalog.listing().ids,
            images=catalog.count(),
            unread=changed.unread,
            vanished=changed.vanished,
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

    def _keep_recipe(self) -> None:
        """Cut short from here on, the next run goes on with the same recipe."""
        known = self._store.catalog.setting("kinds") or {}
        kinds = {name: sources.about(name).kind for name in self._awake}
        kinds |= {name: known[name] for name in self._resting if name in known}
        kept = self._store.catalog.setting("recipe")
        settings = {"recipe": self._recipe.as_json(), "kinds": kinds}
        same = kept is not None and Recipe.from_json(kept) == self._recipe
        if not same or known != kinds:
            self._store.commit(settings=settings)

    def _describe(self, before: Before) -> list[tuple[str, str]]:
        """Describe and commit new and changed files. Returns every (path, image id) it met."""
        by_size = before.ids_by_size()
        tasks = self._tasks(before, by_size)
        total, done = len(before.unread), 0
        ids = set(before.ids)
        met: list[tuple[str, str]] = []
        pending = Pending()
        self._watch(Progress("describe", 0, total))
        try:
            for task, result in crew.run(tasks, total, workers=self._workers):
                here = self._collect(result, before.found, ids, pending)
                met += here
                for path, image_id in here:  # the same bytes later in this run are known ones
                    by_size[before.found[path].size].add(image_id)
                done += len(task.paths)
                self._watch(Progress("describe", done, total))
                if pending.due():
                    # Let go of it first: interrupted inside, it must not be committed again.
                    ready, pending = pending, Pending()
                    self._commit(ready)
        finally:
            # Interrupted or not, what is described is worth keeping.
            self._commit(pending)
        return met

    def _tasks(self, before: Before, by_size: dict[int, set[str]]) -> Iterator[Task]:
        """Files to read, with the ids that those of their size could turn out to be."""
        # An image without a path (its file vanished and was pruned) can come back under any size.
        homeless = set(before.ids) - set().union(*by_size.values())
        for batch in crew.chunks(before.unread):
            same_size = (by_size[before.found[path].size] for path in batch)
            yield Task(batch, self._awake, frozenset(homeless.union(*same_size)))

    def _collect(
        self, result: Described, found: dict[str, Found], ids: set[str], pending: Pending
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
            return found[path].size, found[path].mtime_ns

        pending.batches.append(
            Batch(
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

    def _commit(self, pending: Pending) -> None:
        batches = pending.batches
        if not batches:
            return
        began = perf_counter()
        first = self._store.catalog.total()
        images = [image for batch in batches for image in batch.images]
        full = [batch.columns for batch in batches if batch.images]
        draft = self._store.columns.draft
        self._store.commit(
            images=images,
            drafts=[
                draft(name, version, first, bundles.concatenate([b[name] for b in full]))
                for name, version in self._versions.items()
                if images
            ],
            paths=[path for batch in batches for path in batch.paths],
            skipped=[item for batch in batches for item in batch.skipped],
        )
        self.seconds["write"] += perf_counter() - began

    def _forget(self, before: Before, moved: frozenset[str], pruned: Sequence[str]) -> int:
        """Forget paths. An image without any leaves: its file was pruned or holds another one."""
        # A file left out that is gone is nobody's loss; an image is, until pruning is asked for.
        outdated = [*moved, *(before.vanished - before.rows.keys()), *pruned]
        if not outdated and not self._store.catalog.homeless():
            return 0
        return self._store.commit(gone=outdated)

    def _keep_costs(self) -> None:
        """Milliseconds an image took, by stage: what `schemes` shows."""
        if self._described:
            costs = {k: 1e3 * s / self._described for k, s in self.seconds.items()}
            kept = self._store.catalog.setting("costs") or {}
            self._store.commit(settings={"costs": {**kept, **costs}}, quiet=True)

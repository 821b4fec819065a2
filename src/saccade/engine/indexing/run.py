"""Indexing: a folder becomes rows, incrementally, and may be interrupted at any moment.

    look → describe → forget → fill → derive → tidy        each step once, `add` names them

A first run goes in passes of falling value: thumbnails and the embedding of every picture, which
can be searched from its commit on; then the other descriptors; then local features, and what
follows from all of them. What a collection has already is never the worse for it: where there are
more pictures than come in, each comes in whole.

A file whose size and time are known is not read. What is read is hashed first, and decoded only if
its bytes are new. Every few hundred images a batch is committed whole: images, paths and all
columns together, so that a killed run leaves a smaller collection, never a torn one.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic, perf_counter

import numpy as np

from saccade.engine.indexing import crew
from saccade.engine.indexing.backfill import Backfill
from saccade.engine.indexing.changes import changes, sorted_paths
from saccade.engine.indexing.origins import Origins
from saccade.engine.indexing.worker import Described, FileBatch
from saccade.engine.progress import Progress, Watch, unwatched
from saccade.engine.recipe import Recipe
from saccade.engine.sources import SOURCES, SourceTable
from saccade.errors import InvalidInput
from saccade.images.scan import Found, scan
from saccade.scale.executors import Executor
from saccade.store import arrays as bundles
from saccade.store.catalog import NewImage, NewPath
from saccade.store.store import LeftOut, Store
from saccade.types import AddReport, Array, Skipped

IMAGES_A_COMMIT = 512
SECONDS_A_COMMIT = 10.0
SECONDS_AT_FIRST, AT_FIRST = 2.0, 2000
"""Between commits while a collection has so few images: whoever waits for the first sees them."""
# No file has this time of change.
NEVER = -1
EMBEDDING = "embedding"
"""The kind of descriptor that a picture can be found by alone."""
FOLDERS = "folders"
"""Where the settings keep the folders that were added."""


@dataclass(frozen=True, slots=True)
class CommitBatch:
    """What came out of one task: images, their paths and their rows of every column."""

    images: tuple[NewImage, ...]
    paths: tuple[NewPath, ...]
    skipped: tuple[LeftOut, ...]
    columns: dict[str, dict[str, Array]]


@dataclass(slots=True)
class Pending:
    """Described, to be committed.

    A batch enters by one `append`: wherever Ctrl-C strikes, images and columns match.
    """

    batches: list[CommitBatch] = field(default_factory=list)
    patience: float = SECONDS_A_COMMIT
    since: float = field(default_factory=monotonic)

    def due(self) -> bool:
        """Whether there is enough to commit, or it has waited long enough."""
        waited = monotonic() - self.since > self.patience
        images = sum(len(batch.images) for batch in self.batches)
        return images >= IMAGES_A_COMMIT or (waited and bool(self.batches))


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What the folder holds and what the catalog knew when the run began."""

    files: dict[str, Found]
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


def above(path: str, folders: Iterable[str]) -> bool:
    """Whether one of some folders holds a path.

    >>> above("/a/b/c", ["/a/b"]), above("/a/bc", ["/a/b"])
    (True, False)
    """
    return any(path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


def _files(paths: Sequence[str]) -> tuple[dict[str, Found], list[Skipped]]:
    """Single files as a scan finds them."""
    there, unreadable = dict[str, Found](), list[Skipped]()
    for path in paths:
        try:
            status = os.stat(path)
        except OSError as error:
            unreadable.append(Skipped(path, f"cannot be read: {error.strerror or error}"))
        else:
            there[path] = Found(Path(path), status.st_size, status.st_mtime_ns)
    return there, unreadable


class Indexer:
    """One run over one folder. Hold `store.indexing()` around it."""

    def __init__(
        self,
        store: Store,
        recipe: Recipe,
        *,
        sources: SourceTable = SOURCES,
        executor: Executor | None = None,
        workers: int | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._store = store
        self._recipe = recipe
        self._sources = sources
        self._executor, self._workers = executor, workers
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
        self.keep_recipe()
        self._keep_folder(os.path.abspath(Path(folder).expanduser()))
        met = self._describe(before, self._at_once(before))
        after = sorted_paths(
            met, before.paths_of(), lambda old: old in before.vanished or not os.path.exists(old)
        )
        lost = sorted((before.vanished & before.rows.keys()) - after.moved)
        left = self._forget(before, after.moved, lost if prune else [])
        # Whatever has no size and time to go by is looked at, and listed, every time. A picture
        # that cannot be reached now is still one.
        again = [(one, 0, NEVER) for one in before.unreadable if one.path not in before.rows]
        if again:
            self._store.commit(skipped=again, quiet=True)
        self.complete()
        now = self._store.catalog.path_rows()
        skipped = [s for s in self._store.catalog.skipped() if s.path in before.files]
        return AddReport(
            added=self._store.catalog.count() + left - before.images,
            known=sum(p in before.files and now.get(p) == row for p, row in before.rows.items()),
            duplicates=after.duplicates,
            moved=len(after.moved),
            vanished=tuple(lost),
            pruned=left if prune else 0,
            skipped=(*skipped, *before.unreadable),
            problems=tuple(self._problems),
            seconds=perf_counter() - began,
        )

    def take(self, files: Sequence[str]) -> tuple[Skipped, ...]:
        """Bring single files in, wherever they lie; those that could not be, with reasons.

        They can be searched once what follows from them is computed: `complete` does that.
        """
        there, unreadable = _files(files)
        before = self._beside(there, unreadable, self._store.catalog.known_paths())
        # One that was left out is read again: somebody asks for it.
        again = (path for path in there if path not in before.rows and path not in before.unread)
        before = replace(before, unread=(*before.unread, *again))
        self.keep_recipe()
        self._describe(before, self._awake)
        left_out = {s.path: s for s in self._store.catalog.skipped() if s.path in there}
        return (*left_out.values(), *unreadable)

    def complete(self) -> None:
        """Compute what pictures lack, and tidy up."""
        self.fill()
        self._store.tidy()
        self._keep_costs()

    def missing(self) -> dict[str, int]:
        """For each column that does not cover the collection, the first row it lacks."""
        return self._backfill().missing()

    def fill(self) -> None:
        """Compute what columns lack (a new descriptor, a picture that came back), and what follows.

        Pictures are described first: one that came back may fill what it left blank.
        """
        Origins(self._store, self._watch).fill()
        filling = self._backfill()
        filling.run()
        self._problems += filling.problems
        self._sources.update(self._store, self._awake, self._watch)

    def _backfill(self) -> Backfill:
        asleep = frozenset(self._resting)
        return Backfill(
            self._store, self._versions, self._watch, self._run,
            sources=self._sources, resting=asleep,
        )  # fmt: skip

    def _run(self, tasks: Iterable[FileBatch], files: int) -> crew.Results:
        return crew.run(tasks, files, executor=self._executor, workers=self._workers)

    # -- the steps of a run --------------------------------------------------------------------

    def _look(self, folder: str | os.PathLike[str]) -> LookedAt:
        root = os.path.abspath(Path(folder).expanduser())
        there, unreadable = self._scan(root)
        stats = self._store.catalog.known_paths()
        # What the store keeps itself may lie below, too, and is none of this folder's.
        own = self._store.arrivals.holds
        below = [path for path in stats if above(path, {root}) and not own(path)]
        if not there and not below and not unreadable:
            raise InvalidInput(
                f"no pictures in {root}",
                hint="Saccade reads JPEG, PNG, WebP, TIFF, BMP and GIF, in sub-folders too",
            )
        return self._beside(there, unreadable, stats, below)

    def _beside(
        self,
        there: dict[str, Found],
        unreadable: Sequence[Skipped],
        stats: dict[str, tuple[int, int]],
        below: Iterable[str] = (),
    ) -> LookedAt:
        """What was found beside what is known."""
        catalog = self._store.catalog
        files = {path: (file.size, file.mtime_ns) for path, file in there.items()}
        changed = changes(files, stats, below)
        return LookedAt(
            files=there,
            unreadable=tuple(unreadable),
            stats=stats,
            rows=catalog.path_rows(),
            ids=catalog.listing().ids,
            images=catalog.count(),
            unread=changed.unread,
            vanished=changed.vanished,
        )

    def _scan(self, root: str) -> tuple[dict[str, Found], list[Skipped]]:
        there: dict[str, Found] = {}
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
                there[str(item.path)] = item
                if len(there) % 500 == 0:
                    self._watch(Progress("scan", len(there), 0))
        return there, unreadable

    def _keep_folder(self, root: str) -> None:
        """Remember which folders there are; one within another is that one."""
        folders = self._store.catalog.setting(FOLDERS) or []
        if root not in folders and not above(root, folders):
            others = [one for one in folders if not above(one, {root})]
            self._store.commit(settings={FOLDERS: sorted([*others, root])}, quiet=True)

    def keep_recipe(self) -> None:
        """Cut short from here on, the next run goes on with the same recipe."""
        kinds_before = self._store.catalog.setting("kinds") or {}
        kinds = {name: self._sources.about(name).kind for name in self._awake}
        kinds |= {name: kinds_before[name] for name in self._resting if name in kinds_before}
        setting = self._store.catalog.setting("recipe")
        settings = {"recipe": self._recipe.as_json(), "kinds": kinds}
        same = setting is not None and Recipe.from_json(setting) == self._recipe
        if not same or kinds_before != kinds:
            self._store.commit(settings=settings)

    def _at_once(self, before: LookedAt) -> tuple[str, ...]:
        """The descriptors that pictures come in with; the others follow in further passes."""
        first = [n for n in self._awake if self._sources.about(n).kind == EMBEDDING]
        behind = self._backfill().missing().keys() & set(first)
        anew = len(before.unread) > max(crew.FEW, before.images) and not behind
        return tuple(first) if first and anew else self._awake

    def _describe(self, before: LookedAt, names: tuple[str, ...]) -> list[tuple[str, str]]:
        """Describe and commit new and changed files. Returns every (path, image id) it met."""
        by_size = before.ids_by_size()
        tasks = self._tasks(before, by_size, names)
        total, done = len(before.unread), 0
        ids = set(before.ids)
        met: list[tuple[str, str]] = []
        patience = SECONDS_AT_FIRST if before.images < AT_FIRST else SECONDS_A_COMMIT
        pending = Pending(patience=patience)
        self._watch(Progress("describe", 0, total))
        try:
            for task, result in self._run(tasks, total):
                here = self._collect(result, before.files, ids, pending)
                met += here
                for path, image_id in here:  # the same bytes later in this run are known ones
                    by_size[before.files[path].size].add(image_id)
                done += len(task.paths)
                self._watch(Progress("describe", done, total))
                if pending.due():
                    # Let go of it first: interrupted inside, it must not be committed again.
                    if len(ids) >= AT_FIRST:
                        patience = SECONDS_A_COMMIT
                    ready, pending = pending, Pending(patience=patience)
                    self._commit(ready, names)
        finally:
            # Interrupted or not, what is described is worth keeping.
            self._commit(pending, names)
        return met

    def _tasks(
        self, before: LookedAt, by_size: dict[int, set[str]], names: tuple[str, ...]
    ) -> Iterator[FileBatch]:
        """Files to read, with the ids that those of their size could turn out to be."""
        # An image without a path (its file vanished and was pruned) can come back under any size.
        homeless = set(before.ids) - set().union(*by_size.values())
        for batch in crew.chunks(before.unread):
            same_size = (by_size[before.files[path].size] for path in batch)
            yield FileBatch(batch, names, frozenset(homeless.union(*same_size)))

    def _collect(
        self, result: Described, there: dict[str, Found], ids: set[str], pending: Pending
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
            result.copies.append((path, image_id))
        rows = np.array(fresh, np.int64)

        def stat(path: str) -> tuple[int, int]:
            return there[path].size, there[path].mtime_ns

        pending.batches.append(
            CommitBatch(
                images=tuple(NewImage(*result.new[i][1:], result.origins[i]) for i in fresh),
                paths=tuple(NewPath(path, name, *stat(path)) for path, name in result.copies),
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
        return result.copies

    def _commit(self, pending: Pending, names: Sequence[str]) -> None:
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
                draft(
                    name, self._versions[name], first, bundles.concatenate([b[name] for b in full])
                )
                for name in names
                if images
            ],
            paths=[path for batch in batches for path in batch.paths],
            skipped=[item for batch in batches for item in batch.skipped],
        )
        self.seconds["write"] += perf_counter() - began

    def _forget(self, before: LookedAt, moved: frozenset[str], pruned: Sequence[str]) -> int:
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
            before = self._store.catalog.setting("costs") or {}
            self._store.commit(settings={"costs": {**before, **costs}}, quiet=True)

"""A check-up of a store against its files. Everything derived can be rebuilt; the log cannot.

store          what it finds wrong with itself: catalog, settings, paths, log, checksums
columns        every segment there, of its size, finite, with the norms of its vectors; no gaps
words          a vocabulary, and the words of every image; likewise by those that choosers use
strays         files no segment names, left by an interrupted run
thumbnails     one for every image
models         the live ones equal the log replayed
pictures       the files the paths name (not ours to repair)
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from saccade.engine.indexing.run import Indexer
from saccade.engine.learning.log import Learning
from saccade.engine.progress import Progress, Watch
from saccade.engine.recipe import Recipe
from saccade.engine.sources import SourceTable
from saccade.errors import NotAnImage, StoreError
from saccade.store.columns import Segment
from saccade.store.store import Store
from saccade.types import Finding


class Doctor:
    """Checks one store. Hold `store.indexing()` around it."""

    def __init__(
        self,
        store: Store,
        recipe: Recipe,
        learning: Learning,
        sources: SourceTable,
        watch: Watch,
    ) -> None:
        self._store = store
        self._recipe = recipe
        self._learning = learning
        self._sources = sources
        self._watch = watch
        self._resting = sources.resting(recipe.descriptors)
        self._damaged: list[Segment] = []
        self._bare: list[tuple[str, str]] = []  # image id, a path, of images without a thumbnail

    def examine(self) -> list[Finding]:
        """Everything that is not as it should be."""
        checks = (
            self._own, self._segments, self._asleep, self._gaps, self._derived,
            self._strays, self._thumbnails, self._models, self._pictures,
        )  # fmt: skip
        findings: list[Finding] = []
        for number, check in enumerate(checks):
            self._watch(Progress("checking", number, len(checks)))
            findings += check()
        self._watch(Progress("checking", len(checks), len(checks)))
        return findings

    def repair(self) -> list[Finding]:
        """Rebuild what can be rebuilt, then look again. What is gone by then was repaired."""
        before = self.examine()
        if not before:
            return before
        self._store.mend()  # a loss is told once, in what is returned; nothing can bring it back
        if not any(finding.rebuildable for finding in before):
            return before
        self._store.commit(drop=self._damaged)
        self._indexer().fill()
        self._store.columns.sweep()
        self._draw_thumbnails()
        self._store.log.drop_snapshots()
        self._learning.replay()
        self._damaged, self._bare = [], []
        left = {(f.place, f.problem) for f in self.examine()}
        return [
            replace(f, repaired=f.rebuildable and (f.place, f.problem) not in left) for f in before
        ]

    def _indexer(self) -> Indexer:
        return Indexer(self._store, self._recipe, sources=self._sources, watch=self._watch)

    # -- checks --------------------------------------------------------------------------------

    def _own(self) -> Iterator[Finding]:
        for flaw in self._store.flaws():
            yield Finding(flaw.place, flaw.problem, flaw.remedy, rebuildable=flaw.mendable)

    def _segments(self) -> Iterator[Finding]:
        for segment in self._store.columns.segments():
            problem = self._damage(segment)
            if not problem:
                continue
            rows = f"rows {segment.first} to {segment.first + segment.rows - 1}"
            place = f"column {segment.name}, {rows}"
            if segment.name in self._resting:
                yield Finding(place, problem, "needs what makes it", rebuildable=False)
                continue
            self._damaged.append(segment)
            yield Finding(place, problem, "would be computed again from the pictures")

    def _damage(self, segment: Segment) -> str:
        try:
            arrays = self._store.columns.load(segment, again=True)
        except StoreError as error:
            return error.message
        try:
            return self._sources.making(segment.name).damage(arrays, segment.rows)
        # Arrays without a checksum may be anything; whatever they break is their damage.
        except Exception as error:
            return f"cannot be used: {error}"

    def _asleep(self) -> Iterator[Finding]:
        for name, reason in self._resting.items():
            remedy = f"bring it back, or drop the column: `saccade index FOLDER --recipe=-{name}`"
            yield Finding(f"column {name}", f"rests: {reason}", remedy, rebuildable=False)

    def _gaps(self) -> Iterator[Finding]:
        lacking = self._indexer().missing()
        total = self._store.catalog.total()
        for name, first in lacking.items():
            yield Finding(
                f"column {name}",
                f"covers {first} of {total} images",
                "would be computed from the pictures",
            )

    def _derived(self) -> Iterator[Finding]:
        awake = [name for name in self._recipe.descriptors if name not in self._resting]
        yield from self._sources.lacking(self._store, awake)

    def _strays(self) -> Iterator[Finding]:
        strays = self._store.columns.strays()
        if strays:
            yield Finding("columns", f"{len(strays)} files nobody names", "would be deleted")

    def _thumbnails(self) -> Iterator[Finding]:
        listing, missing = self._store.catalog.listing(), 0
        for row in np.flatnonzero(listing.alive).tolist():
            image_id = listing.ids[row]
            if row not in listing.first_path or self._store.read_thumbnail(image_id) is not None:
                continue
            self._bare.append((image_id, listing.first_path[row]))
            if self._store.has_thumbnail(image_id):
                place = self._store.thumbnail_place(image_id)
                yield Finding(place, "does not match its checksum", "would be made again")
            else:
                missing += 1
        if missing:
            yield Finding("thumbs", f"{missing} are missing", "would be made again")

    def _models(self) -> Iterator[Finding]:
        live = self._learning.catch_up(wait=True).digest()
        if live != self._learning.folded().digest():
            yield Finding("models", "differ from the log replayed", "would be replayed")

    def _pictures(self) -> Iterator[Finding]:
        gone = [p for p in self._store.catalog.path_rows() if not os.path.exists(p)]
        if gone:
            some = ", ".join(sorted(gone)[:3]) + (", …" if len(gone) > 3 else "")
            yield Finding(
                "pictures",
                f"{len(gone)} files are gone: {some}",
                "`saccade index FOLDER` finds moved files, `--prune` drops lost ones",
                rebuildable=False,
            )

    # -- remedies ------------------------------------------------------------------------------

    def _draw_thumbnails(self) -> None:
        from saccade.images.thumbnails import thumbnail
        from saccade.scale.decoding import decode

        for done, (image_id, path) in enumerate(self._bare):
            self._watch(Progress("thumbnails", done, len(self._bare)))
            try:
                with open(path, "rb") as file:
                    data = thumbnail(decode(file.read()).picture)
            except (OSError, NotAnImage):
                continue  # the second look reports it again
            self._store.write_thumbnail(image_id, data)

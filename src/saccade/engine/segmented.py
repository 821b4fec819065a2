"""The regions of an open store: those that are there, and making more when somebody needs them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from saccade.engine.graded import Bag
from saccade.engine.indexing.segmenting import Segmenting
from saccade.engine.opened import OpenStore
from saccade.engine.progress import Watch, unwatched
from saccade.engine.sources import regions
from saccade.engine.sources.parts import Parts
from saccade.engine.sources.regions import RegionView
from saccade.errors import NotFound, StoreBusy
from saccade.types import Prepared, Skipped

MOST_SEGMENTS = 16
"""Pieces of the column before they are joined: joining writes the whole of it."""


class Segmented:
    """Regions by row of the collection."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened
        self._failed: dict[int, Skipped] = {}  # pictures without regions, as far as was tried

    @property
    def view(self) -> RegionView:
        """The regions that are there now; a store where nobody needed any has none."""
        collection, store = self._opened.collection(), self._opened.store
        return regions.of(collection) or RegionView(store, (), regions.embedding_of(store))

    def lacking(self, rows: Iterable[int]) -> list[int]:
        """Those of these rows whose regions can be made and are not."""
        known = self.view.known
        return [row for row in rows if row not in known and row not in self._failed]

    def make(self, rows: Sequence[int], watch: Watch = unwatched) -> None:
        """Make the regions that these rows lack; an error while another process indexes."""
        rows = self.lacking(rows)
        if rows:
            store = self._opened.store
            with store.indexing():
                check = self._opened.interruptible()
                self._failed |= Segmenting(store, watch, check=check).run(rows)
                if regions.segments(store) > MOST_SEGMENTS:
                    store.tidy()

    def ready(self, rows: Sequence[int], watch: Watch = unwatched) -> None:
        """Make regions; while another process indexes, those that are there must do."""
        try:
            self.make(rows, watch)
        except StoreBusy:
            return

    def prepared(self, rows: Sequence[int]) -> Prepared:
        """How many of these rows have their regions."""
        known = self.view.known
        failed = tuple(self._failed[r] for r in rows if r in self._failed and r not in known)
        return Prepared(sum(row in known for row in rows), len(rows), failed)

    def parts(self, row: int) -> Parts:
        """The regions of one picture, made now where they are lacking."""
        self.ready([row])
        found = self.view.parts(row)
        if found is not None:
            return found
        if row in self._failed:
            raise NotFound(f"{self._failed[row].path}: {self._failed[row].reason}")
        raise StoreBusy(
            "the regions of this picture are not made yet, and another process is indexing",
            hint="try again when it has finished",
        )

    def bag(self, row: int) -> Bag:
        """The regions of one picture as a lesson keeps them."""
        return self.parts(row).features(self.view.kind).astype(np.float16)

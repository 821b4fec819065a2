"""Regions: pictures cut by normalised cuts, described as in the paper, where a recipe names them.

    saccade index FOLDER --recipe +regions

A new store does without: the positions of the encoder's map (`parts`) rank and point better and
cost nothing. With this column in the recipe, concepts speak of regions instead. It compares no
pictures, so it has no scheme.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.contracts import Picture
from saccade.engine.collection import Collection, View
from saccade.engine.sources import cut as bundle
from saccade.engine.sources.cut import Cut
from saccade.engine.sources.source import About, DescribedColumn, Shelf, Source
from saccade.errors import StoreError
from saccade.types import Array, Arrays, Skipped

log = logging.getLogger(__name__)

REGIONS = "regions"
PAPER = "paper"
"""What the features of Hu, Li & Yu 2008 are called."""
VERSION = "4"


class RegionView(View):
    """The regions of a collection at one moment; nothing is read before it is needed."""

    kind = PAPER
    width = bundle.WIDTH

    def __init__(self, segments: Sequence[tuple[int, Arrays]], total: int) -> None:
        self._segments, self._total = segments, total

    @property
    def names(self) -> tuple[str, ...]:
        """The one column."""
        return (REGIONS,)

    def has(self, row: int) -> bool:
        """Whether a row has regions; a picture that could not be cut has none."""
        return self.count(row) > 0

    def count(self, row: int) -> int:
        """How many regions a picture has."""
        arrays, slot = self._place(row)
        return int(arrays["offsets"][slot + 1] - arrays["offsets"][slot])

    def cut(self, row: int) -> Cut:
        """The regions of a picture."""
        return bundle.unpack(*self._place(row))

    def bag(self, row: int) -> NDArray[np.float32]:
        """What its regions look like, [regions, 201]."""
        return np.ascontiguousarray(self.cut(row).vectors, np.float32)

    def laid(self, row: int, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """A value of each region where it lies, [64, 64]."""
        masks = self.cut(row).masks
        return np.asarray(values[masks.argmax(axis=0)], np.float32)

    def _place(self, row: int) -> tuple[Arrays, int]:
        for first, arrays in reversed(self._segments):
            if row >= first:
                return arrays, row - first
        raise IndexError(row)


class Regions(Source):
    """Regions as something made from pixels."""

    compares = False
    late = True

    def covers(self, descriptor: str) -> bool:
        """The one column."""
        return descriptor == REGIONS

    def about(self, descriptor: str) -> About:
        """Its features are 201 numbers a region."""
        return About(REGIONS, VERSION, REGIONS, bundle.WIDTH)

    def describe(
        self, descriptor: str, pictures: Sequence[Picture], labels: Sequence[str]
    ) -> DescribedColumn:
        """The regions of each picture; one that cannot be cut has none."""
        every: list[Cut] = []
        problems: list[Skipped] = []
        for picture, label in zip(pictures, labels, strict=True):
            try:
                every.append(bundle.cut(picture))
            # One odd picture must not cost the others their regions.
            except Exception as error:
                trace.swallowed(log, error, doing="describing a picture", by=REGIONS)
                every.append(bundle.unpack({**bundle.blank(), "offsets": np.zeros(2, np.int64)}, 0))
                reason = f"its regions cannot be made: {type(error).__name__}: {error}"
                problems.append(Skipped(label, reason))
        return bundle.pack(every), problems

    def blank(self, descriptor: str) -> dict[str, Array]:
        """A picture without regions."""
        return {**bundle.blank(), "offsets": np.zeros(2, np.int64)}

    def load(
        self,
        shelf: Shelf,
        descriptors: Sequence[str],
        before: View | None,
        views: Mapping[str, View],
    ) -> RegionView | None:
        """The column, where a recipe has it and it covers every row."""
        held = shelf.whole(REGIONS, VERSION) if REGIONS in descriptors else None
        if held is None:
            return None
        with trace.dropping(log, StoreError, doing="loading regions"):
            loaded = [(s.first, shelf.store.columns.load(s)) for s in held]
            return RegionView(loaded, shelf.total)
        return None

    def size(self, descriptor: str, view: View | None) -> tuple[int, int]:
        """Features a region; bytes of the usual nine regions."""
        return bundle.WIDTH, 9 * (4 * bundle.WIDTH + bundle.SIDE**2 // 8 + 20)

    def damage(self, arrays: Arrays, rows: int) -> str:
        """Every region has its numbers."""
        lacking = set(bundle.blank()) - set(arrays)
        if lacking:
            return f"lacks its {min(lacking)}"
        offsets = arrays["offsets"]
        if len(offsets) != rows + 1 or (np.diff(offsets) < 0).any() or offsets[0] != 0:
            return "has another number of rows"
        if any(len(a) != offsets[-1] for name, a in arrays.items() if name != "offsets"):
            return "has another number of regions"
        if not all(np.isfinite(arrays[name]).all() for name in ("vectors", "boxes")):
            return "has values that are not numbers"
        return ""


def of(collection: Collection) -> RegionView | None:
    """The regions of a collection whose recipe has them."""
    view = collection.views.get(REGIONS)
    return view if isinstance(view, RegionView) else None

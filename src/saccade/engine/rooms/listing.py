"""Images in an order, read some hundreds at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

import numpy as np

from saccade.store.catalog import Catalog
from saccade.types import ImageRecord, Rows

A_TIME = 500


class ImageList(Sequence[ImageRecord]):
    """Images in an order; those of the collection as it was when it was asked for.

    `alike` gives those of some rows that are nearly the same, each with the first of its kind.
    """

    def __init__(
        self,
        catalog: Catalog,
        rows: Rows,
        alike: Callable[[Rows], Mapping[int, int]] | None = None,
    ) -> None:
        self._catalog, self._rows, self._alike = catalog, rows, alike

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ImageRecord]:
        for offset in range(0, len(self), A_TIME):
            yield from self[offset : offset + A_TIME]

    @overload
    def __getitem__(self, place: int) -> ImageRecord: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ImageRecord, ...]: ...
    def __getitem__(self, place: int | slice) -> ImageRecord | tuple[ImageRecord, ...]:
        if isinstance(place, slice):
            return self.at(range(*place.indices(len(self))))
        return self.at([range(len(self))[place]])[0]

    def at(self, places: Sequence[int]) -> tuple[ImageRecord, ...]:
        """The images at some places, in the order given; read at once."""
        rows = [int(self._rows[place]) for place in places]
        records = self._catalog.records(rows)
        first = self._alike(np.array(rows, np.int64)) if self._alike else {}
        ids = {one.row: one.image_id for one in records} if first else {}
        return tuple(
            replace(one, stack=ids[first[one.row]]) if one.row in first else one for one in records
        )

"""The collection as searches see it: an immutable snapshot of a store at one moment.

    collection = listing of images + one view per source (dense columns, visual words, …)

What a column is and how it fills φ is its source's business; here they only stand side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.features import prior
from saccade.store.catalog import Listing
from saccade.types import Arrays, Phi, Rows, Scheme, Scores

Found = TypeVar("Found")

Wanted = frozenset[str] | None  # descriptors to compute; all when None


@dataclass(frozen=True, slots=True)
class Example:
    """One picture as the sources see it; `row` is -1 for a picture from outside."""

    image_id: str
    row: int
    parts: Mapping[str, Any]  # descriptor -> what its source knows of the picture
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What views found out for it and may need again, by names of their own."""

    def once(self, name: str, make: Callable[[], Found]) -> Found:
        """What `make` gives, made once; an example belongs to one state of one collection."""
        found: Found | None = self.memo.get(name)
        if found is None:
            found = self.memo[name] = make()
        return found


class View(Protocol):
    """One source's share of a collection at one moment."""

    @property
    def names(self) -> tuple[str, ...]:
        """The descriptors it has for every image."""

    @property
    def more(self) -> tuple[Scheme, ...]:
        """Schemes it has beside every similarity of every descriptor."""

    def serves(self, scheme: Scheme) -> bool:
        """Whether it fills this column of φ."""

    def needs(self, scheme: Scheme) -> tuple[str, ...]:
        """The descriptors of a picture from outside that this column of φ is made from."""

    def of_row(self, row: int) -> dict[str, Any]:
        """What it knows of an image of the collection, by descriptor."""

    def of_picture(self, picture: Picture, only: Wanted) -> dict[str, Any]:
        """What it sees in a picture from outside, by descriptor."""

    def fill(
        self,
        out: Phi,
        example: Example,
        schemes: Sequence[Scheme],
        *,
        rows: Rows | None = None,
        raw: bool = False,
        pool: Executor | None = None,
    ) -> None:
        """Fill its columns of φ [n, m], of all rows or of some; `raw` without the anchors' measure.

        A scheme whose descriptor the example lacks stays 0.
        """

    def weigh(
        self,
        out: Scores,
        example: Example,
        schemes: Sequence[Scheme],
        weights: NDArray[np.float32],
        pool: Executor | None = None,
    ) -> None:
        """Add Σ w φ of its schemes to every row's score; a scheme without weight costs nothing."""

    def remember(self, example: Example, *, places: bool) -> dict[str, NDArray[Any]]:
        """What the log keeps of a picture from outside; `places` of local features too."""

    def recall(self, arrays: Arrays, vocabulary: str) -> dict[str, Any]:
        """What `remember` gave, as far as it means anything in this collection."""

    def warm(self, row: int) -> None:
        """Pay the first search's costs now."""


@dataclass(frozen=True)
class Collection:
    """Rows, ids and views that belong together; what follows from them is found out once."""

    generation: int
    listing: Listing
    views: Mapping[str, View]  # by source
    schemes: tuple[Scheme, ...]
    prior: Mapping[str, float]  # scheme -> weight before learning
    incomplete: tuple[str, ...]  # descriptors of the recipe that do not cover every image
    kinds: Mapping[str, str] = field(default_factory=dict)  # of each descriptor
    resting: Mapping[str, str] = field(default_factory=dict)
    """Descriptors of the recipe that cannot be made here, and why; their schemes rest."""

    def __len__(self) -> int:
        return self.rows - len(self.dead)

    @cached_property
    def dead(self) -> Rows:
        """Rows of images that have left."""
        return np.flatnonzero(~self.listing.alive)

    @cached_property
    def needed(self) -> frozenset[str]:
        """The descriptors that a picture must have for every scheme to compare it."""
        return self.needs(self.schemes)

    @property
    def rows(self) -> int:
        """How many rows there are, alive or not."""
        return len(self.listing.ids)

    def find(self, image_id: str) -> int:
        """The row of a living image; -1 for any other."""
        row = self.listing.row_of.get(image_id, -1)
        return row if row >= 0 and self.listing.alive[row] else -1

    def prior_of(self, schemes: tuple[Scheme, ...]) -> Mapping[str, float]:
        """Weights before learning of some schemes, as if the collection had no others."""
        if schemes == self.schemes:
            return self.prior
        return prior.start(schemes, self.kinds)

    def needs(self, schemes: Iterable[Scheme]) -> frozenset[str]:
        """The descriptors that a picture from outside must have for these schemes."""
        views = self.views.values()
        return frozenset(name for s in schemes for view in views for name in view.needs(s))

    def example(self, row: int) -> Example:
        """An image of the collection as an example."""
        parts: dict[str, Any] = {}
        for view in self.views.values():
            parts |= view.of_row(row)
        return Example(self.listing.ids[row], row, parts)

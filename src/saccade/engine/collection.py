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
from saccade.errors import NoSuchImage
from saccade.features import prior
from saccade.store.catalog import CatalogListing
from saccade.types import Array, Arrays, Phi, Rows, Scheme, Scores, Spec

Made = TypeVar("Made")

Wanted = frozenset[str] | None  # descriptors to compute; all when None


@dataclass(frozen=True, slots=True)
class Example:
    """One picture as the sources see it; `row` is -1 for a picture from outside."""

    image_id: str
    row: int
    parts: Spec  # descriptor -> what its source knows; the type is that source's own
    partial: bool = False
    """Whether only something of it is meant: then the log keeps its parts though it is stored."""
    _made: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What `make` gives, made once; an example belongs to one state of one collection.

        For views, which find out the same thing for every column of φ; names start with theirs.
        """
        made: Made | None = self._made.get(name)
        if made is None:
            made = self._made[name] = make()
        return made

    def has(self, name: str) -> bool:
        """Whether `once` has made this."""
        return name in self._made


class Attendance(Protocol):
    """Whoever keeps the pieces of a collection that is cut."""

    def missing(self) -> NDArray[np.bool_] | None:
        """The rows of pieces that are not there now; None where all are."""

    def lost(self) -> int:
        """How often one was not there so far, asked in haste."""


@dataclass(frozen=True, slots=True)
class Divided:
    """What a collection that is cut into pieces offers to whoever cannot wait for all of them."""

    pieces: Attendance
    hasty: Collection
    """The same collection; rows of a piece that is not there are 0, where the other waits."""


class View:
    """One source's share of a collection at one moment. What a source has no part in stays as here.

    `length` is how many rows will be looked at, all unless given: what only tells rows apart that
    lie far below need not be computed for a short page.
    """

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The descriptors it has for every image."""
        return ()

    @property
    def more(self) -> tuple[Scheme, ...]:
        """Schemes it has beside every similarity of every descriptor."""
        return ()

    @property
    def on_request(self) -> tuple[Scheme, ...]:
        """Schemes that take part only where an example brings what they compare."""
        return ()

    def serves(self, scheme: Scheme) -> bool:
        """Whether it fills this column of φ."""
        return False

    def needs(self, scheme: Scheme) -> tuple[str, ...]:
        """The descriptors of a picture from outside that this column of φ is made from."""
        return ()

    def of_row(self, row: int) -> dict[str, object]:
        """What it knows of an image of the collection, by descriptor."""
        return {}

    def of_picture(self, picture: Picture, only: Wanted) -> dict[str, object]:
        """What it sees in a picture from outside, by descriptor."""
        return {}

    def fill(
        self,
        out: Phi,
        example: Example,
        schemes: Sequence[Scheme],
        *,
        rows: Rows | None = None,
        raw: bool = False,
        length: int | None = None,
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
        *,
        length: int | None = None,
        pool: Executor | None = None,
    ) -> None:
        """Add Σ w φ of its schemes to every row's score; a scheme without weight costs nothing."""

    def short(self, example: Example, length: int | None) -> bool:
        """Whether φ of an example is another for a page as short as this."""
        return False

    def remember(self, example: Example, *, places: bool) -> dict[str, Array]:
        """What the log keeps of a picture from outside; `places` of local features too."""
        return {}

    def recall(self, arrays: Arrays, vocabulary: str) -> dict[str, object]:
        """What `remember` gave, as far as it means anything in this collection."""
        return {}

    def warm(self, row: int) -> None:
        """Pay the first search's costs now."""


@dataclass(frozen=True)
class Collection:
    """Rows, ids and views that belong together; what follows from them is found out once."""

    generation: int
    listing: CatalogListing
    views: Mapping[str, View]  # by source
    schemes: tuple[Scheme, ...]
    prior: Mapping[str, float]  # scheme -> weight before learning
    incomplete: tuple[str, ...]  # descriptors of the recipe that do not cover every image
    kinds: Mapping[str, str] = field(default_factory=dict)  # of each descriptor
    resting: Mapping[str, str] = field(default_factory=dict)
    """Descriptors of the recipe that cannot be made here, and why; their schemes rest."""
    cut: Divided | None = None
    """What it offers where it is cut into pieces."""

    def __len__(self) -> int:
        return self.rows - len(self.dead)

    @cached_property
    def dead(self) -> Rows:
        """Rows of images that have left."""
        return np.flatnonzero(~self.listing.alive)

    @cached_property
    def living(self) -> Rows:
        """Rows of the images that are there."""
        return np.flatnonzero(self.listing.alive)

    @cached_property
    def needed(self) -> frozenset[str]:
        """The descriptors that a picture must have for every scheme to compare it."""
        return self.needs(self.schemes)

    @property
    def rows(self) -> int:
        """How many rows there are, alive or not."""
        return len(self.listing.ids)

    @property
    def on_request(self) -> tuple[Scheme, ...]:
        """Schemes that take part only where an example brings what they compare."""
        return tuple(scheme for view in self.views.values() for scheme in view.on_request)

    def find(self, image_id: str) -> int:
        """The row of a living image; -1 for any other."""
        row = self.listing.row_of.get(image_id, -1)
        return row if row >= 0 and self.listing.alive[row] else -1

    def row(self, image_id: object, *, why: str = "") -> int:
        """The row of a living image; an error for any other, with `why` one is needed."""
        row = self.find(image_id) if isinstance(image_id, str) else -1
        if row < 0:
            raise NoSuchImage(image_id, why=why)
        return row

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
        parts: dict[str, object] = {}
        for view in self.views.values():
            parts |= view.of_row(row)
        return Example(self.listing.ids[row], row, parts)

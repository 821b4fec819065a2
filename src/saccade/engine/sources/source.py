"""What a kind of column can do to take its place in the table of sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from saccade.contracts import Picture
from saccade.engine.collection import View
from saccade.engine.progress import Watch
from saccade.errors import InvalidInput
from saccade.features.scaling import choose_anchors
from saccade.store.catalog import CatalogListing
from saccade.store.columns import Segment
from saccade.store.store import Store
from saccade.types import Array, Arrays, Finding, Rows, Skipped

DescribedColumn = tuple[dict[str, Array], list[Skipped]]


@dataclass(frozen=True, slots=True)
class About:
    """What the tables show of a descriptor's column."""

    name: str
    version: str
    kind: str
    dimension: int  # 0 where it depends on the collection


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a view is loaded from: the store, its listing, and segments without gaps."""

    store: Store
    listing: CatalogListing
    segments: Mapping[tuple[str, str], Sequence[Segment]]  # by column and version
    anchor_rows: Rows

    @classmethod
    def of(cls, store: Store) -> Shelf:
        """What a store has now."""
        listing = store.catalog.listing()
        by_column: dict[tuple[str, str], list[Segment]] = defaultdict(list)
        for segment in store.columns.segments():
            # Rows may have been added after the listing was read: the next search will see them.
            held = by_column[segment.name, segment.version]
            if segment.first == sum(s.rows for s in held) < len(listing.ids):
                held.append(segment)
        return cls(store, listing, by_column, choose_anchors(listing.alive))

    @property
    def total(self) -> int:
        """How many rows there are."""
        return len(self.listing.ids)

    def whole(self, name: str, version: str) -> Sequence[Segment] | None:
        """The segments of a column, if they cover every row."""
        held = self.segments.get((name, version), ())
        return held if sum(s.rows for s in held) >= self.total > 0 else None


class Source:
    """One kind of stored column and all that is special about it; the rest stays as it is here."""

    derived: tuple[str, ...] = ()
    """Columns it makes from others."""
    follows: tuple[str, ...] = ()
    """Descriptors that they are made from: computed anew, so are they."""
    compares: bool = True
    """Whether its descriptors have schemes."""
    late: bool = False
    """Whether its columns are made after the others': they cost more and find less."""

    def covers(self, descriptor: str) -> bool:
        """Whether a descriptor's column is of this kind."""
        return False

    def about(self, descriptor: str) -> About:
        """Version, kind and size; an unknown name is an error."""
        raise InvalidInput(f"{descriptor!r} is no descriptor: its columns are made from others")

    def describe(
        self, descriptor: str, pictures: Sequence[Picture], labels: Sequence[str]
    ) -> DescribedColumn:
        """A column's arrays for some pictures, and what went wrong; `labels` name them there.

        This runs in a worker. A picture that cannot be described has a blank row.
        """
        return {}, []

    def blank(self, descriptor: str) -> dict[str, Array]:
        """A column's arrays for one image about which nothing is known."""
        return {}

    def load(
        self,
        shelf: Shelf,
        descriptors: Sequence[str],
        before: View | None,
        views: Mapping[str, View],
    ) -> View | None:
        """The view of those of a recipe's descriptors that are its own.

        What an earlier one holds in memory is used again; `views` are those of sources before it.
        """
        return None

    def size(self, descriptor: str, view: View | None) -> tuple[int, int]:
        """Dimension and bytes per image, in a collection where there is one."""
        return 0, 0

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Make what follows from a recipe's columns. Hold `store.indexing()` around it."""

    def damage(self, arrays: Arrays, rows: int) -> str:
        """What is wrong with a segment that should have so many rows, or nothing."""
        return ""

    def lacking(self, store: Store, descriptors: Sequence[str]) -> Iterable[Finding]:
        """What is wrong with what follows from a recipe's columns."""
        return ()

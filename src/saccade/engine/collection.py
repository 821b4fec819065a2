"""The collection as searches see it: an immutable snapshot of a store at one moment."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.engine.recipe import Recipe, balanced
from saccade.engine.words import WORDS, WordView
from saccade.engine.words import load as load_words
from saccade.errors import StoreError
from saccade.features.phi import Block, Column
from saccade.features.scaling import choose_anchors
from saccade.store.catalog import Listing
from saccade.store.columns import Segment
from saccade.store.store import Store
from saccade.types import Rows, Scheme


@dataclass(frozen=True, slots=True)
class Collection:
    """Rows, ids and columns that belong together."""

    generation: int
    listing: Listing
    columns: dict[str, Column]
    versions: dict[str, str]
    schemes: tuple[Scheme, ...]
    start: dict[str, float]  # scheme -> weight before learning
    incomplete: tuple[str, ...]
    anchor_rows: Rows
    anchors: dict[str, Column]  # the anchors' vectors, at hand
    words: WordView | None = None

    def __len__(self) -> int:
        return int(np.count_nonzero(self.listing.alive))

    def vectors(self, row: int) -> dict[str, NDArray[Any]]:
        """Every descriptor of one image; of words, the word of each feature."""
        where: Rows = np.array([row], np.int64)
        out: dict[str, NDArray[Any]] = {n: c.take(where)[0] for n, c in self.columns.items()}
        if self.words is not None:
            out[WORDS] = self.words.words_of(row)
        return out


def load(store: Store, recipe: Recipe, before: Collection | None = None) -> Collection:
    """The newest state of a store.

    A column that is damaged or does not cover every row is left out and named: the others serve.
    What the collection `before` holds in memory is not built again where it still fits.
    """
    generation = store.catalog.generation()
    listing = store.catalog.listing()
    total = len(listing.ids)
    found: dict[tuple[str, str], list[Segment]] = defaultdict(list)
    for segment in store.columns.segments():
        # Rows may have been added after the listing was read: the next search will see them.
        held = found[segment.name, segment.version]
        if segment.first == sum(s.rows for s in held) < total:
            held.append(segment)
    columns: dict[str, Column] = {}
    versions: dict[str, str] = {}
    for (name, version), held in sorted(
        found.items(), key=lambda item: [s.segment for s in item[1]][-1:]
    ):
        # While a descriptor's new version is computed, the old one goes on serving.
        if name in recipe.descriptors and name != WORDS and sum(s.rows for s in held) >= total > 0:
            with suppress(StoreError):
                columns[name] = Column(name, tuple(_block(store, s, total) for s in held))
                versions[name] = version
    words = None
    if WORDS in recipe.descriptors:
        words = load_words(store, listing, found, before.words if before else None)
    whole = {*columns, *([] if words is None else [WORDS])}
    incomplete = tuple(n for n in recipe.descriptors if n not in whole and total > 0)
    if incomplete and store.catalog.generation() != generation:
        # Segments were merged while we read their list; the new list is whole.
        return load(store, recipe, before)
    anchors = choose_anchors(listing.alive)
    schemes = tuple(s for s in recipe.schemes() if s.descriptor in whole)
    return Collection(
        generation=generation,
        listing=listing,
        columns={name: columns[name] for name in recipe.descriptors if name in columns},
        versions=versions,
        schemes=schemes,
        start=balanced(schemes, store.catalog.setting("kinds") or {}),
        incomplete=incomplete,
        anchor_rows=anchors,
        anchors={
            name: Column(name, (Block.of(column.take(anchors)),))
            for name, column in columns.items()
        },
        words=words,
    )


def _block(store: Store, segment: Segment, total: int) -> Block:
    arrays = store.columns.load(segment)
    use = min(segment.rows, total - segment.first)
    vectors, sizes = arrays["vectors"], arrays["norms"]
    if len(vectors) != segment.rows or len(sizes) != segment.rows:
        raise StoreError(f"column {segment.name!r}: a segment has another number of rows")
    return Block.of(vectors[:use], sizes[:use])

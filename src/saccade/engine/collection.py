"""The collection as searches see it: an immutable snapshot of a store at one moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.engine.recipe import Recipe
from saccade.features.phi import Block, Column
from saccade.features.scaling import choose_anchors
from saccade.store.catalog import Listing
from saccade.store.store import Store
from saccade.types import Rows, Scheme


@dataclass(frozen=True, slots=True)
class Collection:
    """Rows, ids and columns that belong together."""

    generation: int
    listing: Listing
    columns: dict[str, Column]
    schemes: tuple[Scheme, ...]
    incomplete: tuple[str, ...]
    anchor_rows: Rows
    anchors: dict[str, Column]  # the anchors' vectors, at hand

    def __len__(self) -> int:
        return int(np.count_nonzero(self.listing.alive))

    def vectors(self, row: int) -> dict[str, NDArray[np.float32]]:
        """Every descriptor of one image."""
        where: Rows = np.array([row], np.int64)
        return {name: column.take(where)[0] for name, column in self.columns.items()}


def load(store: Store, recipe: Recipe) -> Collection:
    """The newest state of a store. A column that does not cover every row is left out and named."""
    generation = store.catalog.generation()
    listing = store.catalog.listing()
    total = len(listing.ids)
    blocks: dict[str, list[Block]] = {name: [] for name in recipe.descriptors}
    covered = dict.fromkeys(recipe.descriptors, 0)
    for segment in store.columns.segments():
        # Rows may have been added after the listing was read: the next search will see them.
        if segment.name in blocks and segment.first == covered[segment.name] < total:
            arrays = store.columns.load(segment)
            use = min(segment.rows, total - segment.first)
            blocks[segment.name].append(Block.of(arrays["vectors"][:use], arrays["norms"][:use]))
            covered[segment.name] += use
    anchor_rows = choose_anchors(listing.alive)
    whole = {name for name, rows in covered.items() if rows == total and total > 0}
    columns = {name: Column(name, tuple(blocks[name])) for name in blocks if name in whole}
    return Collection(
        generation=generation,
        listing=listing,
        columns=columns,
        schemes=tuple(s for s in recipe.schemes() if s.descriptor in whole),
        incomplete=tuple(name for name in blocks if name not in whole and total > 0),
        anchor_rows=anchor_rows,
        anchors={
            name: Column(name, (Block.of(column.take(anchor_rows)),))
            for name, column in columns.items()
        },
    )

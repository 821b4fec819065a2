"""Kinds of stored columns: what is special about each lives in its own file.

    source    columns                     made from
    dense     one vector per image        pixels, by a descriptor
    words     local features, words       pixels, then a vocabulary

SOURCES is the table. A source describes pictures, loads its columns as a view of the collection,
fills φ, makes what follows from its columns, and says what is wrong with them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from saccade.engine.collection import Collection, View
from saccade.engine.progress import Watch
from saccade.engine.recipe import Recipe, balanced
from saccade.engine.sources.dense import Dense
from saccade.engine.sources.source import About, Described, Shelf, Source
from saccade.engine.sources.words import Words
from saccade.features.scaling import choose_anchors
from saccade.store.columns import Segment
from saccade.store.store import Store
from saccade.types import Finding

__all__ = ["SOURCES", "About", "Described", "Source", "about", "derived", "load", "source_of"]

SOURCES: Mapping[str, Source] = {"words": Words(), "dense": Dense()}
"""By name; the first that covers a descriptor has it, and dense takes whatever can be made."""


def source_of(descriptor: str) -> Source:
    """The source of a descriptor's column."""
    return next(source for source in SOURCES.values() if source.covers(descriptor))


def about(descriptor: str) -> About:
    """What fills the column with this name; an unknown name is an error."""
    return source_of(descriptor).about(descriptor)


def changed(recipe: Recipe, text: str | None) -> Recipe:
    """A recipe after a change in text, or as it is."""
    return recipe if text is None else recipe.changed(text, named=lambda name: about(name).name)


def derived() -> frozenset[str]:
    """Columns made from other columns: their sources see to them."""
    return frozenset(name for source in SOURCES.values() for name in source.derived)


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
    shelf = Shelf(store, listing, found, choose_anchors(listing.alive))
    views: dict[str, View] = {}
    for name, source in SOURCES.items():
        wanted = [d for d in recipe.descriptors if source_of(d) is source]
        view = source.load(shelf, wanted, before.views.get(name) if before else None)
        if wanted and view is not None:
            views[name] = view
    whole = {descriptor for view in views.values() for descriptor in view.names}
    incomplete = tuple(n for n in recipe.descriptors if n not in whole and total > 0)
    if incomplete and store.catalog.generation() != generation:
        # Segments were merged while we read their list; the new list is whole.
        return load(store, recipe, before)
    schemes = tuple(s for s in recipe.schemes() if any(v.serves(s) for v in views.values()))
    kinds = store.catalog.setting("kinds") or {}
    return Collection(generation, listing, views, schemes, balanced(schemes, kinds), incomplete)


def update(store: Store, descriptors: Sequence[str], watch: Watch) -> None:
    """Make what follows from the columns of these descriptors, as far as it is not made."""
    for source in SOURCES.values():
        if any(source_of(descriptor) is source for descriptor in descriptors):
            source.update(store, watch)


def lacking(store: Store, descriptors: Sequence[str]) -> list[Finding]:
    """What is wrong with what follows from the columns of these descriptors."""
    used = [s for s in SOURCES.values() if any(source_of(d) is s for d in descriptors)]
    return [finding for source in used for finding in source.lacking(store)]

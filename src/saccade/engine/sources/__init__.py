"""Kinds of stored columns: what is special about each lives in its own file.

    source    columns                     made from
    dense     one vector per image        pixels, by a descriptor
    words     local features, words       pixels, then a vocabulary
    graph     links to the nearest        dense columns
    regions   parts of a picture          pixels, when they are first needed
    configurations  bags by further vocabularies    local features

SOURCES is the table. A source describes pictures, loads its columns as a view of the collection,
fills φ, makes what follows from its columns, and says what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from saccade.engine.collection import Collection, View
from saccade.engine.progress import Watch
from saccade.engine.recipe import Recipe
from saccade.engine.sources.configurations import Configurations
from saccade.engine.sources.dense import Dense
from saccade.engine.sources.graph import GraphView, Links
from saccade.engine.sources.regions import Regions
from saccade.engine.sources.source import About, Described, Shelf, Source
from saccade.engine.sources.words import Words
from saccade.errors import SaccadeError
from saccade.features import prior
from saccade.store.store import Store
from saccade.types import Finding

__all__ = [
    "SOURCES",
    "About",
    "Described",
    "Source",
    "about",
    "derived",
    "load",
    "resting",
    "source_of",
]

SOURCES: Mapping[str, Source] = {
    "words": Words(),
    "regions": Regions(),
    "dense": Dense(),
    "graph": Links(),
    "configurations": Configurations(),
}
"""By name; the first that covers a descriptor has it, and dense takes whatever can be made."""


def source_of(descriptor: str) -> Source:
    """The source of a descriptor's column."""
    return next(source for source in SOURCES.values() if source.covers(descriptor))


def about(descriptor: str) -> About:
    """What fills the column with this name; an unknown name is an error."""
    return source_of(descriptor).about(descriptor)


def resting(descriptors: Sequence[str]) -> dict[str, str]:
    """Those that cannot be made on this machine, with the reason: a plug-in or a file is missing.

    Their columns are kept and their schemes rest until it is back.
    """
    from saccade.descriptors import DESCRIPTORS

    out = {}
    for name in descriptors:
        if name in DESCRIPTORS:
            continue  # always there, and some are slow to load
        try:
            about(name)
        except SaccadeError as error:
            out[name] = error.message
    return out


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
    shelf, asleep = Shelf.of(store), resting(recipe.descriptors)
    views: dict[str, View] = {}
    for name, source in SOURCES.items():
        mine = [d for d in recipe.descriptors if d not in asleep and source_of(d) is source]
        view = source.load(shelf, mine, before.views.get(name) if before else None, views)
        if view is not None:
            views[name] = view
    links = views.get("graph")
    if isinstance(links, GraphView):
        views["dense"] = links.columns  # the graph knows the centres
    incomplete = _incomplete([d for d in recipe.descriptors if d not in asleep], views, shelf)
    if incomplete and store.catalog.generation() != generation:
        # Segments were merged while we read their list; the new list is whole.
        return load(store, recipe, before)
    schemes = tuple(s for s in recipe.schemes() if any(v.serves(s) for v in views.values()))
    schemes += tuple(scheme for view in views.values() for scheme in view.more)
    kinds = store.catalog.setting("kinds") or {}
    start = prior.start(schemes, kinds)
    return Collection(generation, shelf.listing, views, schemes, start, incomplete, kinds, asleep)


def _incomplete(
    descriptors: Sequence[str], views: Mapping[str, View], shelf: Shelf
) -> tuple[str, ...]:
    """Descriptors that do not cover every image, and the graph while it lags behind."""
    whole = {descriptor for view in views.values() for descriptor in view.names}
    lacking = [name for name in descriptors if name not in whole]
    columns = views.get("dense")
    if "graph" not in views and columns is not None and columns.names:
        lacking.append("graph")
    return tuple(lacking) if shelf.listing.alive.any() else ()


def update(store: Store, descriptors: Sequence[str], watch: Watch) -> None:
    """Make what follows from the columns of these descriptors, as far as it is not made."""
    for source in SOURCES.values():
        source.update(store, descriptors, watch)


def lacking(store: Store, descriptors: Sequence[str]) -> list[Finding]:
    """What is wrong with what follows from the columns of these descriptors."""
    return [f for source in SOURCES.values() for f in source.lacking(store, descriptors)]

"""Kinds of stored columns: what is special about each lives in its own file.

    source    columns                     made from
    dense     one vector per image        pixels, by a descriptor
    words     local features, words       pixels, then a vocabulary
    graph     links to the nearest        dense columns
    parts     positions of a picture      the same look as its embedding, in the same column
    sketches  the same, very small        positions
    regions   a picture cut into regions  pixels, where a recipe names them

SOURCES is the table; a capability may bring further rows (`SOURCES.with_`). A source describes
pictures, loads its columns as a view of the collection, fills φ, makes what follows from its
columns, and says what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saccade.engine.collection import Collection, View
from saccade.engine.progress import Watch
from saccade.engine.recipe import Recipe
from saccade.engine.sources.dense import Dense
from saccade.engine.sources.graph import GraphView, Links
from saccade.engine.sources.parts import Parts
from saccade.engine.sources.regions import Regions
from saccade.engine.sources.sketches import SKETCHES, SketchSource
from saccade.engine.sources.source import About, DescribedColumn, Shelf, Source
from saccade.engine.sources.words import Words
from saccade.errors import SaccadeError
from saccade.features import prior
from saccade.store.store import Store
from saccade.types import Finding

__all__ = ["SOURCES", "About", "DescribedColumn", "Source", "SourceTable", "about"]


@dataclass(frozen=True, slots=True)
class SourceTable:
    """Sources by name; the first that covers a descriptor has it."""

    rows: Mapping[str, Source]

    def with_(self, more: Mapping[str, Source]) -> SourceTable:
        """The table with further rows at its end."""
        return SourceTable({**self.rows, **more})

    def of(self, descriptor: str) -> Source:
        """The source of a descriptor's column."""
        return next(source for source in self.rows.values() if source.covers(descriptor))

    def making(self, column: str) -> Source:
        """The source of any column, one made from others too."""
        made = (source for source in self.rows.values() if column in source.derived)
        return next(made, None) or self.of(column)

    def about(self, descriptor: str) -> About:
        """What fills the column with this name; an unknown name is an error."""
        return self.of(descriptor).about(descriptor)

    def resting(self, descriptors: Sequence[str]) -> dict[str, str]:
        """Those that cannot be made on this machine, with the reason: something is missing.

        Their columns are kept and their schemes rest until it is back.
        """
        from saccade.descriptors import DESCRIPTORS, OPTIONAL

        out = {}
        for name in descriptors:
            if name in DESCRIPTORS and name not in OPTIONAL:
                continue  # always there, and some are slow to load
            try:
                self.about(name)
            except SaccadeError as error:
                out[name] = error.message
        return out

    def changed(self, recipe: Recipe, text: str | None) -> Recipe:
        """A recipe after a change in text, or as it is."""
        if text is None:
            return recipe
        return recipe.changed(text, named=lambda name: self.about(name).name)

    def derived(self, descriptor: str | None = None) -> frozenset[str]:
        """Columns made from other columns, their sources see to them; or those of a descriptor."""
        return frozenset(
            name
            for source in self.rows.values()
            if descriptor is None or descriptor in source.follows
            for name in source.derived
        )

    def load(self, store: Store, recipe: Recipe, before: Collection | None = None) -> Collection:
        """The newest state of a store.

        A column that is damaged or does not cover every row is left out and named: the others
        serve. What the collection `before` holds in memory is not built again where it still fits.
        """
        generation = store.catalog.generation()
        shelf, asleep = Shelf.of(store), self.resting(recipe.descriptors)
        awake = [name for name in recipe.descriptors if name not in asleep]
        views: dict[str, View] = {}
        for name, source in self.rows.items():
            mine = [descriptor for descriptor in awake if self.of(descriptor) is source]
            view = source.load(shelf, mine, before.views.get(name) if before else None, views)
            if view is not None:
                views[name] = view
        links = views.get("graph")
        if isinstance(links, GraphView):
            views["dense"] = links.columns  # the graph knows the centres
        incomplete = _incomplete(awake, views, shelf)
        if incomplete and store.catalog.generation() != generation:
            # Segments were merged while we read their list; the new list is whole.
            return self.load(store, recipe, before)
        schemes = tuple(s for s in recipe.schemes() if any(v.serves(s) for v in views.values()))
        schemes += tuple(scheme for view in views.values() for scheme in view.more)
        kinds = store.catalog.setting("kinds") or {}
        start = prior.start(schemes, kinds)
        return Collection(
            generation, shelf.listing, views, schemes, start, incomplete, kinds, asleep
        )

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Make what follows from the columns of these descriptors, as far as it is not made."""
        for source in self.rows.values():
            source.update(store, descriptors, watch)

    def lacking(self, store: Store, descriptors: Sequence[str]) -> list[Finding]:
        """What is wrong with what follows from the columns of these descriptors."""
        return [f for source in self.rows.values() for f in source.lacking(store, descriptors)]


SOURCES = SourceTable(
    {
        "words": Words(),
        "regions": Regions(),
        "dense": Dense(),
        "graph": Links(),
        SKETCHES: SketchSource(),
        "parts": Parts(),
    }
)
"""By name; dense takes whatever can be made."""


def about(descriptor: str) -> About:
    """What fills the column with this name; an unknown name is an error."""
    return SOURCES.about(descriptor)


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

"""Regions: pictures cut into parts, made when they are first needed.

A picture has its regions once somebody asked for them (`indexing.segmenting`), in the order they
were asked for: the column's rows are not the collection's, and each region carries the row of its
picture. It is derived: `add` lets the regions of pictures that left go, the doctor drops what is
damaged, and what is missing is made again by whoever needs it. While an embedding is replaced by
another, the regions of the old one are stale and go.

    scheme regions:match     φ = mean over the asked regions of the best centred cosine among the
                             picture's own, 0 for a picture without regions; only where asked for
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.engine.collection import Collection, Example, View, Wanted
from saccade.engine.progress import Watch
from saccade.engine.sources import parts as bundle
from saccade.engine.sources.dense import descriptor_of
from saccade.engine.sources.matching import Column, centre_of, match
from saccade.engine.sources.parts import Parts, parts_of
from saccade.engine.sources.source import About, Described, Shelf
from saccade.errors import InvalidInput, StoreError
from saccade.hints import Hint
from saccade.store import arrays as bundles
from saccade.store.columns import Segment
from saccade.store.store import Store
from saccade.types import Arrays, Finding, Phi, Rows, Scheme, Scores, Skipped

REGIONS = "regions"
MATCH = Scheme(REGIONS, "match")
VERSION = "1"


def embedding_of(store: Store) -> str:
    """The descriptor that embeds the crops of a store's regions; none where it has no embedding."""
    kinds: Mapping[str, str] = store.catalog.setting("kinds") or {}
    return next((name for name, kind in kinds.items() if kind == "embedding"), "")


def version_of(embedding: str) -> str:
    """Changes when the values do."""
    return f"{VERSION} {embedding} {descriptor_of(embedding).version}" if embedding else VERSION


def task_name(embedding: str) -> str:
    """What a worker is asked for: `regions`, or `regions+EMBEDDING`."""
    return f"{REGIONS}+{embedding}" if embedding else REGIONS


class RegionView:
    """The regions of a collection at one moment; nothing is read before it is needed."""

    def __init__(self, store: Store, segments: Sequence[Segment], embedding: str) -> None:
        self._store = store
        self._segments = segments
        self.embedding = embedding

    @cached_property
    def _held(self) -> tuple[list[Arrays], dict[int, tuple[int, int]]]:
        """The arrays, and for each row of the collection where its regions are."""
        arrays: list[Arrays] = []
        places: dict[int, tuple[int, int]] = {}
        wanted = version_of(self.embedding)
        for segment in self._segments:
            # A damaged one is the doctor's; its pictures count as having no regions yet.
            with suppress(StoreError):
                if segment.version == wanted:
                    found = self._store.columns.load(segment)
                    for slot, first in enumerate(found["offsets"][:-1].tolist()):
                        places[int(found["image"][first])] = len(arrays), slot
                    arrays.append(found)
        return arrays, places

    @cached_property
    def known(self) -> frozenset[int]:
        """Rows of the collection whose regions are there."""
        return frozenset(self._held[1])

    def parts(self, row: int) -> Parts | None:
        """The regions of an image, or None where nobody asked for them yet."""
        arrays, places = self._held
        if row not in places:
            return None
        batch, slot = places[row]
        return bundle.unpack(arrays[batch], slot)

    def count(self, row: int) -> int:
        """How many regions an image has; 0 where nobody asked for them yet."""
        arrays, places = self._held
        batch, slot = places.get(row, (-1, 0))
        offsets = arrays[batch]["offsets"] if batch >= 0 else np.zeros(2, np.int64)
        return int(offsets[slot + 1] - offsets[slot])

    @property
    def kind(self) -> str:
        """What regions are compared by here."""
        return self.embedding or bundle.PAPER

    @property
    def width(self) -> int:
        """Columns of a region's features."""
        return descriptor_of(self.embedding).dimension if self.embedding else bundle.WIDTH

    # -- the scheme ----------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> list[Column]:
        name, unit = ("crops", True) if self.embedding else ("vectors", False)
        return [Column.of(arrays, name, unit=unit) for arrays in self._held[0]]

    @cached_property
    def centre(self) -> NDArray[np.float32]:
        """The mean of all regions' features; nothing where there are none."""
        return centre_of(self._columns)

    def match(self, asked: Phi, rows: int, pool: Executor | None = None) -> Scores:
        """How well each row's regions match the asked ones [r, d], 0..1."""
        return match(self._columns, self.centre, asked, rows, pool)

    @property
    def names(self) -> tuple[str, ...]:
        """No descriptor of a recipe."""
        return ()

    @property
    def more(self) -> tuple[Scheme, ...]:
        """Nothing that an ordinary search weighs."""
        return ()

    def serves(self, scheme: Scheme) -> bool:
        """The one scheme."""
        return scheme == MATCH

    def needs(self, scheme: Scheme) -> tuple[str, ...]:
        """The asked regions."""
        return (REGIONS,) if scheme == MATCH else ()

    def of_row(self, row: int) -> dict[str, Any]:
        """Regions take part only where somebody pointed at some."""
        return {}

    def of_picture(self, picture: Picture, only: Wanted) -> dict[str, Any]:
        """Regions take part only where somebody pointed at some."""
        return {}

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
        """How well each picture's regions match; it is on its own scale already."""
        if MATCH in schemes and REGIONS in example.parts:
            top = len(out) if rows is None else int(rows.max(initial=-1)) + 1
            values = self._values(example, max(top, 1), pool)
            out[:, list(schemes).index(MATCH)] = (
                values[: len(out)] if rows is None else values[rows]
            )

    def weigh(
        self,
        out: Scores,
        example: Example,
        schemes: Sequence[Scheme],
        weights: NDArray[np.float32],
        pool: Executor | None = None,
    ) -> None:
        """One product with every region."""
        for scheme, weight in zip(schemes, weights, strict=True):
            if weight != 0.0 and scheme == MATCH and REGIONS in example.parts:
                out += weight * self._values(example, len(out), pool)[: len(out)]

    def _values(self, example: Example, rows: int, pool: Executor | None) -> Scores:
        asked = example.parts[REGIONS]
        found = example.once("regions/match", lambda: self.match(asked, rows, pool))
        return found if len(found) >= rows else self.match(asked, rows, pool)

    def remember(self, example: Example, *, places: bool) -> dict[str, NDArray[Any]]:
        """What was pointed at."""
        asked = example.parts.get(REGIONS)
        return {} if asked is None else {REGIONS: asked}

    def recall(self, arrays: Arrays, vocabulary: str) -> dict[str, Any]:
        """What was pointed at, where it can still be compared."""
        asked = arrays.get(REGIONS)
        fits = asked is not None and asked.ndim == 2 and asked.shape[1] == len(self.centre)
        return {REGIONS: asked} if fits else {}

    def warm(self, row: int) -> None:
        """Whoever never points at a region never pays for them."""


class Regions:
    """Regions as something made from pixels, later."""

    derived: tuple[str, ...] = (REGIONS,)

    def covers(self, descriptor: str) -> bool:
        """What a worker is asked for; a recipe cannot name it."""
        return descriptor.partition("+")[0] == REGIONS

    def about(self, descriptor: str) -> About:
        """No column of a recipe."""
        raise InvalidInput(
            "regions are made when they are first needed and are no part of a recipe",
            hint=Hint(
                "engine.concepts.rank(NAME) makes those of a concept's pictures",
                command="`saccade concept rank NAME` makes those of a concept's pictures",
                http="ranking a concept makes those of its pictures",
            ),
        )

    def describe(
        self, descriptor: str, pictures: Sequence[Picture], labels: Sequence[str]
    ) -> Described:
        """The regions of each picture; one that cannot be cut has none."""
        embedding = descriptor.partition("+")[2]
        found: list[Parts] = []
        problems: list[Skipped] = []
        for picture, label in zip(pictures, labels, strict=True):
            try:
                found.append(parts_of(picture, embedding))
            # Someone else's encoder may raise anything; the other pictures have their regions.
            except Exception as error:
                found.append(_no_parts(_width(embedding)))
                reason = f"its regions cannot be made: {type(error).__name__}: {error}"
                problems.append(Skipped(label, reason))
        return bundle.pack(found, _width(embedding)), problems

    def blank(self, descriptor: str) -> dict[str, NDArray[Any]]:
        """A picture without regions."""
        return bundle.pack([_no_parts(0)], 0)

    def load(
        self,
        shelf: Shelf,
        descriptors: Sequence[str],
        before: View | None,
        views: Mapping[str, View],
    ) -> RegionView | None:
        """The regions that are there, or None where nobody needed any yet."""
        held = [s for s in shelf.store.columns.segments() if s.name == REGIONS]
        return RegionView(shelf.store, held, embedding_of(shelf.store)) if held else None

    def size(self, descriptor: str, view: View | None) -> tuple[int, int]:
        """They belong to no descriptor."""
        return 0, 0

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Let the regions of pictures that left go, and stale ones."""
        held, left = _left(store)
        if left is None:
            return
        wanted = version_of(embedding_of(store))
        kept = []
        for segment in (s for s in held if s.version == wanted):
            with suppress(StoreError):
                arrays = store.columns.load(segment)
                kept.append(bundles.take(arrays, np.flatnonzero(~np.isin(_rows(arrays), left))))
        whole = bundles.concatenate(kept) if kept else None
        drafts = []
        if whole is not None and bundles.count(whole):
            drafts = [store.columns.draft(REGIONS, wanted, 0, whole)]
        store.commit(retract=[(REGIONS, None)], drafts=drafts)

    def damage(self, arrays: Arrays, rows: int) -> str:
        """Every region has its numbers, and every picture a region."""
        lacking = {"image", *bundle.blank(0)} - set(arrays)
        if lacking:
            return f"lacks its {min(lacking)}"
        offsets = arrays["offsets"]
        if len(offsets) != rows + 1 or (np.diff(offsets) < 1).any() or offsets[0] != 0:
            return "has another number of rows"
        if any(len(a) != offsets[-1] for name, a in arrays.items() if name != "offsets"):
            return "has another number of regions"
        if not all(np.isfinite(arrays[name]).all() for name in ("vectors", "crops", "boxes")):
            return "has values that are not numbers"
        return ""

    def lacking(self, store: Store, descriptors: Sequence[str]) -> Iterator[Finding]:
        """Regions of pictures that left, or of an embedding that is no longer used."""
        _, left = _left(store)
        if left is not None:
            problem = f"{len(left)} pictures are gone" if len(left) else "are of another embedding"
            yield Finding(REGIONS, problem, "would be dropped; made again when they are needed")


def of(collection: Collection) -> RegionView | None:
    """The regions of a collection, where anybody needed some."""
    view = collection.views.get(REGIONS)
    return view if isinstance(view, RegionView) else None


def _left(store: Store) -> tuple[list[Segment], NDArray[np.int64] | None]:
    """The column's segments, and the rows that should go: None where all is well."""
    held = [s for s in store.columns.segments() if s.name == REGIONS]
    if not held:
        return held, None
    alive = store.catalog.listing().alive
    wanted, rows = version_of(embedding_of(store)), [np.zeros(0, np.int64)]
    for segment in held:
        with suppress(StoreError):
            rows.append(_rows(store.columns.load(segment)))
    every = np.concatenate(rows)
    gone = every[(every >= len(alive)) | ~alive[np.minimum(every, len(alive) - 1)]]
    stale = any(segment.version != wanted for segment in held)
    return held, gone if len(gone) or stale else None


def _rows(arrays: Arrays) -> NDArray[np.int64]:
    """The collection's row of each picture of a segment."""
    found: NDArray[np.int64] = np.asarray(arrays["image"], np.int64)[arrays["offsets"][:-1]]
    return found


def _no_parts(width: int) -> Parts:
    return bundle.unpack({**bundle.blank(width), "offsets": np.zeros(2, np.int64)}, 0)


def _width(embedding: str) -> int:
    return descriptor_of(embedding).dimension if embedding else 0


def segments(store: Store) -> int:
    """How many pieces the column is in."""
    return sum(segment.name == REGIONS for segment in store.columns.segments())


def rows_of(store: Store) -> Iterable[int]:
    """Rows of the collection whose regions are there and current."""
    held = [s for s in store.columns.segments() if s.name == REGIONS]
    return RegionView(store, held, embedding_of(store)).known

"""Sketches of pictures' positions, as a column derived from that of the embedding.

    wholes  int8 [n, 256], windows  int8 [n, 9, 32]      (`descriptors.embedding.sketches`)

In a large collection they say which pictures a search by a part looks at closely. While they lag
behind the collection or are damaged it looks at all of them: that takes longer and misses nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import numpy as np

from saccade import trace
from saccade.descriptors.embedding import parts as codec
from saccade.descriptors.embedding import sketches
from saccade.descriptors.embedding.parts import Codes
from saccade.descriptors.embedding.sketches import Sketches
from saccade.engine.progress import Progress, Watch
from saccade.engine.sources.dense import POSITIONS, Dense
from saccade.engine.sources.source import Shelf, Source
from saccade.errors import StoreError
from saccade.features.phi import Column
from saccade.store.columns import Segment
from saccade.store.store import Store
from saccade.types import Arrays

log = logging.getLogger(__name__)

SKETCHES = "sketches"
Pieces = tuple[tuple[int, Codes], ...]  # first row and bytes of each piece
_ROWS = 8192  # between two words about how far it is


class SketchSource(Source):
    """Sketches, kept for all that a column with positions covers."""

    derived = (SKETCHES,)
    follows = ("embedding", "embedding-float32")

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Make the rows that are missing; drop those of another embedding."""
        shelf = Shelf.of(store)
        name, codes, column = _first(shelf, descriptors)
        kept_of = {s.version for s in store.columns.segments() if s.name == SKETCHES}
        stale = sorted((SKETCHES, version) for version in kept_of - {name})
        if stale:
            store.commit(retract=stale, quiet=True)
        covered = store.columns.coverage().get((SKETCHES, name), 0)
        if column is None or covered >= shelf.total:
            return
        made = []
        for first, last in _spans(codes, covered):
            watch(Progress(SKETCHES, first, shelf.total))
            vectors = column.take(np.arange(first, last))
            made.append(sketches.sketch(_between(codes, first, last), vectors))
        arrays = {
            "wholes": np.concatenate([one.wholes for one in made]),
            "windows": np.concatenate([one.windows for one in made]),
        }
        store.commit(drafts=[store.columns.draft(SKETCHES, name, covered, arrays)], quiet=True)
        watch(Progress(SKETCHES, shelf.total, shelf.total))

    def damage(self, arrays: Arrays, rows: int) -> str:
        """Two arrays of known shapes."""
        if set(arrays) != {"wholes", "windows"}:
            return "lacks its wholes or its windows"
        wholes, windows = arrays["wholes"], arrays["windows"]
        right = (rows, codec.NUMBERS), (rows, sketches.WINDOWS, sketches.WIDTH)
        if (wholes.shape, windows.shape) != right:
            return "has another shape"
        whole = wholes.dtype == windows.dtype == np.int8
        return "" if whole else "has values of another type"


def codes_of(shelf: Shelf, name: str, version: str) -> Pieces | None:
    """The positions of a column that has some for every row, by the first row of each piece."""
    held = shelf.whole(name, version)
    if held is None:
        return None
    pieces = []
    for segment in held:
        try:
            codes = shelf.store.columns.load(segment).get(POSITIONS)
        except StoreError as error:
            trace.swallowed(log, error, doing="loading positions", column=segment.name)
            return None
        if codes is None or codes.shape[1:] != (codec.BYTES, codec.POSITIONS):
            return None
        plain = np.asarray(codes[: _used(shelf, segment)]).view()
        plain.flags.writeable = False  # one compiled kernel serves all
        pieces.append((segment.first, plain))
    return tuple(pieces)


def stored(shelf: Shelf, name: str, version: str) -> tuple[tuple[int, Sketches], ...]:
    """The sketches of a column's positions by the first row of each piece; none unless of all."""
    pieces = []
    for segment in shelf.whole(SKETCHES, _version(name, version)) or ():
        try:
            arrays = shelf.store.columns.load(segment)
        except StoreError as error:  # every picture is looked at closely instead
            trace.swallowed(log, error, doing="loading sketches", column=segment.name)
            return ()
        if SketchSource().damage(arrays, segment.rows):
            return ()
        used = _used(shelf, segment)
        wholes, windows = (np.asarray(arrays[key][:used]).view() for key in ("wholes", "windows"))
        wholes.flags.writeable = windows.flags.writeable = False
        pieces.append((segment.first, Sketches(wholes, windows)))
    return tuple(pieces)


def _version(name: str, version: str) -> str:
    """Sketches are of one column and made in one way."""
    return f"{name}-{version}-{sketches.VERSION}"


def _first(shelf: Shelf, descriptors: Sequence[str]) -> tuple[str, Pieces, Column | None]:
    """The version, positions and vectors that sketches are made from; none where there are none."""
    dense = Dense().load(shelf, descriptors, None, {})
    for name, column in dense.columns.items():
        codes = codes_of(shelf, name, dense.versions[name])
        if codes:
            return _version(name, dense.versions[name]), codes, column
    return "", (), None


def _used(shelf: Shelf, segment: Segment) -> int:
    """Rows of a segment that the listing knows."""
    return min(segment.rows, shelf.total - segment.first)


def _spans(codes: Pieces, start: int) -> Iterator[tuple[int, int]]:
    """Rows from `start` on, some at a time and never of two pieces."""
    for first, piece in codes:
        end = first + len(piece)
        for low in range(max(first, start), end, _ROWS):
            yield low, min(low + _ROWS, end)


def _between(codes: Pieces, low: int, high: int) -> Codes:
    first, piece = next((f, p) for f, p in reversed(codes) if f <= low)
    return piece[low - first : high - first]

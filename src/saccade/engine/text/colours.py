"""How much of each colour pictures show, as a column derived from the colour moments.

    shares   uint8 [n, 11]    of 255, in the order of `lexicon.colours.NAMES`

Where a store has no such column yet, a colour is computed when it is first looked for.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.descriptors.color_moments import CENTRE, SCALE
from saccade.engine.progress import Progress, Watch
from saccade.engine.sources.dense import Dense
from saccade.engine.sources.source import Shelf, Source
from saccade.errors import SaccadeError
from saccade.features.phi import Column
from saccade.lexicon.colours import NAMES, presence
from saccade.store.store import Store
from saccade.types import Arrays

log = logging.getLogger(__name__)

COLOURS = "colours"
MOMENTS = "color-moments"
VERSION = "1"
_ROWS = 8192

Shares = NDArray[np.uint8]


class ColourSource(Source):
    """The shares of colours, kept for all that the colour moments cover."""

    derived = (COLOURS,)
    follows = (MOMENTS,)

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Make the rows that are missing; drop what has lost its moments."""
        shelf = Shelf.of(store)
        column = Dense().load(shelf, descriptors, None, {}).columns.get(MOMENTS)
        covered = store.columns.coverage().get((COLOURS, VERSION), 0)
        if column is None:
            if covered:
                store.commit(retract=[(COLOURS, None)], quiet=True)
            return
        if covered < shelf.total:
            watch(Progress(COLOURS, covered, shelf.total))
            every = [shares_of(column, name, covered, shelf.total) for name in NAMES]
            draft = store.columns.draft(
                COLOURS, VERSION, covered, {"shares": np.stack(every, axis=1)}
            )
            store.commit(drafts=[draft], quiet=True)
            watch(Progress(COLOURS, shelf.total, shelf.total))

    def damage(self, arrays: Arrays, rows: int) -> str:
        """One array with a share for each colour."""
        if set(arrays) != {"shares"}:
            return "lacks its shares"
        return "" if arrays["shares"].shape == (rows, len(NAMES)) else "has another shape"


def shares_of(column: Column, colour: str, first: int, total: int) -> Shares:
    """How much of a colour the rows from `first` up to `total` show, of 255."""
    out = np.zeros(total - first, np.uint8)
    for start in range(first, total, _ROWS):
        rows = np.arange(start, min(start + _ROWS, total))
        moments = column.take(rows).reshape(len(rows), -1, *SCALE.shape)
        means = moments[:, :, 0] * SCALE[0] + CENTRE[0]
        out[rows - first] = np.rint(255.0 * presence(means.astype(np.float64), colour))
    return out


def stored_shares(shelf: Shelf, colour: str) -> Shares | None:
    """The shares of a colour as they lie in the store, where they cover every row."""
    segments = shelf.whole(COLOURS, VERSION)
    if segments is None:
        return None
    try:
        parts = [shelf.store.columns.load(segment)["shares"] for segment in segments]
    except SaccadeError as error:  # damaged: it is made again from the moments
        trace.swallowed(log, error, doing="reading colours")
        return None
    place = NAMES.index(colour)
    return np.concatenate([part[:, place] for part in parts])[: shelf.total]

"""Scores of pictures by their regions, from features that are kept.

Random features of a region do not depend on what was said, so they are computed once; a new
preference changes one row of weights, and a ranking is one pass over what is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from saccade.engine.sources.parts import SIDE, Parts
from saccade.engine.sources.regions import RegionView
from saccade.kernels.ragged import offsets_of
from saccade.rankers.bag_online import MIOnline
from saccade.rankers.bags import relative
from saccade.types import ImageRegion, Phi, Scores

BUDGET = 1 << 28
"""Bytes of features kept: those of some ten thousand pictures, and one concept's beyond."""
_AT_ONCE = 256


class RegionScores:
    """Scores of pictures by their regions; safe to use from many threads."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, float, int], Phi] = {}
        self._joined: tuple[object, Phi, NDArray[np.int64]] | None = None
        self._bytes = 0
        self._lock = Lock()

    def of(self, model: MIOnline, view: RegionView, rows: Sequence[int]) -> Scores:
        """The score of each of these rows, whose regions must be there."""
        if not rows:
            return np.zeros(0, np.float32)
        return model.score_embedded(*self._features(model, view, tuple(rows)))

    def _features(
        self, model: MIOnline, view: RegionView, rows: tuple[int, ...]
    ) -> tuple[Phi, NDArray[np.int64]]:
        # Two rankings of one concept in a row are the common case: keep its features in one piece.
        key = view.kind, model.gamma, rows
        with self._lock:
            held = self._joined
            if held is not None and held[0] == key:
                return held[1], held[2]
            self._fill(model, view, rows)
            bags = [self._kept[view.kind, model.gamma, row] for row in rows]
            joined = np.concatenate(bags), offsets_of([len(bag) for bag in bags])
            self._joined = key, *joined
            return joined

    def _fill(self, model: MIOnline, view: RegionView, rows: tuple[int, ...]) -> None:
        """Compute what is not kept, many pictures at once."""
        if self._bytes > BUDGET:
            self._kept, self._bytes = {}, 0
        lacking = [row for row in rows if (view.kind, model.gamma, row) not in self._kept]
        for first in range(0, len(lacking), _AT_ONCE):
            some = lacking[first : first + _AT_ONCE]
            found = [view.parts(row) for row in some]
            bags = [parts.features(view.kind) for parts in found if parts is not None]
            made = model.embedded(np.concatenate(bags), exact=False)
            starts = offsets_of([len(bag) for bag in bags]).tolist()
            for row, start, end in zip(some, starts, starts[1:], strict=False):
                self._kept[view.kind, model.gamma, row] = made[start:end]
            self._bytes += made.nbytes


def region_map(
    model: MIOnline | None, parts: Parts, kind: str
) -> tuple[int, tuple[ImageRegion, ...]]:
    """A picture's regions with their scores, and how much each counts among them."""
    scores: Scores = np.zeros(len(parts), np.float32)
    if model is not None:
        scores = model.region_scores(parts.features(kind))
    relevance = relative(scores)  # all 1 where nothing is known
    found = []
    for number, (top, left, bottom, right) in enumerate(parts.boxes.tolist()):
        region = ImageRegion(
            number=number,
            box=(top, left, bottom, right),
            area=float(parts.areas[number]),
            score=float(scores[number]),
            relevance=float(relevance[number]),
            mask=_runs(parts.masks[number].ravel()),
        )
        found.append(region)
    return SIDE, tuple(found)


def _runs(cells: NDArray[np.bool_]) -> tuple[int, ...]:
    """So many outside, so many inside, and so on.

    >>> _runs(np.array([True, True, False, True]))
    (0, 2, 1, 1)
    """
    edges = np.flatnonzero(np.diff(cells, prepend=False))
    return tuple(np.diff(np.concatenate([[0], edges, [len(cells)]])).tolist())

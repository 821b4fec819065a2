"""Pictures linked by what they show: their words match, and geometry confirms it.

    column         holds, image by image
    words/links    the earlier images that it shows the same thing as, and the inliers of each

They follow from the words and places of local features; their version is the digest of the
vocabulary. Of each new image the `CLOSE` best by words, where their match rises above the noise at
all (`features.standout.LOOKED`), are checked by geometry (`words.geometry`); a match that geometry
refutes links nothing, however far it stands out. Older images are not looked at again until the
collection has doubled: words that were rare are then common. Beyond `MOST` images nothing is
linked: the cost grows with the square.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.engine.progress import Progress, Watch
from saccade.engine.sources.source import Shelf
from saccade.engine.sources.words import WORDS, Words, WordView
from saccade.errors import SaccadeError
from saccade.features import standout
from saccade.kernels.ragged import offsets_of
from saccade.kernels.topk import top
from saccade.store.columns import Segment
from saccade.store.store import Store
from saccade.types import Array, Rows
from saccade.words import geometry

log = logging.getLogger(__name__)

LINKS = "words/links"
SETTING = "standouts"
"""Where the store's settings keep how many images there were when all were looked at."""
GROWN = 2.0
MOST = 50_000
CLOSE = 40
"""Images that one may be linked to from its side, the best by words."""


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedLinks:
    """Pairs of rows that show the same thing."""

    pairs: NDArray[np.int64]  # [m, 2], the later first
    inliers: NDArray[np.int32]  # [m]


def links(shelf: Shelf, digest: str) -> VerifiedLinks | None:
    """Links between living rows by this vocabulary; None while they do not cover every row."""
    held = shelf.whole(LINKS, digest)
    parts = None if held is None else [_read(shelf, segment) for segment in held]
    if not parts or any(part is None for part in parts):
        return None
    pairs = np.concatenate([part.pairs for part in parts if part])
    inliers = np.concatenate([part.inliers for part in parts if part])
    there: NDArray[np.bool_] = np.asarray((pairs < shelf.total).all(1))
    there[there] = shelf.listing.alive[pairs[there]].all(1)
    return VerifiedLinks(pairs[there], inliers[there])


def lacking(store: Store, descriptors: tuple[str, ...]) -> str:
    """What is wrong with the links by words, or nothing."""
    shelf = Shelf.of(store)
    view = Words().load(shelf, descriptors, None, {})
    if view is None or shelf.total > MOST:
        return ""
    digest = view.vocabulary.digest
    if links(shelf, digest) is not None:
        return ""
    return f"link {_sound(shelf, digest)} of {shelf.total} images"


def update(store: Store, watch: Watch) -> None:
    """Link images by what they show, as far as they are not. Hold `store.indexing()` around it."""
    shelf = Shelf.of(store)
    view = Words().load(shelf, (WORDS,), None, {})
    if view is None or shelf.total > MOST:
        return
    alive = int(np.count_nonzero(shelf.listing.alive))
    around, digest = store.catalog.setting(SETTING) or 0, view.vocabulary.digest
    sound = _sound(shelf, digest)
    # What follows a segment that is lost or damaged is made again with it.
    first = 0 if alive > GROWN * around or sound < covered(store, digest) else sound
    if first >= shelf.total:
        return
    earlier: list[dict[int, int]] = [{} for _ in range(first, shelf.total)]
    for row in range(first, shelf.total):
        if row % 256 == 0:
            watch(Progress("links", row, shelf.total))
        for other, inliers in _confirmed(view, row):
            later = earlier[max(row, other) - first]
            # Each may have found the other: a place is matched a little differently either way.
            later[min(row, other)] = max(inliers, later.get(min(row, other), 0))
    watch(Progress("links", shelf.total, shelf.total))
    arrays: dict[str, Array] = {
        "offsets": offsets_of([len(one) for one in earlier]),
        "rows": np.array([row for one in earlier for row in sorted(one)], np.int32),
        "inliers": np.array([one[row] for one in earlier for row in sorted(one)], np.int32),
    }
    draft = store.columns.draft(LINKS, digest, first, arrays)
    stale = [(LINKS, None)] if first == 0 else []
    store.commit(retract=stale, drafts=[draft], settings={SETTING: alive} if first == 0 else None)


def covered(store: Store, digest: str) -> int:
    """How many rows have their links."""
    return store.columns.coverage().get((LINKS, digest), 0)


def _sound(shelf: Shelf, digest: str) -> int:
    """How many rows have links that can be read, from the first on."""
    held = shelf.segments.get((LINKS, digest), ())
    return sum(s.rows for s in takewhile(lambda s: _read(shelf, s) is not None, held))


def _read(shelf: Shelf, segment: Segment) -> VerifiedLinks | None:
    """The links of a segment; None where it is damaged or lost: they can be made again."""
    try:
        arrays = shelf.store.columns.load(segment)
    except SaccadeError as error:
        trace.swallowed(log, error, doing="loading links by words")
        return None
    if not {"offsets", "rows", "inliers"} <= arrays.keys():
        return None
    offsets, others = np.asarray(arrays["offsets"]), np.asarray(arrays["rows"], np.int64)
    first, inliers = segment.first, np.asarray(arrays["inliers"], np.int32)
    own = np.repeat(np.arange(first, first + len(offsets) - 1), np.diff(offsets))
    if not len(own) == len(others) == len(inliers) or (others < 0).any() or (others >= own).any():
        return None
    return VerifiedLinks(np.stack([own, others], axis=1), inliers)


def _confirmed(view: WordView, row: int) -> list[tuple[int, int]]:
    """The rows that show the same thing as one, with inliers: best by words, then by geometry."""
    words = view.words_of(row)
    if not len(words) or row in view.dead:
        return []
    scores = view.scores(words, "cosine")
    heights = standout.heights(scores, scores[view.anchor_rows[view.anchor_rows != row]])
    scores[row] = -1.0
    best: Rows = top(scores, min(CLOSE, len(scores)))
    best = best[(heights[best] > standout.LOOKED) & (scores[best] > 0.0)]
    if not len(best):
        return []
    inliers = geometry.verify(view.placed(row), [view.placed(other) for other in best.tolist()])
    sure = inliers >= geometry.AGREED
    return list(zip(best[sure].tolist(), inliers[sure].tolist(), strict=True))

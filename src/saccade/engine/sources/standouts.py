"""Pictures linked by their words: two whose match stands out from both sides show the same thing.

    column         holds, image by image
    words/noise    mean and deviation of its match with the anchors (`features.standout`)
    words/links    the earlier images that it shows the same thing as

Both follow from the bags of words; their version is the digest of the vocabulary. New images are
measured against all others, older ones are not measured again until the collection has doubled and
its anchors are others. Beyond `MOST` images nothing is measured: the cost grows with the square.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.engine.progress import Progress, Watch
from saccade.engine.sources.source import Shelf
from saccade.engine.sources.words import WORDS, Words, WordView
from saccade.errors import SaccadeError
from saccade.features import standout
from saccade.kernels.ragged import offsets_of
from saccade.kernels.topk import top
from saccade.store.store import Store
from saccade.types import Rows

LINKS = "words/links"
NOISE = "words/noise"
SETTING = "standouts"
"""Where the store's settings keep how many images there were when all were measured."""
GROWN = 2.0
MOST = 50_000
CLOSE = 32
"""Links that one image may bring, the highest."""

Pairs = NDArray[np.int64]  # [m, 2]


@dataclass(frozen=True, slots=True)
class _Measured:
    """One image against all others."""

    noise: tuple[float, float]
    others: Rows  # those that stand out from its side
    matches: NDArray[np.float32]


def pairs(shelf: Shelf, view: WordView) -> Pairs | None:
    """Pairs of living rows with a link, or None while they do not cover every row."""
    held = shelf.whole(LINKS, view.vocabulary.digest)
    if held is None:
        return None
    try:
        batches = [(s.first, shelf.store.columns.load(s)) for s in held]
    # Damaged or lost, they can be made again.
    except SaccadeError:
        return None
    found = [np.zeros((0, 2), np.int64)]
    for first, arrays in batches:
        offsets, others = np.asarray(arrays["offsets"]), np.asarray(arrays["rows"], np.int64)
        own = np.repeat(np.arange(first, first + len(offsets) - 1), np.diff(offsets))
        found.append(np.stack([own, others], axis=1))
    every = np.concatenate(found)
    if len(every) and not 0 <= every.min() <= every.max():
        return None
    every = every[(every < shelf.total).all(1)]
    return every[shelf.listing.alive[every].all(1)]


def lacking(store: Store, descriptors: tuple[str, ...]) -> str:
    """What is wrong with the links by words, or nothing."""
    shelf = Shelf.of(store)
    view = Words().load(shelf, descriptors, None, {})
    if view is None or shelf.total > MOST or pairs(shelf, view) is not None:
        return ""
    return f"link {covered(store, view.vocabulary.digest)} of {shelf.total} images"


def update(store: Store, watch: Watch) -> None:
    """Link images by their words, as far as they are not. Hold `store.indexing()` around it."""
    shelf = Shelf.of(store)
    view = Words().load(shelf, (WORDS,), None, {})
    if view is None or shelf.total > MOST:
        return
    alive = int(np.count_nonzero(shelf.listing.alive))
    around, digest = store.catalog.setting(SETTING) or 0, view.vocabulary.digest
    noise = _known_noise(shelf, digest)
    fresh = covered(store, digest) != len(noise) or alive > GROWN * around
    known = 0 if fresh else len(noise)
    if known >= shelf.total:
        return
    measured = []
    for row in range(known, shelf.total):
        if row % 256 == 0:
            watch(Progress("links", row, shelf.total))
        measured.append(_measure(view, row))
    watch(Progress("links", shelf.total, shelf.total))
    own = np.array([one.noise for one in measured], np.float32).reshape(-1, 2)
    links = _mutual(measured, np.concatenate([noise[:known], own]), known)
    offsets, others = offsets_of([len(one) for one in links]), np.concatenate(links)
    drafts = [
        store.columns.draft(LINKS, digest, known, {"offsets": offsets, "rows": others}),
        store.columns.draft(NOISE, digest, known, {"noise": own}),
    ]
    stale = [(LINKS, None), (NOISE, None)] if known == 0 else []
    settings = {SETTING: alive} if known == 0 else None
    store.commit(retract=stale, drafts=drafts, settings=settings)


def covered(store: Store, digest: str) -> int:
    """How many rows have their links."""
    return store.columns.coverage().get((LINKS, digest), 0)


def _known_noise(shelf: Shelf, digest: str) -> NDArray[np.float32]:
    held = shelf.segments.get((NOISE, digest), ())
    try:
        parts = [np.asarray(shelf.store.columns.load(s)["noise"], np.float32) for s in held]
    except SaccadeError:
        parts = []
    return np.concatenate([np.zeros((0, 2), np.float32), *parts])


def _measure(view: WordView, row: int) -> _Measured:
    words = view.words_of(row)
    if not len(words) or row in view.dead:
        return _Measured((0.0, 0.0), np.zeros(0, np.int64), np.zeros(0, np.float32))
    scores = view.scores(words, "cosine")
    mean, deviation = standout.noise(scores[view.anchor_rows[view.anchor_rows != row]])
    scores[row] = -1.0
    best: Rows = top(scores, min(CLOSE, len(scores)))
    best = best[scores[best] > mean + standout.LINKED * deviation]
    return _Measured((mean, deviation), best, scores[best])


def _mutual(
    measured: list[_Measured], noise: NDArray[np.float32], first: int
) -> list[NDArray[np.int32]]:
    """For each new row the earlier ones that it is linked to: those it stands out to as well."""
    found: list[set[int]] = [set() for _ in measured]
    for row, one in enumerate(measured, first):
        high = noise[one.others, 0] + standout.LINKED * noise[one.others, 1]
        # A row without words has no noise and never stands out.
        linked = one.others[(one.matches > high) & (noise[one.others, 1] > 0.0)]
        for other in linked.tolist():
            found[max(row, other) - first].add(min(row, other))
    return [np.array(sorted(others), np.int32) for others in found]

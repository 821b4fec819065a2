"""One walk over the postings of a query's words, for five ways to compare bags at once.

    totals[slot] = common words, Σ idf²·q·d, Σ q·d, Σ min(q / ‖q‖₁, d / ‖d‖₁)

Those four sums decide all five ways of `saccade.words.five_ways` (the binary ones need the number
of common words and no more), and lie side by side: a posting touches one cache line. The layout of
postings is that of `saccade.kernels.inverted`, whose helpers are repeated here, because a compiled
loop does not notice when one in another file changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

COMMON, RARE, PLAIN, LEAST = 0, 1, 2, 3
SUMS = 4
WAYS = 5

COUNT_BITS = np.uint32(4)
COUNT_MASK = np.uint32(15)


@njit(cache=True, nogil=True)
def _large(large: Any, place: Any) -> Any:
    """The count of a posting that has none in place."""
    low, high = 0, large.shape[0] - 1
    while low < high:
        middle = (low + high) >> 1
        if large[middle, 0] < place:
            low = middle + 1
        else:
            high = middle
    return np.float32(large[low, 1])


class Asked(NamedTuple):
    """A query's words in one segment: runs of postings, counts, idf; and the sum of the counts."""

    starts: Any  # [u]
    ends: Any  # [u]
    counts: Any  # [u]
    rarity: Any  # [u]
    length: Any


@njit(cache=True, nogil=True)
def walk(lists: Any, asked: Any, inverse: Any, totals: Any, touched: Any, size: Any) -> Any:
    """Add every posting in the runs to its slot's sums; returns how many slots were touched.

    `lists` are a segment's postings (`saccade.kernels.records`), `inverse` [slots] is 1 / ‖d‖₁.
    """
    starts, ends, counts, rarity, length = asked
    packed, large = lists.packed, lists.large
    for i in range(starts.shape[0]):
        q = np.float32(counts[i])
        rare = np.float32(rarity[i] * rarity[i] * counts[i])
        share = np.float32(counts[i] / length)
        for j in range(starts[i], ends[i]):
            posting = packed[j]
            slot = posting >> COUNT_BITS
            count = np.float32(np.int32(posting & COUNT_MASK))
            if count == 0.0:
                count = _large(large, j)
            if totals[slot, COMMON] == 0.0:
                touched[size] = slot
                size += 1
            totals[slot, COMMON] += np.float32(1.0)
            totals[slot, RARE] += rare * count
            totals[slot, PLAIN] += q * count
            totals[slot, LEAST] += min(share, count * inverse[slot])
    return size


@njit(cache=True, nogil=True)
def measure(touched: Any, totals: Any, alive: Any, query: Any, columns: Any, found: Any) -> None:
    """Turn the sums of touched slots into `found` [ways, touched]; they go back to zero.

    Cosine, product of binary bags, overlap of binary bags, overlap and product of plain ones: all
    from 0 to 1, and -1 for a dead slot. `query` and `columns` [slots, 4] hold, of the query and of
    each image, 1 over: 2-norm by rarity, plain 2-norm, root of the number of words, that number.
    """
    for i in range(touched.shape[0]):
        slot = touched[i]
        common = np.float64(totals[slot, COMMON])
        found[0, i] = totals[slot, RARE] * columns[slot, 0] * query[0]
        found[1, i] = common * columns[slot, 2] * query[2]
        found[2, i] = common * min(columns[slot, 3], query[3])
        found[3, i] = totals[slot, LEAST]
        found[4, i] = totals[slot, PLAIN] * columns[slot, 1] * query[1]
        if not alive[slot]:
            for way in range(WAYS):
                found[way, i] = -1.0
        for column in range(SUMS):
            totals[slot, column] = 0.0


@njit(cache=True, nogil=True)
def _similarity(way: Any, value: Any) -> Any:
    """Products become similarities by distance, 1 − √(2 − 2p) / 2; the others are what they are."""
    if way == 1 or way == 4:
        return np.float32(1.0 - 0.5 * np.sqrt(max(2.0 - 2.0 * np.float64(value), 0.0)))
    return value


@njit(cache=True, nogil=True)
def spread(found: Any, touched: Any, rows: Any, scores: Any) -> None:
    """Write what was found to `scores` [ways, rows]."""
    for way in range(WAYS):
        for i in range(touched.shape[0]):
            if found[way, i] >= 0.0:
                scores[way, rows[touched[i]]] = _similarity(way, found[way, i])


@njit(cache=True, nogil=True)
def _enough(found: Any, way: Any, k: Any) -> Any:
    """A value that at least `k` of a way reach, and not many more.

    Of the highest in each of 2 k heaps dealt in turn, the k-th: those k reach it, and of the others
    only those that share a heap with one of them.
    """
    if found.shape[1] <= 4 * k:
        return np.float32(0.0)
    highest = np.full(2 * k, -1.0, np.float32)
    place = 0
    for i in range(found.shape[1]):
        if found[way, i] > highest[place]:
            highest[place] = found[way, i]
        place = place + 1 if place + 1 < 2 * k else 0
    return max(np.sort(highest)[k], np.float32(0.0))


@njit(cache=True, nogil=True)
def best(found: Any, touched: Any, rows: Any, scores: Any, order: Any) -> Any:
    """The best of each way, `scores` and rows `order` [ways, k], best first; ties to the lower row.

    Returns how many there are.
    """
    k, living = order.shape[1], 0
    for i in range(touched.shape[0]):
        living += found[0, i] >= 0.0
    kept_scores = np.empty(touched.shape[0], np.float32)
    kept_rows = np.empty(touched.shape[0], np.int64)
    for way in range(WAYS):
        least, size = _enough(found, way, k), 0
        # A similarity may be the same for two products a rounding apart: let the row decide.
        least -= np.float32(1e-6) * least
        for i in range(touched.shape[0]):
            if found[way, i] >= least:
                kept_scores[size] = _similarity(way, found[way, i])
                kept_rows[size] = rows[touched[i]]
                size += 1
        by_row = np.argsort(kept_rows[:size])
        falling = np.argsort(-kept_scores[:size][by_row], kind="mergesort")
        for place in range(min(k, size)):
            chosen = by_row[falling[place]]
            scores[way, place], order[way, place] = kept_scores[chosen], kept_rows[chosen]
    return min(k, living)

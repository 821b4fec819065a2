"""One walk over the postings of a query's words, for five ways to compare bags at once.

    totals[slot] = common words, Σ idf²·q·d, Σ q·d, Σ min(q / ‖q‖₁, d / ‖d‖₁)

Those four sums decide all five ways of `saccade.words.five_ways` (the binary ones need the number
of common words and no more), and lie side by side: a posting touches one cache line. The layout of
postings is that of `saccade.kernels.inverted`, whose helpers are repeated here, because a compiled
loop does not notice when one in another file changes.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from saccade.kernels.inverted import prefetch
from saccade.kernels.records import Lists, WordQuery

COMMON, RARE, PLAIN, LEAST = 0, 1, 2, 3
SUMS = 4
WAYS = 5

COUNT_BITS = np.uint32(4)
COUNT_MASK = np.uint32(15)
WORDS_AHEAD = 4
HALF, ROWS = np.uint64(32), np.uint64(0xFFFFFFFF)  # a row fits into the lower half of a key


@njit(cache=True, nogil=True)
def _large(large: NDArray[np.int64], place: int) -> np.float32:
    """The count of a posting that has none in place."""
    low, high = 0, large.shape[0] - 1
    while low < high:
        middle = (low + high) >> 1
        if large[middle, 0] < place:
            low = middle + 1
        else:
            high = middle
    return np.float32(large[low, 1])


@njit(cache=True, nogil=True)
def _sizes(asked: WordQuery) -> NDArray[np.float64]:
    """What `best` divides by, of the query: 1 over each, and 0 over nothing."""
    rare, plain = 0.0, 0.0
    for i in range(asked.words.shape[0]):
        count, rarity = np.float64(asked.counts[i]), asked.idf[asked.words[i]]
        rare += rarity * count * (rarity * count)
        plain += count * count
    number = np.float64(asked.words.shape[0])
    out = np.zeros(4)
    for place, size in enumerate((np.sqrt(rare), np.sqrt(plain), np.sqrt(number), number)):
        if size > 0.0:
            out[place] = 1.0 / size
    return out


@njit(cache=True, nogil=True)
def _add(
    lists: Lists,
    runs: tuple[NDArray[np.int64], NDArray[np.int64]],
    asked: WordQuery,
    inverse: NDArray[np.float32],
    room: tuple[NDArray[np.float32], NDArray[np.int64]],
    size: int,
    noting: bool,
) -> int:
    """Add every posting in the runs to its slot's sums, `noting` each slot met for the first time.

    Returns how many are noted.
    """
    starts, ends = runs
    totals, touched = room
    packed, large, length = lists.packed, lists.large, 0.0
    for i in range(starts.shape[0]):
        length += asked.counts[i]
    for i in range(starts.shape[0]):
        ahead = i + WORDS_AHEAD
        if ahead < starts.shape[0]:
            prefetch(asked.idf, np.int64(asked.words[ahead]))
            for j in range(starts[ahead], min(ends[ahead], starts[ahead] + 64), 16):
                prefetch(packed, j)
        rarity, q = asked.idf[asked.words[i]], np.float32(asked.counts[i])
        rare = np.float32(rarity * rarity * asked.counts[i])
        share = np.float32(asked.counts[i] / length)
        for j in range(starts[i], ends[i]):
            posting = packed[j]
            slot = posting >> COUNT_BITS
            count = np.float32(np.int32(posting & COUNT_MASK))
            if count == 0.0:
                count = _large(large, j)
            if noting and totals[slot, COMMON] == 0.0:
                touched[size] = slot
                size += 1
            totals[slot, COMMON] += np.float32(1.0)
            totals[slot, RARE] += rare * count
            totals[slot, PLAIN] += q * count
            totals[slot, LEAST] += min(share, count * inverse[slot])
    return size


@njit(cache=True, nogil=True)
def walk(
    span: tuple[int, int],
    lists: Lists,
    runs: tuple[NDArray[np.int64], NDArray[np.int64], int],
    asked: WordQuery,
    inverse: NDArray[np.float32],
    room: tuple[NDArray[np.float32], NDArray[np.int64]],
    size: int,
) -> int:
    """Add a segment's postings in the runs to the sums; returns how many slots were touched.

    `span` are the first slot of the segment and the one after its last, `lists` its postings
    (`saccade.kernels.records`), `runs` where those of each word start and end and how many there
    are, `inverse` [slots] is 1 / ‖d‖₁, `room` the sums and the list of touched slots.
    """
    first, last = span
    starts, ends, postings = runs
    # Many postings meet nearly every slot: to look for those afterwards is a third cheaper.
    if postings < last - first:
        return _add(lists, (starts, ends), asked, inverse, room, size, True)
    _add(lists, (starts, ends), asked, inverse, room, size, False)
    for slot in range(first, last):
        room[1][size] = slot
        size += room[0][slot, COMMON] > 0.0
    return size


@njit(cache=True, nogil=True)
def _near(product: float) -> np.float32:
    """The similarity by distance of two vectors of length 1: 1 − √(2 − 2p) / 2."""
    return np.float32(1.0 - 0.5 * np.sqrt(max(2.0 - 2.0 * product, 0.0)))


@njit(cache=True, nogil=True)
def _measured(
    reached: tuple[NDArray[np.float32], NDArray[np.int64]],
    images: tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]],
    asked: WordQuery,
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Every way's similarity of the living slots [ways, living], and their rows; sums go to zero.

    Cosine, distance of binary bags, overlap of binary bags, overlap and distance of plain ones.
    """
    totals, touched = reached
    every_row, alive, columns = images
    query, living = _sizes(asked), 0
    values = np.empty((WAYS, touched.shape[0]), np.float32)
    rows = np.empty(touched.shape[0], np.int64)
    for i in range(touched.shape[0]):
        slot = touched[i]
        if alive[slot]:
            common = np.float64(totals[slot, COMMON])
            values[0, living] = totals[slot, RARE] * columns[slot, 0] * query[0]
            values[1, living] = _near(common * columns[slot, 2] * query[2])
            values[2, living] = common * min(columns[slot, 3], query[3])
            values[3, living] = totals[slot, LEAST]
            values[4, living] = _near(totals[slot, PLAIN] * columns[slot, 1] * query[1])
            rows[living] = every_row[slot]
            living += 1
        for column in range(SUMS):
            totals[slot, column] = 0.0
    return values[:, :living], rows[:living]


@njit(cache=True, nogil=True)
def spread(
    reached: tuple[NDArray[np.float32], NDArray[np.int64]],
    images: tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]],
    asked: WordQuery,
    scores: NDArray[np.float32],
) -> None:
    """Write the similarities to `scores` [ways, rows]; the other arguments are those of `best`."""
    values, rows = _measured(reached, images, asked)
    for way in range(WAYS):
        for i in range(rows.shape[0]):
            scores[way, rows[i]] = values[way, i]


@njit(cache=True, nogil=True)
def _foremost(keys: NDArray[np.uint64], k: int) -> None:
    """Bring the `k` highest keys to the front, in any order (Hoare's selection)."""
    first, last = 0, keys.shape[0] - 1
    while first < last:
        middle = keys[(first + last) >> 1]
        i, j = first, last
        while i <= j:
            while keys[i] > middle:
                i += 1
            while keys[j] < middle:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            last = j
        elif k - 1 >= i:
            first = i
        else:
            return


@njit(cache=True, nogil=True)
def _first(
    values: NDArray[np.float32], rows: NDArray[np.int64], keys: NDArray[np.uint64], k: int
) -> int:
    """Put the keys of the `k` best in front of `keys`, in any order; returns how many there are.

    A key is the bits of a similarity, which grow as it does because it is not negative, before
    those of the row turned round: the higher is the better image, and of two alike the lower row.
    When the keys are full, the k-th of them is what every later one must beat.
    """
    bits, size, least = values.view(np.uint32), 0, np.uint64(0)
    for i in range(rows.shape[0]):
        key = (np.uint64(bits[i]) << HALF) | (ROWS - np.uint64(rows[i]))
        if key > least:
            if size == keys.shape[0]:
                _foremost(keys, k)
                size, least = k, keys[:k].min()
            keys[size] = key
            size += 1
    _foremost(keys[:size], k)
    return min(size, k)


@njit(cache=True, nogil=True)
def best(
    reached: tuple[NDArray[np.float32], NDArray[np.int64]],
    images: tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]],
    asked: WordQuery,
    scores: NDArray[np.float32],
    order: NDArray[np.int64],
) -> int:
    """The best of each way, `scores` and rows `order` [ways, k], best first; ties to the lower row.

    `reached` are the sums and the slots touched by `walk`; the sums go back to zero. `images` are
    rows, who lives, and sizes [slots, 4], 1 over: 2-norm by rarity, plain 2-norm, root of the
    number of words, that number. Returns how many there are.
    """
    values, rows = _measured(reached, images, asked)
    k = min(order.shape[1], rows.shape[0])
    keys, single = np.empty(max(8 * k, 1), np.uint64), np.empty(1, np.uint32)
    value = single.view(np.float32)
    for way in range(WAYS):
        size = _first(values[way], rows, keys, k)
        rising = np.sort(keys[:size])
        for place in range(size):
            key = rising[size - 1 - place]
            single[0] = np.uint32(key >> HALF)
            scores[way, place], order[way, place] = value[0], np.int64(ROWS - (key & ROWS))
    return k

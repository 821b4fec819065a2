"""Loops over postings: build, look up, accumulate, finish, pick the best.

A segment holds, for its distinct words in ascending order, `words` [u] and `offsets` [u + 1]; the
postings of `words[j]` are `packed[offsets[j]:offsets[j + 1]]`, by ascending slot. A posting is four
bytes: the slot of an image in the upper 28 bits, how often it holds the word in the lower 4. A
count above 15 leaves zero there and stands in `large` (its place and itself, by ascending place).
`directory[w >> shift]` says where the words of one bucket begin, so that a look-up touches about
two cache lines however large the vocabulary is.

A score is accumulated over the words that query and image share (`accumulate`), then finished image
by image (`best_of_segment`, `finish_all`). What they are given stands in `saccade.kernels.records`;
what the numbers in it are is the business of `saccade.words.weighting`.

One query reads a few hundred short runs spread over gigabytes, so its time is the time to wait for
memory: the runs of the next words are asked for while the present one is added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from saccade.kernels.records import Best, Finish, Lists, Slots, Terms

# How one shared word adds to the score, v being the count (or 1 when binary).
PRODUCT, MINIMUM, HARMONIC = 0, 1, 2
# How the sum over the shared words becomes the score.
SCALED, RATIO, DISTANCE = 0, 1, 2

COUNT_BITS = np.uint32(4)
COUNT_MASK = np.uint32(15)
WORDS_AHEAD = 4
LOOKUPS_AHEAD = 16
STRETCH = 64
BLOCK = 1 << 17  # slots whose totals and factors fit into a core's own cache
# With more postings than one for so many slots, going through all slots finds the best sooner.
CROWDED = 4
SMALLEST = np.nextafter(0.0, 1.0)  # a total above zero is at least this


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of `array[index]`, and go on without waiting for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        layout = context.make_array(kind)(context, builder, arguments[0])
        address = cgutils.get_item_pointer(context, builder, kind, layout, [arguments[1]])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
        # The constants: for reading, to be kept in every cache, data and not instructions.
        builder.call(function, [builder.bitcast(address, byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@njit(cache=True, nogil=True)
def first_improper(
    offsets: NDArray[np.int64], words: NDArray[np.int32], counts: NDArray[np.int32], vocabulary: int
) -> int:
    """The first bag whose words do not ascend within the vocabulary, or with a count < 1; or -1."""
    for bag in range(offsets.shape[0] - 1):
        before = -1
        for i in range(offsets[bag], offsets[bag + 1]):
            if words[i] <= before or words[i] >= vocabulary or counts[i] < 1:
                return bag
            before = words[i]
    return -1


@njit(cache=True, nogil=True)
def count_words(
    words: NDArray[np.int32],
    counts: NDArray[np.int32],
    frequency: NDArray[np.int64],
    occurrences: NDArray[np.int64],
) -> None:
    """Add to `frequency` [vocabulary] the images, and to `occurrences` the counts, of each word."""
    for i in range(words.shape[0]):
        frequency[words[i]] += 1
        occurrences[words[i]] += counts[i]


@njit(cache=True, nogil=True)
def _count(packed: NDArray[np.uint32], large: NDArray[np.int64], place: int) -> np.int64:
    count = packed[place] & COUNT_MASK
    if count > 0:
        return np.int64(count)
    low, high = 0, large.shape[0] - 1
    while low < high:
        middle = (low + high) >> 1
        if large[middle, 0] < place:
            low = middle + 1
        else:
            high = middle
    return large[low, 1]


@njit(cache=True, nogil=True)
def scatter(
    offsets: NDArray[np.int64],
    words: NDArray[np.int32],
    counts: NDArray[np.int32],
    cursor: NDArray[np.int64],
    first: int,
    packed: NDArray[np.uint32],
    large: NDArray[np.int64],
) -> None:
    """Turn bags into postings; `cursor` [vocabulary] holds each word's next free place.

    `large` has room for every count above 15 and comes back in the order of the bags.
    """
    overflow = 0
    for image in range(offsets.shape[0] - 1):
        slot = np.uint32(first + image) << COUNT_BITS
        for i in range(offsets[image], offsets[image + 1]):
            place = cursor[words[i]]
            cursor[words[i]] = place + 1
            if counts[i] <= COUNT_MASK:
                packed[place] = slot | np.uint32(counts[i])
            else:
                packed[place] = slot
                large[overflow, 0] = place
                large[overflow, 1] = counts[i]
                overflow += 1


@njit(cache=True, nogil=True)
def gather(
    lists: Lists,
    renumber: NDArray[np.int32],
    cursor: NDArray[np.int64],
    packed: NDArray[np.uint32],
    large: NDArray[np.int64],
    overflow: int,
) -> int:
    """Copy a segment's living postings to their places in a merged one; `renumber` < 0 is dead.

    Returns how many rows of `large` are filled.
    """
    for j in range(lists.words.shape[0]):
        place = cursor[lists.words[j]]
        for i in range(lists.offsets[j], lists.offsets[j + 1]):
            posting = lists.packed[i]
            slot = renumber[posting >> COUNT_BITS]
            if slot < 0:
                continue
            packed[place] = (np.uint32(slot) << COUNT_BITS) | (posting & COUNT_MASK)
            if posting & COUNT_MASK == 0:
                large[overflow, 0] = place
                large[overflow, 1] = _count(lists.packed, lists.large, i)
                overflow += 1
            place += 1
        cursor[lists.words[j]] = place
    return overflow


@njit(cache=True, nogil=True)
def tally(
    lists: Lists,
    marked: NDArray[np.bool_],
    sign: int,
    frequency: NDArray[np.int64],
    occurrences: NDArray[np.int64],
) -> None:
    """Add (`sign` 1) or take away (-1) the postings of the marked slots in the word statistics."""
    for j in range(lists.words.shape[0]):
        for i in range(lists.offsets[j], lists.offsets[j + 1]):
            if marked[lists.packed[i] >> COUNT_BITS]:
                frequency[lists.words[j]] += sign
                occurrences[lists.words[j]] += sign * _count(lists.packed, lists.large, i)


@njit(cache=True, nogil=True)
def add_norms(
    lists: Lists,
    idf: NDArray[np.float64],
    binary: bool,
    sums: NDArray[np.float64],
    squares: NDArray[np.float64],
) -> None:
    """Add every posting's weight to its slot's `sums` and the square of it to `squares`."""
    for j in range(lists.words.shape[0]):
        rarity = idf[lists.words[j]] if idf.shape[0] > 0 else 1.0
        for i in range(lists.offsets[j], lists.offsets[j + 1]):
            weight = rarity if binary else rarity * _count(lists.packed, lists.large, i)
            slot = lists.packed[i] >> COUNT_BITS
            sums[slot] += weight
            squares[slot] += weight * weight


@njit(cache=True, nogil=True)
def find_runs(
    lists: Lists,
    directory: NDArray[np.int32],
    shift: int,
    wanted: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Where the postings of each wanted word start and end; returns how many there are in all."""
    words, offsets = lists.words, lists.offsets
    buckets = directory.shape[0] - 1
    for i in range(wanted.shape[0]):
        if i + LOOKUPS_AHEAD < wanted.shape[0]:
            prefetch(directory, np.int64(min(wanted[i + LOOKUPS_AHEAD] >> shift, buckets)))
        starts[i] = -1
        bucket = wanted[i] >> shift
        if bucket >= buckets:
            continue
        low, high = directory[bucket], directory[bucket + 1]
        while low < high:
            middle = (low + high) >> 1
            if words[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        if low < directory[bucket + 1] and words[low] == wanted[i]:
            starts[i] = low
            prefetch(offsets, np.int64(low))
    postings = 0
    for i in range(wanted.shape[0]):
        place = starts[i]
        starts[i] = offsets[place] if place >= 0 else 0
        ends[i] = offsets[place + 1] if place >= 0 else 0
        postings += ends[i] - starts[i]
    return postings


@njit(cache=True, nogil=True)
def _value(lists: Lists, place: int, binary: bool) -> float:
    if binary:
        return 1.0
    count = np.int32(lists.packed[place] & COUNT_MASK)
    return np.float64(count) if count > 0 else np.float64(_count(lists.packed, lists.large, place))


@njit(cache=True, nogil=True)
def _add_products(
    lists: Lists,
    start: int,
    end: int,
    q: float,
    g: float,
    terms: Terms,
    totals: NDArray[np.float32],
) -> None:
    for j in range(start, end):
        totals[lists.packed[j] >> COUNT_BITS] += q * g * _value(lists, j, terms.binary)


@njit(cache=True, nogil=True)
def _add_minima(
    lists: Lists,
    start: int,
    end: int,
    q: float,
    g: float,
    terms: Terms,
    totals: NDArray[np.float32],
) -> None:
    for j in range(start, end):
        slot = lists.packed[j] >> COUNT_BITS
        totals[slot] += min(q, g * _value(lists, j, terms.binary) * terms.factor[slot])


@njit(cache=True, nogil=True)
def _add_harmonic(
    lists: Lists,
    start: int,
    end: int,
    q: float,
    g: float,
    terms: Terms,
    totals: NDArray[np.float32],
) -> None:
    for j in range(start, end):
        slot = lists.packed[j] >> COUNT_BITS
        x = g * _value(lists, j, terms.binary) * terms.factor[slot]
        totals[slot] += 2.0 * q * x / (q + x)


@njit(cache=True, nogil=True)
def accumulate(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lists: Lists,
    terms: Terms,
    totals: NDArray[np.float32],
) -> None:
    """Add what each query word is worth to the slots in its run of postings.

        PRODUCT    q·g·v                    MINIMUM    min(q, g·v·f[slot])
        HARMONIC   2·q·x / (q + x), x = g·v·f[slot]

    Every term is positive, so that a total tells whether query and image share a word.
    """
    for i in range(starts.shape[0]):
        ahead = i + WORDS_AHEAD
        if ahead < starts.shape[0]:
            for j in range(starts[ahead], min(ends[ahead], starts[ahead] + 64), 16):
                prefetch(lists.packed, j)
        q, g = terms.query[i], terms.gain[i]
        if q <= 0.0 or g <= 0.0:
            continue
        start, end = starts[i], ends[i]
        if terms.kind == PRODUCT:
            _add_products(lists, start, end, q, g, terms, totals)
        elif terms.kind == MINIMUM:
            _add_minima(lists, start, end, q, g, terms, totals)
        else:
            _add_harmonic(lists, start, end, q, g, terms, totals)


@njit(cache=True, nogil=True)
def _finished(finish: Finish, total: float, slot: int) -> np.float32:
    """One image's score.

    SCALED    total·scale                          RATIO  2·total / (level + prior)
    DISTANCE  1 − √(level² + prior² − 2·total·scale) / (level + prior)
    """
    level, scale, prior = finish.level, finish.scale[slot], finish.prior[slot]
    if finish.kind == SCALED:
        return np.float32(total * scale)
    span = level + prior
    if span <= 0.0:
        return np.float32(0.0)
    if finish.kind == RATIO:
        return np.float32(2.0 * total / span)
    gap = level * level + prior * prior - 2.0 * total * scale
    return np.float32(1.0 - np.sqrt(max(gap, 0.0)) / span)


@njit(cache=True, nogil=True)
def _least_total(finish: Finish, score: float) -> float:
    """A total that an image needs at least to reach `score`; 0 where nothing can be said.

    The scale is the highest of all images, the prior the one that makes it easiest: the lowest for
    RATIO, for DISTANCE the one they all have (0: they differ). What is taken off at the end leaves
    room for rounding.
    """
    level, scale, prior = finish.level, finish.highest_scale, finish.kindest_prior
    if finish.kind == RATIO:
        least = 0.5 * score * (level + prior)
    elif scale <= 0.0 or (finish.kind == DISTANCE and prior <= 0.0):
        return 0.0
    elif finish.kind == SCALED:
        least = score / scale
    else:
        gap = (1.0 - score) * (level + prior)
        least = 0.5 * (level * level + prior * prior - gap * gap) / scale
    return least - 1e-6 * (abs(score) + abs(least))


@njit(cache=True, nogil=True)
def finish_all(finish: Finish, slots: Slots, scores: NDArray[np.float32]) -> None:
    """Scores of every living slot, written to its row; all totals go back to zero."""
    for slot in range(slots.rows.shape[0]):
        if slots.alive[slot]:
            scores[slots.rows[slot]] = _finished(finish, slots.totals[slot], slot)
        slots.totals[slot] = 0.0


@njit(cache=True, nogil=True)
def _worse(score: float, row: int, other_score: float, other_row: int) -> bool:
    return score < other_score or (score == other_score and row > other_row)


@njit(cache=True, nogil=True)
def _sink(scores: NDArray[np.float32], rows: NDArray[np.int64], size: int) -> None:
    """Let the root of a heap with the worst on top sink to its place."""
    node = 0
    while True:
        child = 2 * node + 1
        if child >= size:
            return
        right = child + 1
        if right < size and _worse(scores[right], rows[right], scores[child], rows[child]):
            child = right
        if not _worse(scores[child], rows[child], scores[node], rows[node]):
            return
        scores[node], scores[child] = scores[child], scores[node]
        rows[node], rows[child] = rows[child], rows[node]
        node = child


@njit(cache=True, nogil=True)
def _rise(scores: NDArray[np.float32], rows: NDArray[np.int64], node: int) -> None:
    """Let the last entry of such a heap rise to its place."""
    while node > 0:
        parent = (node - 1) >> 1
        if not _worse(scores[node], rows[node], scores[parent], rows[parent]):
            return
        scores[node], scores[parent] = scores[parent], scores[node]
        rows[node], rows[parent] = rows[parent], rows[node]
        node = parent


@njit(cache=True, nogil=True)
def _offer(score: float, row: int, best: Best, size: int) -> int:
    """Take a candidate into the heap if it belongs there; returns the heap's size."""
    if size < best.rows.shape[0]:
        best.scores[size], best.rows[size] = score, row
        _rise(best.scores, best.rows, size)
        return size + 1
    if _worse(best.scores[0], best.rows[0], score, row):
        best.scores[0], best.rows[0] = score, row
        _sink(best.scores, best.rows, size)
    return size


@njit(cache=True, nogil=True)
def _best_of_postings(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    packed: NDArray[np.uint32],
    finish: Finish,
    slots: Slots,
    best: Best,
    size: int,
) -> int:
    """Finish the images in the runs; returns the size of the heap of the best.

    A total goes back to zero when it is read, which is also how an image is met only once. The heap
    keeps its worst on top, so that almost every image is turned away by one comparison: of its
    total with what the best k have already made the least that counts.
    """
    full, least = best.rows.shape[0], 0.0
    if size == full:
        least = _least_total(finish, best.scores[0])
    for i in range(starts.shape[0]):
        for j in range(starts[i], ends[i]):
            slot = packed[j] >> COUNT_BITS
            total = slots.totals[slot]
            if total == 0.0:
                continue
            slots.totals[slot] = 0.0
            if total < least or not slots.alive[slot]:
                continue
            size = _offer(_finished(finish, total, slot), slots.rows[slot], best, size)
            if size == full:
                least = _least_total(finish, best.scores[0])
    return size


@njit(cache=True, nogil=True)
def _best_of_slots(
    first: int, last: int, finish: Finish, slots: Slots, best: Best, size: int
) -> int:
    """The same by going through slots: faster when the words lead to more than a few of them.

    Stretches in which no total reaches the least that counts are passed over; counting them is a
    loop without branches, which the compiler turns into vector instructions.
    """
    totals = slots.totals
    full, least = best.rows.shape[0], SMALLEST
    if size == full:
        least = max(_least_total(finish, best.scores[0]), SMALLEST)
    for start in range(first, last, STRETCH):
        end = min(start + STRETCH, last)
        reaching = 0
        for slot in range(start, end):
            reaching += totals[slot] >= least
        if reaching == 0:
            continue
        for slot in range(start, end):
            if totals[slot] < least or not slots.alive[slot]:
                continue
            size = _offer(_finished(finish, totals[slot], slot), slots.rows[slot], best, size)
            if size == full:
                least = max(_least_total(finish, best.scores[0]), SMALLEST)
    totals[first:last] = 0.0
    return size


@njit(cache=True, nogil=True)
def best_of_segment(
    first: int,
    last: int,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lists: Lists,
    terms: Terms,
    finish: Finish,
    slots: Slots,
    best: Best,
    size: int,
) -> int:
    """Score a segment's slots `first` to `last` and keep the best; returns the heap's size.

    Block by block of slots, so that their totals stay in the cache between adding and reading,
    however many images there are. Runs go by ascending slot: a block's part of one is its head.
    `starts` is used up.
    """
    stops = np.empty_like(starts)
    for block in range(first, last, BLOCK):
        end = min(block + BLOCK, last)
        postings = 0
        for i in range(starts.shape[0]):
            stop = ends[i]
            if end < last:
                stop = starts[i]
                while stop < ends[i] and np.int64(lists.packed[stop] >> COUNT_BITS) < end:
                    stop += 1
            stops[i] = stop
            postings += stop - starts[i]
        accumulate(starts, stops, lists, terms, slots.totals)
        if postings * CROWDED > end - block:
            size = _best_of_slots(block, end, finish, slots, best, size)
        else:
            size = _best_of_postings(starts, stops, lists.packed, finish, slots, best, size)
        starts[:] = stops
    return size


@njit(cache=True, nogil=True)
def best_first(scores: NDArray[np.float32], rows: NDArray[np.int64], size: int) -> None:
    """Turn the heap into a list, best first, ties to the lower row."""
    for last in range(size - 1, 0, -1):
        scores[0], scores[last] = scores[last], scores[0]
        rows[0], rows[last] = rows[last], rows[0]
        _sink(scores, rows, last)

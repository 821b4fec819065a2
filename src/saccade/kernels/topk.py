"""The k best of many scores, best first; ties go to the lower position.

A heap of k beats partitioning: most scores are turned away by one comparison with the worst kept.
Where k is a large part of them and their order does not matter, `best_set` finds them in one go.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_SAMPLE = 1024


@njit(cache=True, nogil=True)
def top(scores, k):  # type: ignore[no-untyped-def]
    """Positions of the `k` best scores; -inf and NaN mean "never"."""
    heap = np.empty(k, np.int64)  # heap[0] is the worst kept
    size = 0
    for i in range(scores.shape[0]):
        s = scores[i]
        if not s > -np.inf:
            continue
        if size < k:
            # Sift up. A later position with an equal score is worse.
            c = size
            size += 1
            heap[c] = i
            while c > 0:
                p = (c - 1) // 2
                if scores[heap[p]] >= scores[heap[c]] and (
                    scores[heap[p]] > scores[heap[c]] or heap[p] < heap[c]
                ):
                    heap[p], heap[c] = heap[c], heap[p]
                    c = p
                else:
                    break
        elif k > 0 and s > scores[heap[0]]:
            heap[0] = i
            _sift_down(scores, heap, size)
    out = np.empty(size, np.int64)
    while size > 0:
        size -= 1
        out[size] = heap[0]
        heap[0] = heap[size]
        _sift_down(scores, heap, size)
    return out


@njit(cache=True, nogil=True)
def _sift_down(scores, heap, size):  # type: ignore[no-untyped-def]
    p = 0
    while True:
        worst = p
        for c in (2 * p + 1, 2 * p + 2):
            if c < size:
                a, b = heap[c], heap[worst]
                if scores[a] < scores[b] or (scores[a] == scores[b] and a > b):
                    worst = c
        if worst == p:
            return
        heap[p], heap[worst] = heap[worst], heap[p]
        p = worst


@njit(cache=True, nogil=True)
def best_set(scores, among, k):  # type: ignore[no-untyped-def]
    """The same positions as `top` of the rows `among` which to choose, ascending."""
    if k <= 0:
        return np.empty(0, np.int64)
    values = np.empty(scores.shape[0], scores.dtype)
    size = 0
    for i in range(scores.shape[0]):
        values[size] = scores[i]
        size += among[i] and scores[i] > -np.inf
    if size <= k:
        edge, equal = scores.dtype.type(-np.inf), 0
    else:
        edge, equal = _edge(values, _likely(values, size, k), k)
    out = np.empty(min(size, k), np.int64)
    filled = 0
    for i in range(scores.shape[0]):
        if not among[i] or scores[i] < edge or not scores[i] > -np.inf:
            continue
        if scores[i] == edge:
            if equal == 0:
                continue
            equal -= 1
        out[filled] = i
        filled += 1
    return out


@njit(cache=True, nogil=True)
def _likely(values, size, k):  # type: ignore[no-untyped-def]
    """Bring the k largest to the front with few others, by a guess from every so-manieth value.

    How many are there then. A guess that was too high changes nothing but the time: all are.
    """
    step = size // _SAMPLE
    if step < 2:
        return size
    some = np.sort(values[: step * _SAMPLE : step])
    # Of a sample, the share wanted and three standard deviations more.
    expected = _SAMPLE * k / size
    above = np.int64(np.ceil(expected + 3.0 * np.sqrt(expected) + 1.0))
    if above >= _SAMPLE:
        return size
    guess = some[_SAMPLE - above]
    front = 0  # exchanged and not moved up: nothing is lost where the guess was too high
    for i in range(size):
        value = values[i]
        values[i] = values[front]
        values[front] = value
        front += value >= guess
    return front if front >= k else size


@njit(cache=True, nogil=True)
def _edge(values, size, k):  # type: ignore[no-untyped-def]
    """The k-th largest of the first `size` values, and how many that are equal belong to the k.

    Hoare's selection in three parts, for there may be many that are equal; `values` is shuffled.
    """
    low, high = 0, size
    wanted = k  # of what lies between low and high
    state = np.uint64(size)
    while True:
        # Any place will do, but one that no order of the values can have in mind.
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        pivot = values[low + np.int64((state >> np.uint64(33)) % np.uint64(high - low))]
        above, at, below = low, low, high  # larger before `above`, equal before `at`
        while at < below:
            value = values[at]
            if value > pivot:
                values[at], values[above] = values[above], value
                above += 1
                at += 1
            elif value < pivot:
                below -= 1
                values[at], values[below] = values[below], value
            else:
                at += 1
        if wanted <= above - low:
            high = above
        elif wanted <= at - low:
            return pivot, wanted - (above - low)
        else:
            wanted -= at - low
            low = at

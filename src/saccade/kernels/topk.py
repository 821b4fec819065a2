"""The k best of many scores, best first; ties go to the lower position.

A heap of k beats partitioning: most scores are turned away by one comparison with the worst kept.
"""

from __future__ import annotations

import numpy as np
from numba import njit


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

"""An order of a graph's rows in which neighbours lie close, and its links in that order."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def walk(offsets, neighbours, most):  # type: ignore[no-untyped-def]
    """Every row once, cluster after cluster: one row, what it links to, what those link to, …

    A cluster ends with `most` rows, or where its links do; the next begins at the row that was met
    last and has no place yet.
    """
    n = offsets.shape[0] - 1
    order = np.empty(n, np.int64)
    state = np.zeros(n, np.uint8)  # 0 unseen, 1 met, 2 has its place
    met = np.empty(n, np.int64)
    count, waiting = 0, 0
    for start in range(n):
        if state[start] == 2:
            continue
        met[0], waiting = start, 1
        while waiting:
            waiting -= 1
            if state[met[waiting]] == 2:
                continue
            first, at = count, count
            order[count], state[met[waiting]] = met[waiting], 2
            count += 1
            while at < count:
                for e in range(offsets[order[at]], offsets[order[at] + 1]):
                    to = neighbours[e]
                    if state[to] == 2:
                        continue
                    if count - first < most:
                        order[count], state[to] = to, 2
                        count += 1
                    elif state[to] == 0:
                        met[waiting], state[to] = to, 1
                        waiting += 1
                at += 1
    return order


@njit(cache=True, nogil=True)
def moved(offsets, neighbours, weights, rows, places):  # type: ignore[no-untyped-def]
    """The links of each place, in the order they have in its row; neighbours as places."""
    out_offsets = np.zeros_like(offsets)
    out_neighbours, out_weights = np.empty_like(neighbours), np.empty_like(weights)
    at = 0
    for place in range(rows.shape[0]):
        for e in range(offsets[rows[place]], offsets[rows[place] + 1]):
            out_neighbours[at] = places[neighbours[e]]
            out_weights[at] = weights[e]
            at += 1
        out_offsets[place + 1] = at
    return out_offsets, out_neighbours, out_weights

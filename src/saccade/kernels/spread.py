"""A signal spreads along the links of a graph, from its sources as far as it matters.

No fast-math, one fixed order: the same graph and sources give the same bits on every machine.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def push(offsets, neighbours, weights, root, rows, amounts, alpha, least, budget):  # type: ignore[no-untyped-def]
    """Solve f = α S f + (1 − α) y near its sources; gives the rows reached, in any order, and f.

    With p = D^½ f the equation is p = α A D⁻¹ p + (1 − α) D^½ y: personal PageRank, which a push
    solves row by row (Andersen, Chung & Lang 2006). Rows whose waiting part of f exceeds a bound
    are pushed in the order in which they came; the bound then falls fourfold, until it is `least`
    or `budget` links have been followed. `root` is D^½.
    """
    n = root.shape[0]
    size = 1
    while size <= n:
        size *= 2
    # Unsigned, all of them: numba then asks of no index whether it counts from the end.
    one, around = np.uint64(1), np.uint64(size - 1)
    done = np.zeros(n, np.float64)
    waiting = np.zeros(n, np.float64)
    state = np.zeros(n, np.uint8)  # 0 unseen, 1 seen, 2 in the queue
    seen = np.empty(n + 1, np.uint32)
    queue = np.empty(size, np.uint32)  # a ring with room for every row and one more
    count = np.uint64(0)
    bound = 0.0
    for s in range(rows.shape[0]):
        row = np.uint32(rows[s])
        waiting[row] += (1.0 - alpha) * amounts[s] * root[row]
        if state[row] == 0:
            state[row] = 1
            seen[count] = row
            count += one
        bound = max(bound, abs(waiting[row]) / root[row])
    spent = np.int64(0)
    while bound > least and spent < budget:
        bound = max(0.25 * bound, least)
        head = np.uint64(0)
        tail = np.uint64(0)
        for s in range(count):
            row = seen[s]
            if abs(waiting[row]) > bound * root[row]:
                queue[tail] = row
                tail += one
                state[row] = 2
        while head != tail and spent < budget:
            row = queue[head & around]
            head += one
            state[row] = 1
            amount = waiting[row]
            waiting[row] = 0.0
            done[row] += amount
            share = alpha * amount / (root[row] * root[row])
            first, last = np.uint64(offsets[row]), np.uint64(offsets[np.uint64(row) + one])
            spent += np.int64(last - first) + 1
            for e in range(first, last):
                to = np.uint32(neighbours[e])
                here = waiting[to] + share * np.float64(weights[e])
                waiting[to] = here
                # Whether a row is new, or waits for enough, is chance: to write it down each time
                # and to step on only where it is so takes half as long as to guess.
                was = state[to]
                seen[count] = to
                count += np.uint64(was == 0)
                enough = abs(here) > bound * root[to]
                queue[tail & around] = to
                tail += np.uint64(enough & (was != 2))
                state[to] = np.uint8(2) if enough else max(was, np.uint8(1))
    reached = seen[:count].astype(np.int64)
    values = np.empty(len(reached), np.float64)
    for s in range(len(reached)):
        row = np.uint32(reached[s])
        # What still waits counts where it stands: the sum is closer to the solution.
        values[s] = (done[row] + waiting[row]) / root[row]
    return reached, values

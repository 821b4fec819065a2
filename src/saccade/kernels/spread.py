"""A signal spreads along the links of a graph, from its sources as far as it matters.

No fast-math, one fixed order: the same graph and sources give the same bits on every machine.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def push(offsets, neighbours, weights, root, rows, amounts, alpha, least, budget):  # type: ignore[no-untyped-def]
    """Solve f = α S f + (1 − α) y near its sources; returns the rows reached and f there.

    With p = D^½ f the equation is p = α A D⁻¹ p + (1 − α) D^½ y: personal PageRank, which a push
    solves row by row (Andersen, Chung & Lang 2006). Rows whose waiting part of f exceeds a bound
    are pushed in the order in which they came; the bound then falls fourfold, until it is `least`
    or `budget` links have been followed. `root` is D^½.
    """
    n = root.shape[0]
    done = np.zeros(n, np.float64)
    waiting = np.zeros(n, np.float64)
    state = np.zeros(n, np.uint8)  # 0 unseen, 1 seen, 2 in the queue
    seen = np.empty(n, np.int64)
    queue = np.empty(n, np.int64)
    count = 0
    bound = 0.0
    for s in range(rows.shape[0]):
        row = rows[s]
        waiting[row] += (1.0 - alpha) * amounts[s] * root[row]
        if state[row] == 0:
            state[row] = 1
            seen[count] = row
            count += 1
        bound = max(bound, abs(waiting[row]) / root[row])
    spent = 0
    while bound > least and spent < budget:
        bound = max(0.25 * bound, least)
        head = 0
        length = 0
        for s in range(count):
            row = seen[s]
            if abs(waiting[row]) > bound * root[row]:
                queue[length] = row
                length += 1
                state[row] = 2
        while length > 0 and spent < budget:
            row = queue[head]
            head = head + 1 if head + 1 < n else 0
            length -= 1
            state[row] = 1
            amount = waiting[row]
            waiting[row] = 0.0
            done[row] += amount
            share = alpha * amount / (root[row] * root[row])
            spent += offsets[row + 1] - offsets[row] + 1
            for e in range(offsets[row], offsets[row + 1]):
                to = neighbours[e]
                waiting[to] += share * np.float64(weights[e])
                if state[to] == 2:
                    continue
                if state[to] == 0:
                    state[to] = 1
                    seen[count] = to
                    count += 1
                if abs(waiting[to]) > bound * root[to]:
                    tail = head + length
                    queue[tail if tail < n else tail - n] = to
                    length += 1
                    state[to] = 2
    reached = np.sort(seen[:count])
    values = np.empty(count, np.float64)
    for s in range(count):
        row = reached[s]
        # What still waits counts where it stands: the sum is closer to the solution.
        values[s] = (done[row] + waiting[row]) / root[row]
    return reached, values

"""A signal spreads along the links of a graph, from its sources as far as it matters.

No fast-math, one fixed order: the same graph and sources give the same bits on every machine.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def push(offsets, neighbours, weights, root, rows, amounts, alpha, least, budget, over, bent):  # type: ignore[no-untyped-def]
    """Solve f = α S f + (1 − α) y near its sources; gives the rows reached, in any order, and f.

    With p = D^½ f the equation is p = α A D⁻¹ p + (1 − α) D^½ y: personal PageRank, which a push
    solves row by row (Andersen, Chung & Lang 2006). Rows whose waiting part of f exceeds a bound
    are pushed in the order in which they came; the bound then falls fourfold, until it is `least`
    or `budget` links have been followed. `root` is D^½.

    `bent` are offsets, neighbours and weights of rows that are followed instead of some; `over` [n]
    says where among them a row is, -1 where it is not. Both are None where nothing is bent, which
    numba compiles apart.
    """
    n = root.shape[0]
    done, waiting, state, seen, queue = _room(n)
    count = _flow(
        offsets, neighbours, weights, root, rows, amounts, alpha, least, budget, over, bent,
        done, waiting, state, seen, queue,
    )  # fmt: skip
    reached = seen[:count].astype(np.int64)
    values = np.empty(len(reached), np.float64)
    for s in range(len(reached)):
        row = np.uint32(reached[s])
        # What still waits counts where it stands: the sum is closer to the solution.
        values[s] = (done[row] + waiting[row]) / root[row]
    return reached, values


@njit(cache=True, nogil=True)
def company(offsets, neighbours, weights, root, rows, alpha, least, budget, share, most):  # type: ignore[no-untyped-def]
    """The largest entries of the spread of each of some rows: offsets, rows [m], values [m].

    As many as hold `share` of all that is spread beside what stays at the source, `most` at most;
    the source itself is one of them. Values are the roots of f, so that their squares sum to 1. A
    row without links keeps company with itself alone. Members come by row.
    """
    n = root.shape[0]
    done, waiting, state, seen, queue = _room(n)
    source, amount = np.empty(1, np.int64), np.ones(1, np.float64)
    begins = np.zeros(rows.shape[0] + 1, np.int64)
    members = np.empty(rows.shape[0] * most, np.int32)
    values = np.empty(rows.shape[0] * most, np.float32)
    size = 0
    for i in range(rows.shape[0]):
        own = rows[i]
        source[0] = own
        count = _flow(
            offsets, neighbours, weights, root, source, amount, alpha, least, budget, None, None,
            done, waiting, state, seen, queue,
        )  # fmt: skip
        amounts = np.empty(count, np.float64)
        total = 0.0
        for s in range(count):
            row = seen[s]
            amounts[s] = (done[row] + waiting[row]) / root[row]
            total += amounts[s] if row != own else 0.0
            done[row], waiting[row], state[row] = 0.0, 0.0, 0
        # The source comes first among those seen. Ties go to who was seen first.
        order = 1 + _largest(amounts[1:], most - 1)
        taken, held = 1, 0.0
        while taken <= order.shape[0] and held < share * total:
            held += amounts[order[taken - 1]]
            taken += 1
        chosen = np.empty(taken, np.int64)
        chosen[0] = 0
        chosen[1:] = order[: taken - 1]
        by_row = np.argsort(seen[chosen], kind="mergesort")
        whole = held + amounts[0]
        for c in range(taken):
            at = chosen[by_row[c]]
            members[size], values[size] = seen[at], np.sqrt(amounts[at] / whole)
            size += 1
        begins[i + 1] = size
    return begins, members[:size].copy(), values[:size].copy()


@njit(cache=True, nogil=True)
def _largest(values, most):  # type: ignore[no-untyped-def]
    """Where the largest values are, largest first; of equals the first."""
    places = np.arange(values.shape[0])
    if values.shape[0] > most:
        least = np.partition(values, values.shape[0] - most)[values.shape[0] - most]
        places = np.flatnonzero(values >= least)
    order = np.argsort(-values[places], kind="mergesort")
    return places[order[:most]]


@njit(cache=True, nogil=True)
def shared_company(own, offsets, members, values, rows, out):  # type: ignore[no-untyped-def]
    """Σ own · values over the company of each of some rows; `own` [n] is 0 elsewhere."""
    for i in range(rows.shape[0]):
        total = 0.0
        for e in range(offsets[rows[i]], offsets[rows[i] + 1]):
            total += np.float64(own[members[e]]) * np.float64(values[e])
        out[i] = total


@njit(cache=True, nogil=True)
def _room(n):  # type: ignore[no-untyped-def]
    """What a push works in."""
    size = 1
    while size <= n:
        size *= 2
    state = np.zeros(n, np.uint8)  # 0 unseen, 1 seen, 2 in the queue
    queue = np.empty(size, np.uint32)  # a ring with room for every row and one more
    return (
        np.zeros(n, np.float64),
        np.zeros(n, np.float64),
        state,
        np.empty(n + 1, np.uint32),
        queue,
    )


@njit(cache=True, nogil=True)
def _flow(  # type: ignore[no-untyped-def]
    offsets, neighbours, weights, root, rows, amounts, alpha, least, budget, over, bent,
    done, waiting, state, seen, queue,
):  # fmt: skip
    """Push from sources until little waits; gives how many rows were `seen`."""
    # Unsigned, all of them: numba then asks of no index whether it counts from the end.
    one, around = np.uint64(1), np.uint64(queue.shape[0] - 1)
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
            begins, ends, shares, at = offsets, neighbours, weights, np.uint64(row)
            if over is not None:  # noqa: SIM102, apart so that numba sees it is never so
                if over[row] >= 0:
                    begins, ends, shares = bent
                    at = np.uint64(over[row])
            first, last = np.uint64(begins[at]), np.uint64(begins[at + one])
            spent += np.int64(last - first) + 1
            for e in range(first, last):
                to = np.uint32(ends[e])
                here = waiting[to] + share * np.float64(shares[e])
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
    return np.int64(count)

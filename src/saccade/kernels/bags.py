"""Dual ascent for ranking bags, one preference at a time, and how region scores become a bag's.

    minimise  1/2 |w|^2 + cap * sum_p max(0, target_p - w . z_p)          0 <= a_p <= cap
    w = sum_p a_p z_p        gap = primal - dual, the dual being sum target_p a_p - |w|^2 / 2

A pair's vector z is a difference of two bags; only inner products are needed. In `ascend_pairs` a
bag is one fixed mixture of its regions and `gram` [n, n] holds the products of bags. In
`ascend_max` the winner is a fixed mixture and the loser its best region: one vector for each region
of the loser, all with one slack, so that their coefficients together stay below the cap.

(Hsieh et al., "A dual coordinate descent method for large-scale linear SVM", 2008, with the order
drawn anew for each epoch.) No fast-math; every sum has one order: the same bits everywhere.
"""

from __future__ import annotations

import numpy as np
from numba import njit

AVERAGE, MAX, SOFTMAX = range(3)

_EVERY = 5  # epochs between two looks at the gap
_TINY = 1e-12


@njit(cache=True, nogil=True)
def _shuffle(order, state):  # type: ignore[no-untyped-def]
    """A new order drawn by xorshift64; returns the generator's state, never 0."""
    for k in range(order.shape[0] - 1, 0, -1):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        other = np.int64(state % np.uint64(k + 1))
        order[k], order[other] = order[other], order[k]
    return state


@njit(cache=True, nogil=True)
def _products(gram, coefficients, scores):  # type: ignore[no-untyped-def]
    """Fill scores = gram @ coefficients, exactly as they stand now."""
    scores[:] = 0.0
    for i in range(gram.shape[0]):
        if coefficients[i] != 0.0:
            value = coefficients[i]
            for j in range(gram.shape[0]):
                scores[j] += value * gram[i, j]


@njit(cache=True, nogil=True)
def _length(coefficients, scores):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(coefficients.shape[0]):
        total += coefficients[i] * scores[i]
    return total


@njit(cache=True, nogil=True)
def ascend_pairs(  # type: ignore[no-untyped-def]
    gram, winners, losers, targets, cap, duals, coefficients, scores, tolerance, epochs, seed
):
    """Raise the dual until the gap is below `tolerance` of the primal; (epochs, primal, gap).

    `duals` [p] is where it starts and ends; `coefficients` and `scores` [n] are those of the bags.
    """
    pairs = winners.shape[0]
    coefficients[:] = 0.0
    for p in range(pairs):
        coefficients[winners[p]] += duals[p]
        coefficients[losers[p]] -= duals[p]
    _products(gram, coefficients, scores)
    order, state = np.arange(pairs), np.uint64(seed + 88172645463325252)
    primal, gap = np.inf, np.inf
    for epoch in range(1, epochs + 1):
        state = _shuffle(order, state)
        for p in order:
            i, j = winners[p], losers[p]
            size = gram[i, i] + gram[j, j] - 2.0 * gram[i, j]
            if size <= _TINY:
                continue
            wanted = duals[p] + (targets[p] - scores[i] + scores[j]) / size
            step = min(max(wanted, 0.0), cap) - duals[p]
            if step != 0.0:
                duals[p] += step
                coefficients[i] += step
                coefficients[j] -= step
                for k in range(scores.shape[0]):
                    scores[k] += step * (gram[i, k] - gram[j, k])
        if epoch % _EVERY == 0 or epoch == epochs:
            _products(gram, coefficients, scores)
            square, loss, linear = _length(coefficients, scores), 0.0, 0.0
            for p in range(pairs):
                linear += targets[p] * duals[p]
                loss += max(0.0, targets[p] - scores[winners[p]] + scores[losers[p]])
            primal = 0.5 * square + cap * loss
            gap = primal - (linear - 0.5 * square)
            if gap <= tolerance * primal:
                return epoch, primal, gap
    return epochs, primal, gap


@njit(cache=True, nogil=True)
def _best_and_least(scores, duals, first, last, offset):  # type: ignore[no-untyped-def]
    """The loser's region of highest score, the lowest one with a coefficient, and their sum."""
    best, least, total = first, -1, 0.0
    for r in range(first, last):
        value = duals[offset + r - first]
        total += value
        if scores[r] > scores[best]:
            best = r
        if value > 0.0 and (least < 0 or scores[r] < scores[least]):
            least = r
    return best, least, total


@njit(cache=True, nogil=True)
def ascend_max(  # type: ignore[no-untyped-def]
    gram,
    starts,
    shares,
    winners,
    losers,
    offsets,
    cap,
    duals,
    coefficients,
    scores,
    tolerance,
    epochs,
    seed,
):
    """The same with the best region of each loser; `shares` [N] mix the regions of a winner.

    `gram` [N, N], `coefficients` and `scores` [N] are those of regions. The coefficient of pair p
    with region r of its loser is `duals[offsets[p] + r]`.
    """
    pairs, bags = winners.shape[0], starts.shape[0] - 1
    mixed = np.zeros((bags, gram.shape[0]))
    sizes = np.zeros(bags)
    for i in range(bags):
        for t in range(starts[i], starts[i + 1]):
            if shares[t] != 0.0:
                for k in range(gram.shape[0]):
                    mixed[i, k] += shares[t] * gram[t, k]
        for t in range(starts[i], starts[i + 1]):
            sizes[i] += shares[t] * mixed[i, t]
    _gather_max(starts, shares, winners, losers, offsets, duals, coefficients)
    _products(gram, coefficients, scores)
    order, state = np.arange(pairs), np.uint64(seed + 88172645463325252)
    primal, gap = np.inf, np.inf
    for epoch in range(1, epochs + 1):
        state = _shuffle(order, state)
        for p in order:
            i, first = winners[p], starts[losers[p]]
            best, least, total = _best_and_least(
                scores, duals, first, starts[losers[p] + 1], offsets[p]
            )
            head = 0.0
            for t in range(starts[i], starts[i + 1]):
                head += shares[t] * scores[t]
            chosen, step = best, 0.0
            if 1.0 - head + scores[best] > 0.0 and total < cap:
                size = sizes[i] - 2.0 * mixed[i, best] + gram[best, best]
                if size > _TINY:
                    step = min((1.0 - head + scores[best]) / size, cap - total)
            elif least >= 0 and 1.0 - head + scores[least] < 0.0:
                chosen = least
                size = sizes[i] - 2.0 * mixed[i, least] + gram[least, least]
                if size > _TINY:
                    held = duals[offsets[p] + least - first]
                    step = max((1.0 - head + scores[least]) / size, -held)
            elif least >= 0 and least != best:
                # At the cap: what a lower region holds goes over to the best one.
                size = gram[best, best] + gram[least, least] - 2.0 * gram[best, least]
                if size > _TINY and scores[best] > scores[least]:
                    held = duals[offsets[p] + least - first]
                    moved = min((scores[best] - scores[least]) / size, held)
                    duals[offsets[p] + best - first] += moved
                    duals[offsets[p] + least - first] -= moved
                    for k in range(scores.shape[0]):
                        scores[k] += moved * (gram[least, k] - gram[best, k])
            if step != 0.0:
                duals[offsets[p] + chosen - first] += step
                for k in range(scores.shape[0]):
                    scores[k] += step * (mixed[i, k] - gram[chosen, k])
        if epoch % _EVERY == 0 or epoch == epochs:
            _gather_max(starts, shares, winners, losers, offsets, duals, coefficients)
            _products(gram, coefficients, scores)
            primal, gap = _gap_of_max(
                starts, shares, winners, losers, cap, duals, coefficients, scores
            )
            if gap <= tolerance * primal:
                return epoch, primal, gap
    return epochs, primal, gap


@njit(cache=True, nogil=True)
def _gather_max(starts, shares, winners, losers, offsets, duals, coefficients):  # type: ignore[no-untyped-def]
    """Coefficients of the regions from those of the pairs."""
    coefficients[:] = 0.0
    for p in range(winners.shape[0]):
        i, first = winners[p], starts[losers[p]]
        total = 0.0
        for r in range(first, starts[losers[p] + 1]):
            value = duals[offsets[p] + r - first]
            total += value
            coefficients[r] -= value
        for t in range(starts[i], starts[i + 1]):
            coefficients[t] += total * shares[t]


@njit(cache=True, nogil=True)
def _gap_of_max(starts, shares, winners, losers, cap, duals, coefficients, scores):  # type: ignore[no-untyped-def]
    square, loss, linear = _length(coefficients, scores), 0.0, 0.0
    for value in duals:
        linear += value
    for p in range(winners.shape[0]):
        i, j = winners[p], losers[p]
        head, best = 0.0, -np.inf
        for t in range(starts[i], starts[i + 1]):
            head += shares[t] * scores[t]
        for r in range(starts[j], starts[j + 1]):
            best = max(best, scores[r])
        loss += max(0.0, 1.0 - head + best)
    primal = 0.5 * square + cap * loss
    return primal, primal - (linear - 0.5 * square)


@njit(cache=True, nogil=True)
def pool(kind, sharpness, scores, starts, pooled, shares):  # type: ignore[no-untyped-def]
    """A bag's score from its regions', and the share of each region in it; shares sum to 1.

    AVERAGE  mean f        MAX  the highest f, equal ones sharing
    SOFTMAX  log(mean exp(sharpness * f)) / sharpness, between the two
    """
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        top = -np.inf
        for r in range(first, last):
            top = max(top, scores[r])
        total = 0.0
        for r in range(first, last):
            if kind == AVERAGE:
                shares[r] = 1.0
            elif kind == MAX:
                shares[r] = 1.0 if scores[r] == top else 0.0
            else:
                shares[r] = np.exp(sharpness * (scores[r] - top))
            total += shares[r]
        mean = 0.0
        for r in range(first, last):
            shares[r] /= total
            mean += shares[r] * scores[r]
        if kind == SOFTMAX:
            pooled[i] = top + np.log(total / (last - first)) / sharpness
        else:
            pooled[i] = mean if kind == AVERAGE else top

"""Softmax ranking of bags on random features, in arithmetic that every machine does alike.

    z(x) = sqrt(2 / D) cos(Omega x + b)        z(x) . z(y) is close to exp(-gamma |x - y|^2)

with Omega [m, D] drawn from N(0, 2 gamma) and b [D] from 0 to 2 pi (Rahimi & Recht 2007). `refit`
solves what `saccade.rankers.bag_program.softmax` solves, for f(x) = w . z(x):

    J(w) = 1/2 |w|^2 + cap * sum_pairs max(0, 1 - g(winner) + g(loser))
    g(bag) = log(mean exp(eta f)) / eta

round by round: each bag a mixture of its regions, the program by dual ascent, then as much of the
way there as lowers J. cos, exp and log are polynomials here, because libraries round theirs as they
like: only sums, products, quotients and roots are left, which have one result.
"""

from __future__ import annotations

import numpy as np
from numba import float32, float64, int64, njit, types, void

_ROWS = types.Array(types.float32, 2, "C", readonly=True)
_MATRIX = types.Array(types.float64, 2, "C", readonly=True)
_VECTOR = types.Array(types.float64, 1, "C", readonly=True)
_WHOLE = types.Array(types.int64, 1, "C", readonly=True)

_TURN = 6.283185307179586
_LN2 = 0.6931471805599453
_EPOCHS = 500
_EVERY = 5
_TINY = 1e-12
_SMALLEST_STEP = 1e-3


@njit(float64(float64), cache=True, nogil=True)
def cosine(x):  # type: ignore[no-untyped-def]
    """Cosine: the nearest whole turn taken off, halved twice, Taylor's series, doubled twice."""
    x = 0.25 * (x - _TURN * np.floor(x / _TURN + 0.5))
    square = x * x
    # |x| <= pi / 4: the terms after this one are below 1e-13.
    series = 1.0 - square / 2.0 * (
        1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0 * (1.0 - square / 90.0)))
    )
    series = 2.0 * series * series - 1.0
    return 2.0 * series * series - 1.0


@njit(float64(float64), cache=True, nogil=True)
def exponential(x):  # type: ignore[no-untyped-def]
    """e^x for x of 0 and less: whole powers of two by halving, the rest by Taylor's series."""
    if x < -700.0:
        return 0.0
    halvings = np.floor(x / _LN2 + 0.5)
    rest = x - halvings * _LN2
    value = 1.0
    for k in range(12, 0, -1):
        value = 1.0 + value * rest / k
    for _ in range(int(-halvings)):
        value *= 0.5
    return value


@njit(float64(float64), cache=True, nogil=True)
def logarithm(x):  # type: ignore[no-untyped-def]
    """Natural logarithm for 0 < x <= 1: halvings counted, then Halley's steps on e^y = x."""
    halvings = 0.0
    while x < 0.5:
        x *= 2.0
        halvings += 1.0
    y = x - 1.0
    for _ in range(4):
        there = exponential(y)
        y += 2.0 * (x - there) / (x + there)
    return y - halvings * _LN2


@njit(void(_ROWS, _MATRIX, _VECTOR, float32[:, ::1]), cache=True, nogil=True)
def features(rows, directions, phases, out):  # type: ignore[no-untyped-def]
    """Fill out [n, D]; `directions` is [m, D], so that the inner loop runs over features."""
    count = phases.shape[0]
    size = np.sqrt(2.0 / count)
    angles = np.empty(count)
    for i in range(rows.shape[0]):
        angles[:] = phases
        for column in range(rows.shape[1]):
            value = float64(rows[i, column])
            for k in range(count):
                angles[k] += value * directions[column, k]
        for k in range(count):
            out[i, k] = size * cosine(angles[k])


@njit(cache=True, nogil=True)
def _dot(weights, row):  # type: ignore[no-untyped-def]
    """Inner product over eight partial sums in a fixed order, which the compiler vectorises."""
    whole = weights.shape[0] // 8 * 8
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    for k in range(0, whole, 8):
        s0 += weights[k] * float64(row[k])
        s1 += weights[k + 1] * float64(row[k + 1])
        s2 += weights[k + 2] * float64(row[k + 2])
        s3 += weights[k + 3] * float64(row[k + 3])
        s4 += weights[k + 4] * float64(row[k + 4])
        s5 += weights[k + 5] * float64(row[k + 5])
        s6 += weights[k + 6] * float64(row[k + 6])
        s7 += weights[k + 7] * float64(row[k + 7])
    rest = 0.0
    for k in range(whole, weights.shape[0]):
        rest += weights[k] * float64(row[k])
    return (((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))) + rest


@njit(float64(_ROWS, _WHOLE, _VECTOR, float64, float64[::1], float64[::1]), cache=True, nogil=True)
def soft_scores(rows, starts, weights, eta, pooled, shares):  # type: ignore[no-untyped-def]
    """Fill the score g of each bag and the share of each region; give |w|^2."""
    for i in range(starts.shape[0] - 1):
        first, last = starts[i], starts[i + 1]
        top = -np.inf
        for r in range(first, last):
            shares[r] = _dot(weights, rows[r])  # f for now
            top = max(top, shares[r])
        mass = 0.0
        for r in range(first, last):
            shares[r] = exponential(eta * (shares[r] - top))
            mass += shares[r]
        for r in range(first, last):
            shares[r] /= mass
        pooled[i] = top + logarithm(mass / (last - first)) / eta
    return _dot(weights, weights)


@njit(cache=True, nogil=True)
def _mixtures(rows, starts, shares, mixed):  # type: ignore[no-untyped-def]
    """Fill the mean of each bag's rows by their shares, [n, D]."""
    mixed[:] = 0.0
    for i in range(starts.shape[0] - 1):
        for r in range(starts[i], starts[i + 1]):
            for k in range(rows.shape[1]):
                mixed[i, k] += shares[r] * float64(rows[r, k])


@njit(cache=True, nogil=True)
def _ascend(mixed, winners, losers, targets, cap, duals, weights, tolerance):  # type: ignore[no-untyped-def]
    """Dual ascent, pair by pair in order; `weights` and `duals` are where it starts and ends."""
    pairs, count = winners.shape[0], weights.shape[0]
    sizes, gaps = np.empty(pairs), np.empty((pairs, count))
    weights[:] = 0.0
    for p in range(pairs):
        for k in range(count):
            gaps[p, k] = mixed[winners[p], k] - mixed[losers[p], k]
            weights[k] += duals[p] * gaps[p, k]
        sizes[p] = _dot(gaps[p], gaps[p])
    for epoch in range(1, _EPOCHS + 1):
        for p in range(pairs):
            if sizes[p] <= _TINY:
                continue
            wanted = duals[p] + (targets[p] - _dot(weights, gaps[p])) / sizes[p]
            step = min(max(wanted, 0.0), cap) - duals[p]
            if step != 0.0:
                duals[p] += step
                for k in range(count):
                    weights[k] += step * gaps[p, k]
        if epoch % _EVERY == 0:
            square, loss, linear = _dot(weights, weights), 0.0, 0.0
            for p in range(pairs):
                linear += targets[p] * duals[p]
                loss += max(0.0, targets[p] - _dot(weights, gaps[p]))
            primal = 0.5 * square + cap * loss
            if primal - (linear - 0.5 * square) <= tolerance * primal:
                return


@njit(
    int64(_ROWS, _WHOLE, _WHOLE, _WHOLE, float64, float64, float64, int64, float64[::1]),
    cache=True,
    nogil=True,
)
def refit(rows, starts, winners, losers, cap, eta, tolerance, rounds, weights):  # type: ignore[no-untyped-def]
    """Fill the weights of these preferences, from nothing; give the rounds it took."""
    bags, pairs, count = starts.shape[0] - 1, winners.shape[0], weights.shape[0]
    shares, pooled = np.empty(rows.shape[0]), np.zeros(bags)
    for i in range(bags):
        for r in range(starts[i], starts[i + 1]):
            shares[r] = 1.0 / (starts[i + 1] - starts[i])
    mixed, targets = np.empty((bags, count)), np.ones(pairs)
    duals, optimum, trial = np.zeros(pairs), np.zeros(count), np.empty(count)
    trial_shares, trial_pooled = shares.copy(), pooled.copy()
    weights[:] = 0.0
    lowest = cap * pairs  # J of w = 0
    for number in range(rounds):
        _mixtures(rows, starts, shares, mixed)
        _ascend(mixed, winners, losers, targets, cap, duals, optimum, tolerance)
        step, value = 1.0, np.inf
        while step > _SMALLEST_STEP:
            for k in range(count):
                trial[k] = weights[k] + step * (optimum[k] - weights[k])
            square = soft_scores(rows, starts, trial, eta, trial_pooled, trial_shares)
            loss = 0.0
            for p in range(pairs):
                loss += max(0.0, 1.0 - trial_pooled[winners[p]] + trial_pooled[losers[p]])
            value = 0.5 * square + cap * loss
            if value < lowest:
                break
            step *= 0.5
        if value >= lowest:
            return number
        gained = lowest - value
        lowest = value
        weights[:], shares[:], pooled[:] = trial, trial_shares, trial_pooled
        if gained <= tolerance * value:
            return number + 1
        _mixtures(rows, starts, shares, mixed)
        for p in range(pairs):
            i, j = winners[p], losers[p]
            # The constants of the two tangents: g less the weighted mean of f.
            above = pooled[i] - _dot(weights, mixed[i])
            below = pooled[j] - _dot(weights, mixed[j])
            targets[p] = 1.0 - above + below
    return rounds

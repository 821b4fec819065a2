"""One pass of a second-order online learner: weights with a covariance, which steers the step.

    z = winner - loser     margin = w . z     variance = z' S z
    w <- w + alpha S z     S <- S - beta (S z)(S z)'

    rule   updates when                 alpha, beta
    AROW   margin < 1                   beta = 1 / (variance + r), alpha = (1 - margin) beta
    SCW    margin < k sqrt(variance)    as in Wang, Zhao & Hoi 2012, proposition 1

(Crammer, Kulesza & Dredze 2009 for AROW.) S is a full matrix, or a vector that keeps the diagonal
alone. No fast-math; sums run over eight partial sums in a fixed order, so that the bits are the
same on every machine.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from saccade.kernels.online import LARGEST, LOSS, MISTAKES, SEEN, UPDATES

AROW, SCW = range(2)

_LIMIT = np.finfo(np.float32).max


@njit(cache=True, nogil=True)
def _dot(a, b):  # type: ignore[no-untyped-def]
    """Sum of a[j] * b[j] in the fixed order: lane j mod 8, then the rest, then lanes in halves."""
    whole = a.shape[0] // 8 * 8
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    for j in range(0, whole, 8):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
        s4 += a[j + 4] * b[j + 4]
        s5 += a[j + 5] * b[j + 5]
        s6 += a[j + 6] * b[j + 6]
        s7 += a[j + 7] * b[j + 7]
    rest = 0.0
    for j in range(whole, a.shape[0]):
        rest += a[j] * b[j]
    return (((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))) + rest


@njit(cache=True, nogil=True)
def _steps(rule, margin, variance, rate, quantile):  # type: ignore[no-untyped-def]
    """(alpha, beta) of one update; (0, 0) where the rule is content."""
    if rule == AROW:
        if margin >= 1.0:
            return 0.0, 0.0
        beta = 1.0 / (variance + rate)
        return (1.0 - margin) * beta, beta
    if margin >= quantile * np.sqrt(variance):
        return 0.0, 0.0
    square = quantile * quantile
    psi, zeta = 1.0 + 0.5 * square, 1.0 + square
    root = np.sqrt(0.25 * margin * margin * square * square + variance * square * zeta)
    alpha = min(rate, max(0.0, (root - margin * psi) / (variance * zeta)))
    pull = alpha * variance * quantile
    deviation = 0.5 * (np.sqrt(pull * pull + 4.0 * variance) - pull)
    return alpha, alpha * quantile / (deviation + pull)


@njit(cache=True, nogil=True)
def _shrink(covariance, moved, beta):  # type: ignore[no-untyped-def]
    """S <- S - beta moved moved', the diagonal of it where S is a vector."""
    for i in range(moved.shape[0]):
        if covariance.ndim == 1:
            # Rounding must not take a variance below zero.
            covariance[i] = max(covariance[i] - beta * moved[i] * moved[i], 0.0)
        else:
            for j in range(moved.shape[0]):
                covariance[i, j] -= beta * (moved[i] * moved[j])


@njit(cache=True, nogil=True)
def learn(  # type: ignore[no-untyped-def]
    weights, covariance, drift, statistics, winners, losers, rule, rate, quantile, average
):
    """Learn every pair in order, in place; give the first row that is not finite, or -1.

    As `saccade.kernels.online.learn`: call it on copies; `losers` may be None; a zero difference
    touches nothing. `rate` is r of AROW or C of SCW, `quantile` is k of SCW.
    """
    rows, columns = winners.shape
    z, moved, mean = np.empty(columns), np.empty(columns), np.empty(columns)
    for j in range(columns):
        mean[j] = weights[j]
    for i in range(rows):
        for j in range(columns):
            # The difference is rounded to float32, as one that was formed beforehand would be.
            if losers is None:
                z[j] = winners[i, j]
            else:
                z[j] = winners[i, j] - losers[i, j]
        margin = _dot(mean, z)
        # A NaN or infinity in any column makes the margin NaN or infinite, whatever the weights.
        if not abs(margin) <= _LIMIT:
            return i
        if rule == AROW and margin >= 1.0:
            statistics[SEEN] += 1.0
            continue
        square = _dot(z, z)
        if square == 0.0:
            continue
        before = statistics[SEEN]
        statistics[SEEN] += 1.0
        statistics[LOSS] += max(0.0, 1.0 - margin)
        if margin <= 0.0:
            statistics[MISTAKES] += 1.0
        for j in range(columns):
            if covariance.ndim == 1:
                moved[j] = covariance[j] * z[j]
            else:
                moved[j] = _dot(covariance[j], z)
        variance = _dot(z, moved)
        if variance <= 0.0:
            continue
        alpha, beta = _steps(rule, margin, variance, rate, quantile)
        if alpha == 0.0:
            continue
        statistics[UPDATES] += 1.0
        statistics[LARGEST] = max(statistics[LARGEST], square)
        _shrink(covariance, moved, beta)
        for j in range(columns):
            # The weights are float32 at rest; rounding each step makes one by one equal to many.
            changed = np.float64(np.float32(mean[j] + alpha * moved[j]))
            if average:
                drift[j] += before * (changed - mean[j])
            mean[j] = changed
    for j in range(columns):
        weights[j] = mean[j]
        if not abs(mean[j]) <= _LIMIT:
            return rows - 1
    return -1

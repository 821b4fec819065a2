"""Mini-batch sub-gradient steps on points, ordered and alike pairs, in the span of the labels.

    w = w0 + Σ_r a_r v_r        f_r = w·v_r = prior_r + Σ_s a_s K_rs        K_rs = v_r·v_s

    kind      v           loss                                       violated      direction
    POINT     x           max(0, 1 − (f − b_below))                  f − b < 1     + v, b down
                          max(0, 1 − (b_above − f))                  b − f < 1     − v, b up
    ORDERED   more−less   max(0, ρ − f)                              f < ρ         + v
    ALIKE     first−second  |f|                                      f ≠ 0         − sgn(f) v

One step draws a mini-batch, shrinks a and b by (1 − η) and adds η · weight · direction for its
violators (Chen, Zhang & Li 2015, algorithm 1, with the sign of the alike term put right). With the
products K at hand a step costs (violators + 2) · n, whatever the number of columns.

The bits are the same on every machine: no fast-math, and each sum has one order. Inner loops run
over independent entries, so they are vectorised as they stand.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, njit, types, uint64

POINT, ORDERED, ALIKE = range(3)

_ROWS = types.Array(types.float32, 2, "C", readonly=True)
_MATRIX = types.Array(types.float64, 2, "C", readonly=True)
_VECTOR = types.Array(types.float64, 1, "C", readonly=True)
_WHOLE = types.Array(types.int64, 1, "C", readonly=True)


@njit(types.void(_ROWS, _MATRIX, float64[:, ::1], int64), cache=True, nogil=True)
def products(rows, columns, out, first):  # type: ignore[no-untyped-def]
    """out[i, j] = out[j, i] = rows[i]·rows[j] for i ≥ first, j ≤ i; `columns` is rows.T.

    Each entry is summed over the columns in order, in double precision; the inner loop runs over j.
    """
    for i in range(first, rows.shape[0]):
        line = np.zeros(i + 1)
        for column in range(rows.shape[1]):
            value = float64(rows[i, column])
            for j in range(i + 1):
                line[j] += value * columns[column, j]
        for j in range(i + 1):
            out[i, j] = line[j]
            out[j, i] = line[j]


@njit(types.void(_ROWS, _VECTOR, float64[::1]), cache=True, nogil=True)
def combine(rows, coefficients, out):  # type: ignore[no-untyped-def]
    """Add Σ_r coefficients[r] rows[r] to `out`, row after row."""
    for r in range(rows.shape[0]):
        value = coefficients[r]
        if value != 0.0:
            for column in range(rows.shape[1]):
                out[column] += value * float64(rows[r, column])


@njit(types.void(_ROWS, _VECTOR, float64[::1]), cache=True, nogil=True)
def project(rows, weights, out):  # type: ignore[no-untyped-def]
    """out[r] = rows[r]·weights, in double precision, column after column."""
    for r in range(rows.shape[0]):
        total = 0.0
        for column in range(rows.shape[1]):
            total += float64(rows[r, column]) * weights[column]
        out[r] = total


@njit(types.void(_ROWS, _MATRIX, float64[:, ::1]), cache=True, nogil=True)
def cross(rows, columns, out):  # type: ignore[no-untyped-def]
    """out[i, j] = rows[i]·others[j], each row by itself; `columns` is others.T."""
    for i in range(rows.shape[0]):
        line = out[i]
        line[:] = 0.0
        for column in range(rows.shape[1]):
            value = float64(rows[i, column])
            for j in range(columns.shape[1]):
                line[j] += value * columns[column, j]


@njit(types.void(_MATRIX, _VECTOR, float64[::1]), cache=True, nogil=True)
def mix(values, coefficients, out):  # type: ignore[no-untyped-def]
    """out[i] = values[i]·coefficients, each row by itself and in order."""
    for i in range(values.shape[0]):
        total = 0.0
        for j in range(values.shape[1]):
            total += values[i, j] * coefficients[j]
        out[i] = total


@njit(cache=True, nogil=True)
def _values(gram, coefficients, n):  # type: ignore[no-untyped-def]
    """K a over the first n labels."""
    values = np.zeros(n)
    for s in range(n):
        value = coefficients[s]
        for r in range(n):
            values[r] += value * gram[s, r]
    return values


@njit(
    float64(_MATRIX, _VECTOR, _WHOLE, _WHOLE, _VECTOR, float64, float64, _VECTOR, _VECTOR),
    cache=True, nogil=True,
)  # fmt: skip
def objective(gram, prior, kind, level, weight, rho, bias, coefficients, thresholds):  # type: ignore[no-untyped-def]
    """½|w − w0|² + ½|b / bias|² + Σ_r weight[kind_r] · loss_r, over the first len(kind) labels."""
    values = _values(gram, coefficients, kind.shape[0])
    total = 0.0
    for r in range(kind.shape[0]):
        total += 0.5 * coefficients[r] * values[r]
    if bias > 0.0:
        for j in range(thresholds.shape[0]):
            total += 0.5 * (thresholds[j] / bias) ** 2
    for r in range(kind.shape[0]):
        f = prior[r] + values[r]
        loss = 0.0
        if kind[r] == ORDERED:
            loss = max(0.0, rho - f)
        elif kind[r] == ALIKE:
            loss = abs(f)
        else:
            if level[r] > 0:
                loss += max(0.0, 1.0 - (f - thresholds[level[r] - 1]))
            if level[r] < thresholds.shape[0]:
                loss += max(0.0, 1.0 - (thresholds[level[r]] - f))
        total += weight[kind[r]] * loss
    return total


@njit(cache=True, nogil=True)
def _draw(order, batch, state):  # type: ignore[no-untyped-def]
    """Bring a random subset to the front of `order`; give the generator's next state.

    Marsaglia's xorshift64 and the first steps of a Fisher-Yates shuffle.
    """
    for i in range(batch):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        other = i + int64(state % np.uint64(order.shape[0] - i))
        order[i], order[other] = order[other], order[i]
    return state


@njit(cache=True, nogil=True)
def _violators(chosen, values, prior, kind, level, rho, thresholds, found, push, shift):  # type: ignore[no-untyped-def]
    """Labels of `chosen` that are violated: which, in what direction, at what threshold (or −1)."""
    count = 0
    for r in chosen:
        f = prior[r] + values[r]
        if kind[r] == ORDERED:
            if f < rho:
                found[count], push[count], shift[count] = r, 1.0, -1
                count += 1
        elif kind[r] == ALIKE:
            if f != 0.0:
                # |f| grows with f where f > 0: the step goes the other way.
                found[count], push[count], shift[count] = r, -1.0 if f > 0.0 else 1.0, -1
                count += 1
        else:
            below, above = level[r] - 1, level[r]
            if below >= 0 and f - thresholds[below] < 1.0:
                found[count], push[count], shift[count] = r, 1.0, below
                count += 1
            if above < thresholds.shape[0] and thresholds[above] - f < 1.0:
                found[count], push[count], shift[count] = r, -1.0, above
                count += 1
    return count


@njit(
    types.void(
        _MATRIX, _VECTOR, _WHOLE, _WHOLE, _VECTOR, float64, float64, int64, int64, int64, uint64,
        types.boolean, float64[::1], float64[::1], float64[::1], float64[::1],
    ),
    cache=True, nogil=True,
)  # fmt: skip
def descend(  # type: ignore[no-untyped-def]
    gram, prior, kind, level, weight, rho, bias, first, steps, batch, seed, printed,
    coefficients, thresholds, mean, mean_thresholds,
):  # fmt: skip
    """Steps t = first … first + steps − 1 in place; `mean` gets the average iterate, weighted by t.

    η = 1/t and each violator in the mini-batch stands for n/batch of its like, so a step is, on
    average, one along the sub-gradient of `objective` (Pegasos). `printed` takes the letter of
    algorithm 1: η = 1/(violators · t), and the weight of a kind is its constant times its share of
    the violators; `weight` then holds those constants. No violator: only the shrinking, with 1/t.
    """
    n = kind.shape[0]
    batch = min(batch, n)
    order = np.arange(n)
    found, shift = np.empty(2 * batch, np.int64), np.empty(2 * batch, np.int64)
    push, share = np.empty(2 * batch), np.empty(3)
    values = _values(gram, coefficients, n)
    mean[:] = 0.0
    mean_thresholds[:] = 0.0
    state = seed
    for t in range(first, first + steps):
        state = _draw(order, batch, state)
        count = _violators(
            order[:batch], values, prior, kind, level, rho, thresholds, found, push, shift
        )
        share[:] = 0.0
        for i in range(count):
            share[kind[found[i]]] += 1.0
        eta = 1.0 / (t * max(count, 1)) if printed else 1.0 / t
        coefficients *= 1.0 - eta
        values *= 1.0 - eta
        thresholds *= 1.0 - eta
        for i in range(count):
            r = found[i]
            scale = share[kind[r]] / count if printed else float64(n) / batch
            step = eta * weight[kind[r]] * scale * push[i]
            coefficients[r] += step
            for j in range(n):
                values[j] += step * gram[r, j]
            if shift[i] >= 0:
                thresholds[shift[i]] -= step * bias * bias
        for j in range(n):
            mean[j] += t * coefficients[j]
        for j in range(thresholds.shape[0]):
            mean_thresholds[j] += t * thresholds[j]
    total = 0.5 * steps * (2.0 * first + steps - 1.0)  # Σ t
    mean /= total
    mean_thresholds /= total

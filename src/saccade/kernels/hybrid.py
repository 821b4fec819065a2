"""Mini-batch sub-gradient steps on points, ordered and alike pairs, in the span of the labels.

    w = w0 + Σ_r a_r v_r        f_r = w·v_r = prior_r + Σ_s a_s K_rs        K_rs = v_r·v_s

    kind      v           loss                                       violated      direction
    POINT     x           max(0, 1 − (f − b_below))                  f − b < 1     + v, b down
                          max(0, 1 − (b_above − f))                  b − f < 1     − v, b up
    ORDERED   more−less   max(0, ρ − f)                              f < ρ         + v
    ALIKE     first−second  |f|                                      f ≠ 0         − sgn(f) v

One step draws a mini-batch, shrinks a and b by (1 − η) and adds η · weight · direction for its
violators (Chen, Zhang & Li 2015, algorithm 1, with the sign of the alike term put right).

The bits are the same on every machine: no fast-math, and each sum has one order. Inner loops run
over independent entries, so they are vectorised as they stand.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, njit, types, uint64

POINT, ORDERED, ALIKE = range(3)
_TILE = 64  # columns of a few hundred labels that the cache holds

_ROWS = types.Array(types.float32, 2, "C", readonly=True)
_MATRIX = types.Array(types.float64, 2, "C", readonly=True)
_VECTOR = types.Array(types.float64, 1, "C", readonly=True)
_WHOLE = types.Array(types.int64, 1, "C", readonly=True)


@njit(types.void(_ROWS, _MATRIX, float64[:, ::1], int64), cache=True, nogil=True)
def products(rows, columns, out, first):  # type: ignore[no-untyped-def]
    """out[i, j] = out[j, i] = rows[i]·rows[j] for i ≥ first, j ≤ i; `columns` is rows.T.

    Each entry is summed over the columns in order, in double precision; the inner loop runs over j.
    Some columns at a time, and four rows together, so that they are read from the cache.
    """
    count, width = rows.shape
    sums = np.zeros((count + 3, count))
    for low in range(0, width, _TILE):
        high = min(low + _TILE, width)
        for i in range(first, count, 4):
            last = min(i + 4, count)
            a, b, c, d = sums[i], sums[i + 1], sums[i + 2], sums[i + 3]
            for column in range(low, high):
                # Past the end the last row is taken again, and its sums are left where they are.
                va = float64(rows[i, column])
                vb = float64(rows[min(i + 1, count - 1), column])
                vc = float64(rows[min(i + 2, count - 1), column])
                vd = float64(rows[min(i + 3, count - 1), column])
                for j in range(last):
                    value = columns[column, j]
                    a[j] += va * value
                    b[j] += vb * value
                    c[j] += vc * value
                    d[j] += vd * value
    for i in range(first, count):
        for j in range(i + 1):
            out[i, j] = out[j, i] = sums[i, j]


@njit(types.void(_ROWS, _VECTOR, float64[::1]), cache=True, nogil=True)
def combine(rows, coefficients, out):  # type: ignore[no-untyped-def]
    """Add Σ_r coefficients[r] rows[r] to `out`, row after row."""
    for r in range(rows.shape[0]):
        value = coefficients[r]
        if value != 0.0:
            for column in range(rows.shape[1]):
                out[column] += value * float64(rows[r, column])


@njit(cache=True, nogil=True)
def _dot(row, weights):  # type: ignore[no-untyped-def]
    """row·weights in double precision: eight sums side by side, then folded in halves."""
    a = b = c = d = e = f = g = h = 0.0
    whole = row.shape[0] - row.shape[0] % 8
    for j in range(0, whole, 8):
        a += float64(row[j]) * weights[j]
        b += float64(row[j + 1]) * weights[j + 1]
        c += float64(row[j + 2]) * weights[j + 2]
        d += float64(row[j + 3]) * weights[j + 3]
        e += float64(row[j + 4]) * weights[j + 4]
        f += float64(row[j + 5]) * weights[j + 5]
        g += float64(row[j + 6]) * weights[j + 6]
        h += float64(row[j + 7]) * weights[j + 7]
    for j in range(whole, row.shape[0]):
        a += float64(row[j]) * weights[j]
    return ((a + e) + (c + g)) + ((b + f) + (d + h))


@njit(types.void(_ROWS, _VECTOR, float64[::1]), cache=True, nogil=True)
def project(rows, weights, out):  # type: ignore[no-untyped-def]
    """out[r] = rows[r]·weights, in double precision."""
    for r in range(rows.shape[0]):
        out[r] = _dot(rows[r], weights)


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


@njit(cache=True, nogil=True)
def _penalised(values, prior, kind, level, weight, rho, bias, thresholds):  # type: ignore[no-untyped-def]
    """½|b / bias|² + Σ_r weight[kind_r] · loss_r."""
    total = 0.0
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


def _objective_type(first: types.Type) -> types.Type:
    return float64(first, _VECTOR, _WHOLE, _WHOLE, _VECTOR, float64, float64, _VECTOR, _VECTOR)


@njit(_objective_type(_MATRIX), cache=True, nogil=True)
def objective(gram, prior, kind, level, weight, rho, bias, coefficients, thresholds):  # type: ignore[no-untyped-def]
    """½|w − w0|² + ½|b / bias|² + Σ_r weight[kind_r] · loss_r, from the labels' products."""
    values = _values(gram, coefficients, kind.shape[0])
    total = 0.0
    for r in range(kind.shape[0]):
        total += 0.5 * coefficients[r] * values[r]
    return total + _penalised(values, prior, kind, level, weight, rho, bias, thresholds)


@njit(_objective_type(_ROWS), cache=True, nogil=True)
def objective_rows(rows, prior, kind, level, weight, rho, bias, coefficients, thresholds):  # type: ignore[no-untyped-def]
    """The same from the labels' vectors."""
    weights = np.zeros(rows.shape[1])
    combine(rows, coefficients, weights)
    values = np.empty(rows.shape[0])
    for r in range(rows.shape[0]):
        values[r] = _dot(rows[r], weights)
    total = 0.0
    for column in range(weights.shape[0]):
        total += 0.5 * weights[column] * weights[column]
    return total + _penalised(values, prior, kind, level, weight, rho, bias, thresholds)


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


@njit(cache=True, nogil=True)
def _step_sizes(found, count, t, kind, weight, each, printed, push):  # type: ignore[no-untyped-def]
    """η of a step; `push` becomes what each violator adds to its coefficient.

    η = 1/t and a violator stands for `each` of its like, so that a step is, on average, one along
    the sub-gradient of `objective` (Pegasos). `printed` takes the letter of algorithm 1: η =
    1/(violators · t), and the weight of a kind is its constant times its share of the violators;
    `weight` then holds those constants. No violator: only the shrinking, with 1/t.
    """
    share = np.zeros(3)
    for i in range(count):
        share[kind[found[i]]] += 1.0
    eta = 1.0 / (t * max(count, 1)) if printed else 1.0 / t
    for i in range(count):
        own = kind[found[i]]
        push[i] *= eta * weight[own] * (share[own] / count if printed else each)
    return eta


def _descend_type(first: types.Type) -> types.Type:
    return types.void(
        first, _VECTOR, _WHOLE, _WHOLE, _VECTOR, float64, float64, int64, int64, int64, uint64,
        types.boolean, float64[::1], float64[::1], float64[::1], float64[::1],
    )  # fmt: skip


@njit(_descend_type(_MATRIX), cache=True, nogil=True)
def descend(  # type: ignore[no-untyped-def]
    gram, prior, kind, level, weight, rho, bias, first, steps, batch, seed, printed,
    coefficients, thresholds, mean, mean_thresholds,
):  # fmt: skip
    """Steps t = first … first + steps − 1 in place; `mean` gets the average iterate, weighted by t.

    With the products of the labels at hand: a step costs (violators + 2) · n.
    """
    n = kind.shape[0]
    batch = min(batch, n)
    order = np.arange(n)
    found, shift = np.empty(2 * batch, np.int64), np.empty(2 * batch, np.int64)
    push, state = np.empty(2 * batch), seed
    values = _values(gram, coefficients, n)
    mean[:] = 0.0
    mean_thresholds[:] = 0.0
    for t in range(first, first + steps):
        state = _draw(order, batch, state)
        count = _violators(
            order[:batch], values, prior, kind, level, rho, thresholds, found, push, shift
        )
        eta = _step_sizes(found, count, t, kind, weight, float64(n) / batch, printed, push)
        coefficients *= 1.0 - eta
        values *= 1.0 - eta
        thresholds *= 1.0 - eta
        for i in range(count):
            r, step = found[i], push[i]
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


@njit(_descend_type(_ROWS), cache=True, nogil=True)
def descend_rows(  # type: ignore[no-untyped-def]
    rows, prior, kind, level, weight, rho, bias, first, steps, batch, seed, printed,
    coefficients, thresholds, mean, mean_thresholds,
):  # fmt: skip
    """The same steps from the labels' vectors: a step costs (batch + violators) · columns.

    For many labels, whose products would cost more than the steps. a = scale · c, so that shrinking
    is one product; a change δ of c_r at step t counts in the mean from there on, with
    Σ_{u ≥ t} u · scale_u, of which `late` keeps the part that it missed.
    """
    n = kind.shape[0]
    batch = min(batch, n)
    order = np.arange(n)
    found, shift = np.empty(2 * batch, np.int64), np.empty(2 * batch, np.int64)
    push, state = np.empty(2 * batch), seed
    values, late = np.empty(n), np.zeros(n)
    weights = np.zeros(rows.shape[1])
    combine(rows, coefficients, weights)
    mean_thresholds[:] = 0.0
    scale, total = 1.0, 0.0
    for t in range(first, first + steps):
        state = _draw(order, batch, state)
        for i in range(batch):
            values[order[i]] = scale * _dot(rows[order[i]], weights)
        count = _violators(
            order[:batch], values, prior, kind, level, rho, thresholds, found, push, shift
        )
        eta = _step_sizes(found, count, t, kind, weight, float64(n) / batch, printed, push)
        if eta < 1.0:
            scale *= 1.0 - eta
        else:  # the first step of all forgets whatever was before
            coefficients[:] = 0.0
            weights[:] = 0.0
        thresholds *= 1.0 - eta
        for i in range(count):
            r, change = found[i], push[i] / scale
            coefficients[r] += change
            late[r] += change * total
            for column in range(weights.shape[0]):
                weights[column] += change * float64(rows[r, column])
            if shift[i] >= 0:
                thresholds[shift[i]] -= push[i] * bias * bias
        total += t * scale
        for j in range(thresholds.shape[0]):
            mean_thresholds[j] += t * thresholds[j]
    steps_sum = 0.5 * steps * (2.0 * first + steps - 1.0)  # Σ t
    for r in range(n):
        mean[r] = (coefficients[r] * total - late[r]) / steps_sum
        coefficients[r] *= scale
    mean_thresholds /= steps_sum

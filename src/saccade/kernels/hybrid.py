"""Steps on points, ordered and alike pairs, in the span of the labels: in the primal, in the dual.

    w = w0 + Σ_r a_r v_r        f_r = w·v_r = prior_r + Σ_s a_s K_rs        K_rs = v_r·v_s

    kind      v           loss                                       violated      direction
    POINT     x           max(0, 1 − (f − b_below))                  f − b < 1     + v, b down
                          max(0, 1 − (b_above − f))                  b − f < 1     − v, b up
    ORDERED   more−less   max(0, ρ − f)                              f < ρ         + v
    ALIKE     first−second  |f|                                      f ≠ 0         − sgn(f) v

A pass meets every label once, in a random order. In the primal (`descend`) a step takes the next
mini-batch, shrinks a and b by (1 − η) and adds η · weight · direction for its violators (Chen,
Zhang & Li 2015, algorithm 1, with the sign of the alike term put right).

In the dual (`ascend`) a step takes one row r of the program of `saccade.rankers.margin_program` and
moves its α_r to where the dual is highest, within its box; w and b are always those of α. It has no
step size, never goes down, and the gap between primal and dual says how near the optimum it is
(Shalev-Shwartz & Zhang 2013). Where many labels are nearly one another's opposite the moves of one
pass mostly undo each other: after `_PATIENCE` passes every `_EVERY`th begins with a leap, the best
combination of the last `_KEPT` spans of moves, taken as far as it raises the dual.

The bits are the same on every machine: no fast-math, and each sum has one order. Inner loops run
over independent entries, so they are vectorised as they stand.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, njit, types, uint64

POINT, ORDERED, ALIKE = range(3)
_PATIENCE, _EVERY, _KEPT = 50, 5, 5
_SHORTER, _TRIES = 0.3, 4  # of a leap that does not raise the dual
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
def _shuffle(order, state):  # type: ignore[no-untyped-def]
    """Fisher and Yates' random order of all labels; the next state of Marsaglia's xorshift64."""
    for i in range(order.shape[0] - 1):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        other = i + int64(state % np.uint64(order.shape[0] - i))
        order[i], order[other] = order[other], order[i]
    return state


@njit(cache=True, nogil=True)
def _violators(chosen, values, prior, kind, level, rho, thresholds, violators, push, shift):  # type: ignore[no-untyped-def]
    """Labels of `chosen` that are violated: which, in what direction, at what threshold (or −1)."""
    count = 0
    for r in chosen:
        f = prior[r] + values[r]
        if kind[r] == ORDERED:
            if f < rho:
                violators[count], push[count], shift[count] = r, 1.0, -1
                count += 1
        elif kind[r] == ALIKE:
            if f != 0.0:
                # |f| grows with f where f > 0: the step goes the other way.
                violators[count], push[count], shift[count] = r, -1.0 if f > 0.0 else 1.0, -1
                count += 1
        else:
            below, above = level[r] - 1, level[r]
            if below >= 0 and f - thresholds[below] < 1.0:
                violators[count], push[count], shift[count] = r, 1.0, below
                count += 1
            if above < thresholds.shape[0] and thresholds[above] - f < 1.0:
                violators[count], push[count], shift[count] = r, -1.0, above
                count += 1
    return count


@njit(cache=True, nogil=True)
def _step_sizes(violators, count, t, kind, weight, each, printed, push):  # type: ignore[no-untyped-def]
    """η of a step; `push` becomes what each violator adds to its coefficient.

    η = 1/t and a violator stands for `each` of its like, so that a step is, on average, one along
    the sub-gradient of `objective` (Pegasos). `printed` takes the letter of algorithm 1: η =
    1/(violators · t), and the weight of a kind is its constant times its share of the violators;
    `weight` then holds those constants. No violator: only the shrinking, with 1/t.
    """
    share = np.zeros(3)
    for i in range(count):
        share[kind[violators[i]]] += 1.0
    eta = 1.0 / (t * max(count, 1)) if printed else 1.0 / t
    for i in range(count):
        own = kind[violators[i]]
        push[i] *= eta * weight[own] * (share[own] / count if printed else each)
    return eta


def _descend_type(first: types.Type) -> types.Type:
    return types.void(
        first, _VECTOR, _WHOLE, _WHOLE, _VECTOR, float64, float64, int64, int64, int64, uint64,
        types.boolean, float64[::1], float64[::1], float64[::1], float64[::1],
    )  # fmt: skip


@njit(_descend_type(_MATRIX), cache=True, nogil=True)
def descend(  # type: ignore[no-untyped-def]
    gram, prior, kind, level, weight, rho, bias, first, passes, batch, seed, printed,
    coefficients, thresholds, mean, mean_thresholds,
):  # fmt: skip
    """Passes from step `first` on, in place; `mean` gets the last pass's iterates, weighted by t.

    With the products of the labels at hand: a step costs (violators + 2) · n.
    """
    n = kind.shape[0]
    batch = min(batch, n)
    order = np.arange(n)
    violators, shift = np.empty(2 * batch, np.int64), np.empty(2 * batch, np.int64)
    push, state = np.empty(2 * batch), seed
    values = _values(gram, coefficients, n)
    mean[:] = 0.0
    mean_thresholds[:] = 0.0
    t, total = first, 0.0
    for turn in range(passes):
        state = _shuffle(order, state)
        for begin in range(0, n, batch):
            chosen = order[begin : begin + batch]
            count = _violators(
                chosen, values, prior, kind, level, rho, thresholds, violators, push, shift
            )
            each = float64(n) / chosen.shape[0]
            eta = _step_sizes(violators, count, t, kind, weight, each, printed, push)
            coefficients *= 1.0 - eta
            values *= 1.0 - eta
            thresholds *= 1.0 - eta
            for i in range(count):
                r, step = violators[i], push[i]
                coefficients[r] += step
                for j in range(n):
                    values[j] += step * gram[r, j]
                if shift[i] >= 0:
                    thresholds[shift[i]] -= step * bias * bias
            if turn == passes - 1:
                for j in range(n):
                    mean[j] += t * coefficients[j]
                for j in range(thresholds.shape[0]):
                    mean_thresholds[j] += t * thresholds[j]
                total += t
            t += 1
    mean /= total
    mean_thresholds /= total


@njit(_descend_type(_ROWS), cache=True, nogil=True)
def descend_rows(  # type: ignore[no-untyped-def]
    rows, prior, kind, level, weight, rho, bias, first, passes, batch, seed, printed,
    coefficients, thresholds, mean, mean_thresholds,
):  # fmt: skip
    """The same steps from the labels' vectors: a step costs (batch + violators) · columns.

    For many labels, whose products would cost more than the steps. a = scale · c, so that shrinking
    is one product; a change δ of c_r at step t of the last pass counts in the mean from there on,
    with Σ_{u ≥ t} u · scale_u, of which `late` keeps the part that it missed.
    """
    n = kind.shape[0]
    batch = min(batch, n)
    order = np.arange(n)
    violators, shift = np.empty(2 * batch, np.int64), np.empty(2 * batch, np.int64)
    push, state = np.empty(2 * batch), seed
    values, late = np.empty(n), np.zeros(n)
    weights = np.zeros(rows.shape[1])
    combine(rows, coefficients, weights)
    mean_thresholds[:] = 0.0
    scale, sum_scaled, total, t = 1.0, 0.0, 0.0, first
    for turn in range(passes):
        state = _shuffle(order, state)
        if turn == passes - 1:
            late[:] = 0.0
            sum_scaled = 0.0
        for begin in range(0, n, batch):
            chosen = order[begin : begin + batch]
            for r in chosen:
                values[r] = scale * _dot(rows[r], weights)
            count = _violators(
                chosen, values, prior, kind, level, rho, thresholds, violators, push, shift
            )
            each = float64(n) / chosen.shape[0]
            eta = _step_sizes(violators, count, t, kind, weight, each, printed, push)
            if eta < 1.0:
                scale *= 1.0 - eta
            else:  # the first step of all forgets whatever was before
                coefficients[:] = 0.0
                weights[:] = 0.0
                late[:] = 0.0
            thresholds *= 1.0 - eta
            for i in range(count):
                r, change = violators[i], push[i] / scale
                coefficients[r] += change
                late[r] += change * sum_scaled
                for column in range(weights.shape[0]):
                    weights[column] += change * float64(rows[r, column])
                if shift[i] >= 0:
                    thresholds[shift[i]] -= push[i] * bias * bias
            if turn == passes - 1:
                sum_scaled += t * scale
                for j in range(thresholds.shape[0]):
                    mean_thresholds[j] += t * thresholds[j]
                total += t
            t += 1
    for r in range(n):
        mean[r] = (coefficients[r] * sum_scaled - late[r]) / total
        coefficients[r] *= scale
    mean_thresholds /= total


@njit(cache=True, nogil=True)
def _moved(gain, curve, alpha, low, high):  # type: ignore[no-untyped-def]
    """Where the dual is highest along one α, within its box."""
    if curve <= 0.0:  # a label about nothing: only the dual's value knows of it
        return high if gain > 0.0 else low if gain < 0.0 else alpha
    return min(max(alpha + gain / curve, low), high)


@njit(cache=True, nogil=True)
def _placed(alpha, program, bias, coefficients, thresholds):  # type: ignore[no-untyped-def]
    """The coefficients of the labels and the thresholds that α gives."""
    label, sign, edge, _ = program
    coefficients[:] = 0.0
    thresholds[:] = 0.0
    for r in range(label.shape[0]):
        coefficients[label[r]] += sign[r] * alpha[r]
        if edge[r] >= 0:
            thresholds[edge[r]] -= bias * bias * sign[r] * alpha[r]


@njit(cache=True, nogil=True)
def _solved(matrix, right, n):  # type: ignore[no-untyped-def]
    """Solve matrix x = right, of the first n rows and columns, in place, by elimination."""
    for i in range(n):
        best = i
        for j in range(i + 1, n):
            if abs(matrix[j, i]) > abs(matrix[best, i]):
                best = j
        for k in range(n):
            matrix[i, k], matrix[best, k] = matrix[best, k], matrix[i, k]
        right[i], right[best] = right[best], right[i]
        for j in range(i + 1, n):
            factor = matrix[j, i] / matrix[i, i]
            for k in range(i, n):
                matrix[j, k] -= factor * matrix[i, k]
            right[j] -= factor * right[i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    return right


@njit(cache=True, nogil=True)
def _leap(moves, falls, kept, gains, out):  # type: ignore[no-untyped-def]
    """Where the dual is highest in the span of some moves, which lowered the gains by `falls`."""
    count = gains.shape[0]
    matrix, right = np.zeros((_KEPT, _KEPT)), np.zeros(_KEPT)
    for i in range(kept):
        for j in range(kept):
            for r in range(count):
                matrix[i, j] += moves[i, r] * falls[j, r]
        for r in range(count):
            right[i] += moves[i, r] * gains[r]
    trace = 0.0
    for i in range(kept):
        trace += matrix[i, i]
    out[:] = 0.0
    if not trace > 0.0:
        return
    for i in range(kept):  # moves that are nearly the same have no one best combination
        matrix[i, i] += 1e-10 * trace
    shares = _solved(matrix, right, kept)
    for i in range(kept):
        for r in range(count):
            out[r] += shares[i] * moves[i, r]


@njit(cache=True, nogil=True)
def _primal_and_dual(  # type: ignore[no-untyped-def]
    values, square, prior, program, weight, alike, bias, alpha, thresholds, gains
):
    """F of the w and b that α gives, and the dual's value; `square` is |w − w0|².

    `gains` becomes the slope of the dual along each α.
    """
    label, sign, edge, margin = program
    inside = 0.5 * square
    if bias > 0.0:
        for j in range(thresholds.shape[0]):
            inside += 0.5 * (thresholds[j] / bias) ** 2
    primal, dual = inside, -inside
    for r in range(label.shape[0]):
        f = prior[label[r]] + values[label[r]]
        rest = margin[r] - sign[r] * (f - (thresholds[edge[r]] if edge[r] >= 0 else 0.0))
        gains[r] = rest
        primal += weight[r] * (abs(rest) if alike[r] else max(0.0, rest))
        dual += alpha[r] * (margin[r] - sign[r] * prior[label[r]])
    return primal, dual


@njit(cache=True, nogil=True)
def _kept(moves, falls, kept, alpha, before, gains, past):  # type: ignore[no-untyped-def]
    """Keep how far α went since, and how far the gains fell; the oldest makes room."""
    if kept == _KEPT:
        for i in range(_KEPT - 1):
            moves[i], falls[i] = moves[i + 1], falls[i + 1]
        kept -= 1
    moves[kept] = alpha - before
    falls[kept] = past - gains
    return kept + 1


@njit(cache=True, nogil=True)
def _taken(here, leap, length, weight, alike, alpha):  # type: ignore[no-untyped-def]
    """A leap of so much of its length, within the boxes."""
    for r in range(here.shape[0]):
        low = -weight[r] if alike[r] else 0.0
        alpha[r] = min(max(here[r] + length * leap[r], low), weight[r])


def _ascend_type(first: types.Type) -> types.Type:
    booleans = types.Array(types.boolean, 1, "C", readonly=True)
    program = types.Tuple((_WHOLE, _VECTOR, _WHOLE, _VECTOR))
    return int64(
        first, _VECTOR, program, _VECTOR, booleans, float64, int64, float64, uint64,
        float64[::1], float64[::1], float64[::1], float64[:, ::1],
    )  # fmt: skip


@njit(_ascend_type(_MATRIX), cache=True, nogil=True)
def ascend(  # type: ignore[no-untyped-def]
    gram, prior, program, weight, alike, bias, passes, tolerance, seed,
    alpha, coefficients, thresholds, history,
):  # fmt: skip
    """Passes over the rows of the program until the gap is below `tolerance` of the dual.

    From `alpha`, in place; `coefficients` and `thresholds` become those that α gives, `history` F
    and the dual after each pass, [passes, 2]. Gives the number of passes. A move costs n.
    """
    label, sign, edge, margin = program
    n, count = coefficients.shape[0], label.shape[0]
    _placed(alpha, program, bias, coefficients, thresholds)
    values = _values(gram, coefficients, n)
    order, state = np.arange(count), seed
    moves, falls, kept = np.zeros((_KEPT, count)), np.zeros((_KEPT, count)), 0
    before, gains, past = np.zeros(count), np.zeros(count), np.zeros(count)
    leap, here, slope = np.zeros(count), np.zeros(count), np.zeros(count)
    dual = -np.inf
    for turn in range(passes):
        if turn >= _PATIENCE and turn % _EVERY == 0:
            if turn > _PATIENCE:
                kept = _kept(moves, falls, kept, alpha, before, gains, past)
                _leap(moves, falls, kept, gains, leap)
                here[:] = alpha
                for attempt in range(_TRIES):
                    _taken(here, leap, _SHORTER**attempt, weight, alike, alpha)
                    _placed(alpha, program, bias, coefficients, thresholds)
                    values = _values(gram, coefficients, n)
                    square = 0.0
                    for j in range(n):
                        square += coefficients[j] * values[j]
                    _, higher = _primal_and_dual(
                        values, square, prior, program, weight, alike, bias, alpha, thresholds,
                        slope,
                    )  # fmt: skip
                    if higher > dual:
                        gains[:] = slope
                        break
                    alpha[:] = here
                _placed(alpha, program, bias, coefficients, thresholds)
                values = _values(gram, coefficients, n)
            before[:], past[:] = alpha, gains
        state = _shuffle(order, state)
        for r in order:
            own = label[r]
            f, curve = prior[own] + values[own], gram[own, own]
            if edge[r] >= 0:
                f -= thresholds[edge[r]]
                curve += bias * bias
            low = -weight[r] if alike[r] else 0.0
            moved = _moved(margin[r] - sign[r] * f, curve, alpha[r], low, weight[r])
            step = sign[r] * (moved - alpha[r])
            alpha[r] = moved
            if step != 0.0:
                coefficients[own] += step
                for j in range(n):
                    values[j] += step * gram[own, j]
                if edge[r] >= 0:
                    thresholds[edge[r]] -= bias * bias * step
        square = 0.0
        for j in range(n):
            square += coefficients[j] * values[j]
        primal, dual = _primal_and_dual(
            values, square, prior, program, weight, alike, bias, alpha, thresholds, gains
        )
        history[turn, 0], history[turn, 1] = primal, dual
        if primal - dual <= max(tolerance * dual, 1e-12 * primal):
            return turn + 1
    return passes


@njit(_ascend_type(_ROWS), cache=True, nogil=True)
def ascend_rows(  # type: ignore[no-untyped-def]
    rows, prior, program, weight, alike, bias, passes, tolerance, seed,
    alpha, coefficients, thresholds, history,
):  # fmt: skip
    """The same from the labels' vectors: a move costs two times the columns."""
    label, sign, edge, margin = program
    n, count, width = coefficients.shape[0], label.shape[0], rows.shape[1]
    _placed(alpha, program, bias, coefficients, thresholds)
    weights, lengths, values = np.zeros(width), np.empty(n), np.empty(n)
    combine(rows, coefficients, weights)
    for j in range(n):
        lengths[j] = 0.0
        for column in range(width):
            lengths[j] += float64(rows[j, column]) * float64(rows[j, column])
    order, state = np.arange(count), seed
    moves, falls, kept = np.zeros((_KEPT, count)), np.zeros((_KEPT, count)), 0
    before, gains, past = np.zeros(count), np.zeros(count), np.zeros(count)
    leap, here, slope = np.zeros(count), np.zeros(count), np.zeros(count)
    dual = -np.inf
    for turn in range(passes):
        if turn >= _PATIENCE and turn % _EVERY == 0:
            if turn > _PATIENCE:
                kept = _kept(moves, falls, kept, alpha, before, gains, past)
                _leap(moves, falls, kept, gains, leap)
                here[:] = alpha
                for attempt in range(_TRIES):
                    _taken(here, leap, _SHORTER**attempt, weight, alike, alpha)
                    _placed(alpha, program, bias, coefficients, thresholds)
                    weights[:] = 0.0
                    combine(rows, coefficients, weights)
                    square = 0.0
                    for column in range(width):
                        square += weights[column] * weights[column]
                    for j in range(n):
                        values[j] = _dot(rows[j], weights)
                    _, higher = _primal_and_dual(
                        values, square, prior, program, weight, alike, bias, alpha, thresholds,
                        slope,
                    )  # fmt: skip
                    if higher > dual:
                        gains[:] = slope
                        break
                    alpha[:] = here
                _placed(alpha, program, bias, coefficients, thresholds)
                weights[:] = 0.0
                combine(rows, coefficients, weights)
            before[:], past[:] = alpha, gains
        state = _shuffle(order, state)
        for r in order:
            own = label[r]
            f, curve = prior[own] + _dot(rows[own], weights), lengths[own]
            if edge[r] >= 0:
                f -= thresholds[edge[r]]
                curve += bias * bias
            low = -weight[r] if alike[r] else 0.0
            moved = _moved(margin[r] - sign[r] * f, curve, alpha[r], low, weight[r])
            step = sign[r] * (moved - alpha[r])
            alpha[r] = moved
            if step != 0.0:
                coefficients[own] += step
                for column in range(width):
                    weights[column] += step * float64(rows[own, column])
                if edge[r] >= 0:
                    thresholds[edge[r]] -= bias * bias * step
        square = 0.0
        for column in range(width):
            square += weights[column] * weights[column]
        for j in range(n):
            values[j] = _dot(rows[j], weights)
        primal, dual = _primal_and_dual(
            values, square, prior, program, weight, alike, bias, alpha, thresholds, gains
        )
        history[turn, 0], history[turn, 1] = primal, dual
        if primal - dual <= max(tolerance * dual, 1e-12 * primal):
            return turn + 1
    return passes

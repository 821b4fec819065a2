"""One pass of a linear online learner over preference pairs, and linear scores.

    z = winner - loser     margin = w . z     loss = max(0, 1 - margin)     w <- w + step * z

    rule        updates when    step
    PERCEPTRON  margin <= 0     1
    PASSIVE_1   loss > 0        min(rate, loss / |z|^2)
    PASSIVE_2   loss > 0        loss / (|z|^2 + 1 / (2 rate))
    GRADIENT    loss > 0        rate

(Wan et al. 2015, section 3.) The bits are the same on every machine: no fast-math, and sums run in
a fixed order. Column j of a full block of eight goes to lane j mod 8; what is left over goes to the
first lanes in pieces of 4, 2 and 1; the eight lanes are folded in halves. LLVM's vector type says
just that, so the order is a promise and not an optimiser's mood, and it is SIMD code everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import boolean, float32, float64, int64, njit, types, void
from numba.core import cgutils
from numba.extending import intrinsic

PERCEPTRON, PASSIVE_1, PASSIVE_2, GRADIENT = range(4)

# Fields of a learner's statistics, one float64 each (counts are exact up to 2^53).
SEEN, MISTAKES, UPDATES, LOSS, LARGEST, SMALLEST_STEP, SMALLEST_LOSS = range(7)
FIELDS = 7

_LANES = 8
_LIMIT = np.float32(np.finfo(np.float32).max)
_ONE = np.float32(1.0)

_INDEX = ir.IntType(64)
_INT = ir.IntType(32)
_FLOAT = ir.FloatType()


def _load(builder: Any, pointer: Any, offset: Any, width: int) -> Any:
    """`width` floats from `pointer + offset`, aligned as a float is."""
    kind = ir.VectorType(_FLOAT, width)
    address = builder.bitcast(builder.gep(pointer, [offset]), kind.as_pointer())
    value = builder.load(address)
    value.align = 4
    return value


def _lanes_sum(builder: Any, columns: Any, term: Any) -> Any:
    """Sum `term(offset, width)` over all columns in the fixed order of this module."""
    wide = ir.VectorType(_FLOAT, _LANES)
    lanes = cgutils.alloca_once_value(builder, ir.Constant(wide, [0.0] * _LANES))
    whole = builder.and_(columns, _INDEX(-_LANES))

    with cgutils.for_range_slice(builder, _INDEX(0), whole, _INDEX(_LANES), inc=True) as (at, _):
        builder.store(builder.fadd(builder.load(lanes), term(at, _LANES)), lanes)

    at = whole
    for width in (4, 2, 1):
        piece = builder.and_(columns, _INDEX(width))
        with builder.if_then(builder.icmp_unsigned("!=", piece, _INDEX(0))):
            few = term(at, width)
            nothing = ir.Constant(few.type, [0.0] * width)
            spread = [min(lane, width) for lane in range(_LANES)]  # index `width` is a zero
            order = ir.Constant(ir.VectorType(_INT, _LANES), spread)
            padded = builder.shuffle_vector(few, nothing, order)
            builder.store(builder.fadd(builder.load(lanes), padded), lanes)
        at = builder.add(at, piece)

    folded, width = builder.load(lanes), _LANES
    while width > 1:
        half = width // 2
        halves = (range(half), range(half, width))
        low, high = (
            builder.shuffle_vector(
                folded, folded, ir.Constant(ir.VectorType(_INT, half), list(part))
            )
            for part in halves
        )
        folded, width = builder.fadd(low, high), half
    return builder.extract_element(folded, _INT(0))


def _row(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> tuple[Any, Any]:
    """Address of a row's first float, and the number of columns."""
    made = context.make_array(kind)(context, builder, array)
    columns = cgutils.unpack_tuple(builder, made.shape)[1]
    return builder.gep(made.data, [builder.mul(index, columns)]), columns


def _difference(context: Any, builder: Any, kinds: Any, values: Any, index: Any) -> tuple[Any, Any]:
    """Loader of `winners[index] - losers[index]` (or of `winners[index]` alone), and the width."""
    first, columns = _row(context, builder, kinds[0], values[0], index)
    if isinstance(kinds[1], types.NoneType):
        return lambda at, width: _load(builder, first, at, width), columns
    second, _ = _row(context, builder, kinds[1], values[1], index)

    def load(at: Any, width: int) -> Any:
        return builder.fsub(_load(builder, first, at, width), _load(builder, second, at, width))

    return load, columns


@intrinsic
def _dot(typing: Any, weights: Any, winners: Any, losers: Any, index: Any) -> Any:
    """Weights times the difference of two rows, summed; `losers` may be None."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        data = context.make_array(kinds[0])(context, builder, values[0]).data
        load, columns = _difference(context, builder, kinds[1:3], values[1:3], values[3])

        def term(at: Any, width: int) -> Any:
            return builder.fmul(_load(builder, data, at, width), load(at, width))

        return _lanes_sum(builder, columns, term)

    return float32(weights, winners, losers, types.intp), generate


@intrinsic
def _square(typing: Any, winners: Any, losers: Any, index: Any) -> Any:
    """Squared length of the difference of two rows; `losers` may be None."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        load, columns = _difference(context, builder, signature.args[:2], values[:2], values[2])

        def term(at: Any, width: int) -> Any:
            value = load(at, width)
            return builder.fmul(value, value)

        return _lanes_sum(builder, columns, term)

    return float32(winners, losers, types.intp), generate


# Read-only arrays are declared, and mutable ones convert to them: one compiled form serves both.
_MATRIX = types.Array(types.float32, 2, "C", readonly=True)
_VECTOR = types.Array(types.float32, 1, "C", readonly=True)


def _learn_type(losers: Any) -> Any:
    return int64(float32[::1], float64[::1], float64[::1], _MATRIX, losers, int64, float64, boolean)


@njit([_learn_type(_MATRIX), _learn_type(types.none)], cache=True, nogil=True)
def learn(weights, drift, statistics, winners, losers, rule, rate, average):  # type: ignore[no-untyped-def]
    """Learn every pair in order, in place; give the first row that is not finite, or -1.

    `losers` may be None: then `winners` holds the differences. After a refused row the arrays are
    worth nothing: call this on copies. A zero difference touches no field. With `average`, `drift`
    collects (pairs seen before) * (each change), so that the mean of the weights after each pair is
    weights - drift / seen.
    """
    seen, mistakes, updates = statistics[SEEN], statistics[MISTAKES], statistics[UPDATES]
    total, largest = statistics[LOSS], statistics[LARGEST]
    smallest_step, smallest_loss = statistics[SMALLEST_STEP], statistics[SMALLEST_LOSS]
    rows, columns = winners.shape
    zeros = 0
    for i in range(rows):
        margin = _dot(weights, winners, losers, i)
        if margin >= _ONE and margin <= _LIMIT:
            continue
        # A NaN or infinity in any column makes the margin NaN or infinite, whatever the weights.
        if not abs(margin) <= _LIMIT:
            return i
        square = float64(_square(winners, losers, i))
        if square == 0.0:
            zeros += 1
            continue
        loss = 1.0 - float64(margin)
        total += loss
        if margin <= 0.0:
            mistakes += 1.0
        elif rule == PERCEPTRON:
            continue
        if rule == PASSIVE_1:
            step = min(rate, loss / square)
        elif rule == PASSIVE_2:
            step = loss / (square + 0.5 / rate)
        elif rule == GRADIENT:
            step = rate
        else:
            step = 1.0
        short = np.float32(step)
        updates += 1.0
        largest = max(largest, square)
        smallest_step = min(smallest_step, step)
        smallest_loss = min(smallest_loss, loss)
        if average:
            before = seen + float64(i - zeros)
            for j in range(columns):
                if losers is None:
                    drift[j] += before * float64(short * winners[i, j])
                else:
                    drift[j] += before * float64(short * (winners[i, j] - losers[i, j]))
        for j in range(columns):
            if losers is None:
                weights[j] += short * winners[i, j]
            else:
                weights[j] += short * (winners[i, j] - losers[i, j])
    for j in range(columns):
        if not abs(weights[j]) <= _LIMIT:
            return rows - 1
    statistics[SEEN] = seen + float64(rows - zeros)
    statistics[MISTAKES], statistics[UPDATES] = mistakes, updates
    statistics[LOSS], statistics[LARGEST] = total, largest
    statistics[SMALLEST_STEP], statistics[SMALLEST_LOSS] = smallest_step, smallest_loss
    return -1


@njit(void(_VECTOR, _MATRIX, float32[::1]), cache=True, nogil=True)
def scores(weights, phi, out):  # type: ignore[no-untyped-def]
    """out[i] = weights . phi[i], each row by itself: one row or many give the same bits."""
    for i in range(phi.shape[0]):
        out[i] = _dot(weights, phi, None, i)

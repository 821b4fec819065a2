"""Exponentials, logarithms and sums that give the same bits on every machine.

    exp(x) = 2^k · e^r     k = round(x / ln 2)     r = x − k ln 2, |r| ≤ 0.35

A platform's mathematical library may round its last bit as it likes, and a replay on another
machine would then differ. Here e^r is a Taylor polynomial by single multiplications and additions,
each of which IEEE 754 rounds in one way only; sums are `math.fsum`, which is exact until it rounds
once and so knows no order; logarithms are correctly rounded decimals.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_PER_LN2 = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01  # 33 bits, so that k times it is exact
_LN2_LOW = 1.90821492927058770002e-10
_TERMS = tuple(1.0 / math.factorial(power) for power in range(13, -1, -1))
_PRECISE = Context(prec=40)


def exp(x: ArrayLike) -> Floats:
    """e^x for x ≤ 0, to within two units in the last place; 0 below −700.

    >>> exp([0.0, -1.0, -1e9])
    array([1.        , 0.36787944, 0.        ])
    """
    exponents = np.asarray(x, np.float64)
    clipped = np.maximum(exponents, -700.0)
    whole = np.rint(clipped * _PER_LN2)
    rest = (clipped - whole * _LN2_HIGH) - whole * _LN2_LOW
    value = np.full(clipped.shape, _TERMS[0])
    for term in _TERMS[1:]:
        value = value * rest + term
    scaled = np.ldexp(value, whole.astype(np.int32))
    return np.where(exponents < -700.0, 0.0, scaled)


@lru_cache(maxsize=256)
def log(x: float) -> float:
    """The natural logarithm of x > 0, correctly rounded.

    >>> log(20)
    2.995732273553991
    """
    return float(Decimal(x).ln(_PRECISE))


def total(values: ArrayLike) -> float:
    """The sum, rounded once.

    >>> total([1e16, 1.0, -1e16])
    1.0
    """
    return math.fsum(np.asarray(values, np.float64).tolist())


def softmax(logits: ArrayLike, present: NDArray[np.bool_] | None = None) -> Floats:
    """Weights in proportion to e^logits, sum 1; those not `present` get 0.

    >>> softmax([1e6, 1e6, 1e6 - 1e5])
    array([0.5, 0.5, 0. ])
    """
    values = np.asarray(logits, np.float64)
    if present is None:
        shares = exp(values - values.max())
    else:
        shares = np.where(present, exp(np.minimum(values - values[present].max(), 0.0)), 0.0)
    return np.asarray(shares / total(shares))

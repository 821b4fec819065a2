"""What every chooser asks of what it is given, checked once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.choosers.steady import Floats, total
from saccade.errors import InvalidInput

Present = NDArray[np.bool_]

RATES = ("decreasing", "doubling")


def count(experts: object) -> int:
    """The number of experts, at least one."""
    if isinstance(experts, bool) or not isinstance(experts, int | np.integer) or experts < 1:
        raise InvalidInput(f"experts is {experts!r}: expected a whole number, one or more")
    return int(experts)


def rate(value: object, *, most: float) -> float | str:
    """A fixed rate above 0 and below `most`, or the name of a schedule; None is decreasing."""
    if value is None:
        return "decreasing"
    if isinstance(value, str) and value in RATES:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InvalidInput(f"rate is {value!r}: expected a number, {' or '.join(map(repr, RATES))}")
    if not 0.0 < float(value) < most:
        raise InvalidInput(f"rate is {value!r}: expected more than 0 and less than {most:g}")
    return float(value)


def present(flags: ArrayLike | None, experts: int) -> Present | None:
    """Which experts have an answer; None where all have."""
    if flags is None:
        return None
    mask = np.asarray(flags)
    if mask.shape != (experts,) or mask.dtype != np.bool_:
        raise InvalidInput(
            f"present has shape {mask.shape} and type {mask.dtype}: "
            f"expected [{experts}] booleans, one an expert"
        )
    return None if mask.all() else mask.copy()


def losses(numbers: ArrayLike, experts: int, among: Present | None) -> Floats:
    """One loss an expert; those of absent experts are not looked at."""
    try:
        values = np.array(numbers, np.float64)
    except (TypeError, ValueError) as problem:
        raise InvalidInput(f"losses must be numbers: {problem}") from problem
    if values.shape != (experts,):
        raise InvalidInput(f"losses has shape {values.shape}: expected [{experts}], one an expert")
    if among is not None:
        values[~among] = 0.0
    bad = np.flatnonzero(~((values >= 0.0) & (values <= 1.0)))
    if len(bad):
        raise InvalidInput(
            f"loss of expert {bad[0]} is {values[bad[0]]}: expected 0 (best) to 1 (worst)",
            hint="an expert that has no answer is left out by present",
        )
    return values


def reaction(arm: int, loss: float, probability: float, experts: int) -> tuple[int, float, float]:
    """The arm that was served, its loss, and the chance with which it was."""
    if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < experts:
        raise InvalidInput(f"arm is {arm!r}: expected 0 to {experts - 1}")
    try:
        value, chance = float(loss), float(probability)
    except (TypeError, ValueError) as problem:
        raise InvalidInput(f"loss and probability must be numbers: {problem}") from problem
    if not 0.0 <= value <= 1.0:
        raise InvalidInput(f"loss is {loss!r}: expected 0 (best) to 1 (worst)")
    if not 0.0 < chance <= 1.0:
        raise InvalidInput(
            f"probability is {probability!r}: expected more than 0 and at most 1",
            hint="it is what choose() gave with the page that this loss is of",
        )
    return int(arm), value, chance


def prior(weights: ArrayLike | None, experts: int) -> Floats | None:
    """First weights, sum 1; None where all are alike."""
    if weights is None:
        return None
    try:
        shares = np.array(weights, np.float64)
    except (TypeError, ValueError) as problem:
        raise InvalidInput(f"prior must be numbers: {problem}") from problem
    if shares.shape != (experts,) or not (np.isfinite(shares) & (shares > 0.0)).all():
        raise InvalidInput(f"prior must be {experts} numbers above 0, one an expert")
    whole = total(shares)
    # Shares are left as they are: divided once more, those of a loaded state would lose their bits.
    return shares if math.isclose(whole, 1.0, rel_tol=1e-12) else shares / whole


def stretch(rounds: int) -> int:
    """Length of the stretch that a doubling rate is in after `rounds`: 1, 2 2, 4 4 4 4, 8 …

    >>> [stretch(rounds) for rounds in range(8)]
    [1, 2, 2, 4, 4, 4, 4, 8]
    """
    return 1 << ((rounds + 1).bit_length() - 1)

"""The programs of multiple-instance ranking on a given kernel matrix (Hu, Li & Yu 2008, section 4).

    minimise  J(f) = 1/2 |f|² + γ Σ_pairs max(0, 1 − g(winner) + g(loser))

f is a function of regions, g(bag) its mean, its maximum, or log(mean exp(η f)) / η.

* average (7): one program.
* max (16): the winner's maximum is replaced by the region that has it now (equal ones sharing), the
  loser's maximum stays, as one constraint for each of its regions. Every round lowers J (CCCP).
* softmax (19): both are replaced by their tangents at the present f, which are weighted means. The
  print drops the constants of the tangents; then the program does not touch J where it starts, and
  J rises as often as it falls. Here the constants stay, so a round points downhill; where a whole
  step goes too far it is halved until J falls.

max and softmax start from the average's f and stop when J falls by less than `tolerance` of itself.
The print's g of softmax is η times ours: without the division one region alone would not have its
own score, and a margin of 1 would mean 1/η.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.kernels import bags as kernel
from saccade.kernels.ragged import offsets_of
from saccade.types import Rows

Floats = NDArray[np.float64]

EPOCHS = 5000
_SMALLEST_STEP = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class BagProgram:
    """Kernel values of all regions [N, N], the bags they belong to, the preferences and γ."""

    gram: Floats
    starts: NDArray[np.int64]
    winners: Rows
    losers: Rows
    cap: float
    tolerance: float = 1e-4
    rounds: int = 30


@dataclass(frozen=True, slots=True, eq=False)
class BagSolution:
    """f = Σ coefficient · K(region, ·), J after each round, and the last program's relative gap."""

    coefficients: Floats
    objectives: tuple[float, ...]
    gap: float


def average(program: BagProgram) -> BagSolution:
    """Solve for g the mean of f."""
    shares = np.repeat(1.0 / np.diff(program.starts), np.diff(program.starts))
    ones = np.ones(len(program.winners))
    coefficients, gap = _mixed(program, shares, ones, np.zeros(len(ones)))
    return BagSolution(
        coefficients, (_objective(program, coefficients, kernel.AVERAGE, 1.0)[0],), gap
    )


def softmax(program: BagProgram, sharpness: float) -> BagSolution:
    """Solve for g between the mean and the maximum of f, nearer to the latter as η grows."""
    first = average(program)
    present, gap = first.coefficients, first.gap
    value, scores, pooled, shares = _objective(program, present, kernel.SOFTMAX, sharpness)
    values, duals = [value], np.zeros(len(program.winners))
    for _ in range(program.rounds):
        tangent = pooled - np.add.reduceat(shares * scores, program.starts[:-1])
        targets = 1.0 - tangent[program.winners] + tangent[program.losers]
        coefficients, gap = _mixed(program, shares, targets, duals)
        step = 1.0
        while step > _SMALLEST_STEP:
            moved = present + step * (coefficients - present)
            value, scores, pooled, shares = _objective(program, moved, kernel.SOFTMAX, sharpness)
            if value < values[-1]:
                break
            step *= 0.5
        else:
            break
        present = moved
        values.append(value)
        if values[-2] - value <= program.tolerance * value:
            break
    return BagSolution(present, tuple(values), gap)


def maximum(program: BagProgram) -> BagSolution:
    """Solve for g the highest f of the bag."""
    first = average(program)
    present, gap = first.coefficients, first.gap
    value, _, _, shares = _objective(program, present, kernel.MAX, 1.0)
    values = [value]
    offsets = offsets_of(np.diff(program.starts)[program.losers])
    duals = np.zeros(offsets[-1])
    for _ in range(program.rounds):
        coefficients, scores = np.zeros(len(program.gram)), np.zeros(len(program.gram))
        _, primal, apart = kernel.ascend_max(
            program.gram, program.starts, shares, program.winners, program.losers, offsets,
            program.cap, duals, coefficients, scores, program.tolerance, EPOCHS, 0,
        )  # fmt: skip
        value, _, _, shares = _objective(program, coefficients, kernel.MAX, 1.0)
        gap = _relative(apart, primal)
        if value >= values[-1]:  # as low as the tolerance of the programs goes
            break
        present = coefficients
        values.append(value)
        if values[-2] - value <= program.tolerance * value:
            break
    return BagSolution(present, tuple(values), gap)


def _mixed(
    program: BagProgram, shares: Floats, targets: Floats, duals: Floats
) -> tuple[Floats, float]:
    """Coefficients of the regions when each bag is a fixed mixture of its own; and the gap."""
    starts = program.starts
    halfway = np.add.reduceat(shares[:, None] * program.gram, starts[:-1], axis=0)
    gram = np.ascontiguousarray(np.add.reduceat(halfway * shares, starts[:-1], axis=1))
    of_bags, scores = np.zeros(len(gram)), np.zeros(len(gram))
    _, primal, gap = kernel.ascend_pairs(
        gram, program.winners, program.losers, targets, program.cap, duals, of_bags, scores,
        program.tolerance, EPOCHS, 0,
    )  # fmt: skip
    return np.repeat(of_bags, np.diff(starts)) * shares, _relative(gap, primal)


def _relative(gap: float, primal: float) -> float:
    # Rounding can take a gap of nothing below nothing.
    return max(0.0, gap) / primal if primal > 0 else 0.0


def _objective(
    program: BagProgram, coefficients: Floats, kind: int, sharpness: float
) -> tuple[float, Floats, Floats, Floats]:
    """J, the scores of the regions, those of the bags, and each region's share in its bag."""
    scores = np.einsum("ij,j->i", program.gram, coefficients)
    pooled, shares = np.empty(len(program.starts) - 1), np.empty(len(scores))
    kernel.pool(kind, sharpness, scores, program.starts, pooled, shares)
    losses = np.maximum(0.0, 1.0 - pooled[program.winners] + pooled[program.losers])
    value = 0.5 * float(coefficients @ scores) + program.cap * float(losses.sum())
    return value, scores, pooled, shares

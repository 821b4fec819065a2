"""The linear ranking SVM in the primal, by truncated Newton steps.

    f(w) = ½|w|² + c Σ_{pairs} max(0, 1 − w·(x_i − x_j))²

Squared hinge loss, so f has a gradient everywhere and a generalised Hessian I + 2c XᵀLX, where L is
the Laplacian of the graph of active pairs (Chapelle & Keerthi 2010; Lee & Lin 2014). With e_i the
number of active pairs that i should win minus those it should lose, and s = Xw:

    Σ loss = P − 2 s·e + s·Ls        gradient = w + 2c Xᵀ(Ls − e)        (P active pairs)

Every product with L is a sorted sweep (`saccade.kernels.ranksvm`): no pair is ever formed. The
Newton equation is solved by conjugate gradients to a tenth of the gradient's length, and the step
is halved until f falls enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.kernels import ranksvm as kernel
from saccade.rankers.checked import Queries

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """f at one w, with all that a Newton step from there needs."""

    weights: Floats
    value: float
    gradient: Floats
    scores: Floats
    order: NDArray[np.int64]
    degree: Floats  # active pairs a row is in


class PairObjective:
    """f for fixed rows: values, gradients and products with its Hessian.

    `phi` [n, m] are the rows of `queries` as the learner is to see them, `weight` is c.
    """

    def __init__(self, phi: Floats, queries: Queries, weight: float) -> None:
        self.phi = phi
        self.starts = queries.starts
        self.weight = weight
        self.ranks = np.empty(len(self.phi), np.int64)
        self.levels = np.empty(len(queries), np.int64)
        self.query = np.repeat(np.arange(len(queries)), np.diff(queries.starts))
        for query, rows in enumerate(queries):
            distinct, ranks = np.unique(queries.grades[rows], return_inverse=True)
            self.ranks[rows], self.levels[query] = ranks, len(distinct)

    def _sums(self, scores: Floats, order: NDArray[np.int64], values: Floats) -> tuple[Floats, ...]:
        """For each row, `values` summed over its active losers, and over its active winners."""
        below, above = np.empty_like(scores), np.empty_like(scores)
        graph = (scores, order, self.ranks, self.levels, self.starts, values)
        kernel.sum_losers(*graph, below)
        kernel.sum_winners(*graph, above)
        return below, above

    def at(self, weights: Floats) -> Point:
        """Value and gradient at `weights`."""
        scores = self.phi @ weights
        order = np.lexsort((scores, self.query)).astype(np.int64, copy=False)
        wins, losses = self._sums(scores, order, np.ones_like(scores))
        degree, excess = wins + losses, wins - losses
        below, above = self._sums(scores, order, scores)
        laplacian = degree * scores - below - above
        loss = float(wins.sum() - 2.0 * scores @ excess + scores @ laplacian)
        value = 0.5 * float(weights @ weights) + self.weight * loss
        gradient = weights + 2.0 * self.weight * (self.phi.T @ (laplacian - excess))
        return Point(weights, value, gradient, scores, order, degree)

    def curve(self, point: Point, direction: Floats) -> Floats:
        """Generalised Hessian at `point` times `direction`."""
        moved = self.phi @ direction
        below, above = self._sums(point.scores, point.order, moved)
        laplacian = point.degree * moved - below - above
        product: Floats = direction + 2.0 * self.weight * (self.phi.T @ laplacian)
        return product


def _newton_direction(objective: PairObjective, point: Point, limit: int) -> Floats:
    """Conjugate gradients on H d = −g until the residual is a tenth of |g|."""
    residual = -point.gradient
    direction, search = np.zeros_like(residual), residual.copy()
    square = float(residual @ residual)
    enough = 0.01 * square
    for _ in range(limit):
        product = objective.curve(point, search)
        step = square / float(search @ product)
        direction += step * search
        residual -= step * product
        fresh = float(residual @ residual)
        if fresh <= enough:
            break
        search = residual + (fresh / square) * search
        square = fresh
    return direction


def minimise(objective: PairObjective, *, tolerance: float, steps: int) -> tuple[Floats, int]:
    """The minimiser of f from w = 0, and the Newton steps it took.

    Stops when the gradient's length has fallen to `tolerance` of what it was at 0.
    """
    point = objective.at(np.zeros(objective.phi.shape[1]))
    first = float(np.linalg.norm(point.gradient))
    for step in range(steps):
        if np.linalg.norm(point.gradient) <= tolerance * first:
            return point.weights, step
        direction = _newton_direction(objective, point, limit=4 * len(point.weights))
        slope = float(point.gradient @ direction)
        length = 1.0
        while True:
            new = objective.at(point.weights + length * direction)
            if new.value <= point.value + 1e-4 * length * slope or length < 1e-10:
                break
            length *= 0.5
        if new.value >= point.value:  # as low as the arithmetic goes
            return point.weights, step
        point = new
    return point.weights, steps

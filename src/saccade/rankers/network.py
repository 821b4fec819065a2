"""A scoring function with parameters: linear, or one hidden layer.

    hidden = 0   s(x) = v · x
    hidden = h   s(x) = u · tanh(W x + b)          W [h, m], b [h], u [h]

All parameters are one vector, so that a general optimiser can move them. There is no final offset:
it would change no order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from saccade.rankers.batch import Floats, Standard, Watch

Loss = Callable[[Floats, Floats], float]  # scores [n], gradient [n] to fill -> value


@dataclass(frozen=True, slots=True)
class Network:
    """The shape of the function; the parameters are given to each call."""

    width: int
    hidden: int = 0

    def start(self, rng: np.random.Generator) -> Floats:
        """Zeros for a linear function; small random layers otherwise, so that units differ."""
        if self.hidden == 0:
            return np.zeros(self.width)
        layer = rng.standard_normal((self.hidden, self.width)) / np.sqrt(self.width)
        out = rng.standard_normal(self.hidden) / np.sqrt(self.hidden)
        return np.concatenate([layer.ravel(), np.zeros(self.hidden), out])

    def parts(self, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        """(W, b, u) as views of the vector."""
        cut = self.hidden * self.width
        layer = parameters[:cut].reshape(self.hidden, self.width)
        return layer, parameters[cut : cut + self.hidden], parameters[cut + self.hidden :]

    def scores(self, parameters: Floats, rows: Floats) -> Floats:
        """Score of each row."""
        if self.hidden == 0:
            return rows @ parameters
        layer, offset, out = self.parts(parameters)
        return np.tanh(rows @ layer.T + offset) @ out

    def fold(self, parameters: Floats, standard: Standard) -> Floats:
        """Parameters that score features as `parameters` score their standard scores."""
        if self.hidden == 0:
            return standard.fold(parameters)
        layer, offset, out = self.parts(parameters)
        layer = layer / standard.spread
        return np.concatenate([layer.ravel(), offset - layer @ standard.mean, out])

    def loss(self, parameters: Floats, rows: Floats, loss: Loss) -> tuple[float, Floats]:
        """A loss of the scores, and its gradient by the parameters."""
        by_score = np.zeros(len(rows))
        if self.hidden == 0:
            value = loss(rows @ parameters, by_score)
            return value, rows.T @ by_score
        layer, offset, out = self.parts(parameters)
        units = np.tanh(rows @ layer.T + offset)
        value = loss(units @ out, by_score)
        inner = np.outer(by_score, out) * (1.0 - units**2)
        return value, np.concatenate([(inner.T @ rows).ravel(), inner.sum(0), units.T @ by_score])


def minimise(
    network: Network,
    rows: Floats,
    loss: Loss,
    *,
    l2: float,
    iterations: int,
    seed: int,
    watch: Watch[Floats],
    seen: Floats | None,
) -> Floats:
    """Parameters with a small loss + l2 / 2 * |parameters|^2, by L-BFGS on all rows at once.

    After each iteration `watch` sees the scores of the validation rows `seen`; its best state wins.
    """
    from scipy.optimize import minimize

    def objective(parameters: Floats) -> tuple[float, Floats]:
        value, gradient = network.loss(parameters, rows, loss)
        return value + 0.5 * l2 * float(parameters @ parameters), gradient + l2 * parameters

    def after(parameters: Floats) -> None:
        scores = None if seen is None else network.scores(parameters, seen)
        if watch.stop(scores, parameters.copy()):
            raise StopIteration

    begin = network.start(np.random.default_rng(seed))
    watch.best = begin
    minimize(
        objective, begin, jac=True, method="L-BFGS-B", callback=after,
        options={"maxiter": iterations, "maxcor": 20, "ftol": 1e-10, "gtol": 1e-7},
    )  # fmt: skip
    return watch.best

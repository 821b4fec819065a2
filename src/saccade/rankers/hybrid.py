"""Hybrid ranking at once, and the two margin learners that it joins.

    hybrid      min ½|w − w₀|² + C c₁ τ₁ Σ ξ + C c₂ τ₂ Σ ζ + C c₂ τ₃ Σ η
                points    w·x − b_j ≥ 1 − ξ above threshold j,  ≤ −1 + ξ below it (adjacent grades)
                ordered   w·(x_p − x_q) ≥ ρ − ζ
                alike     |w·(x_p − x_q)| ≤ η                                  ξ, ζ, η ≥ 0

    ordinal-svm           its points alone, with C for every point: k parallel planes, one margin
    relative-attributes   min ½|w|² + C (Σ ζ² + Σ η²), ρ = 1: its pairs alone, with squared slacks

(Chen, Zhang & Li 2015, eq. 1, where the alike constraint prints the ordered pairs; Shashua & Levin
2003, the fixed margin; Parikh & Grauman 2011.) τ_i = n_i / Σ n is the share of a kind. The default
weights and the margin ρ were chosen on PubFig, see `docs/concepts/attributes.md`.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from saccade.errors import InvalidInput
from saccade.kernels import hybrid as kernel
from saccade.rankers.attribute import Learned, LinearAttribute
from saccade.rankers.labels import Balance, Floats, Labels, direction
from saccade.rankers.margin_program import MarginProgram, solve
from saccade.types import State


class Hybrid(LinearAttribute):
    """The quadratic program of hybrid ranking.

    Args:
        C, c1, c2, rho: see `saccade.rankers.labels.Balance`.
        bias: None leaves the thresholds free, as printed; a number B adds ½|b / B|², and 0 holds
            them at zero (the paper's eq. 2).
        start: w₀, a vector [m]; none means zeros.

    >>> points, pair = ([[2.0, 0.0], [4.0, 0.0]], [-1, 1]), ([[0.0, 1.0]], [[0.0, 0.0]])
    >>> model = Hybrid(C=9.0).fit_labels(points=points, ordered=pair)
    >>> model.weights.round(3), model.thresholds.round(3)
    (array([1., 4.]), array([3.]))
    """

    name = "hybrid"
    packages = ("piqp",)
    hears = frozenset({"points", "ordered", "similar"})
    settings = ("C", "c1", "c2", "rho", "bias")

    def __init__(
        self,
        *,
        C: float = 4.0,
        c1: float = 1.0,
        c2: float = 3.0,
        rho: float = 4.0,
        bias: float | None = None,
        start: ArrayLike | None = None,
    ) -> None:
        super().__init__()
        self.C, self.c1, self.c2, self.rho = float(C), float(c1), float(c2), float(rho)
        self._balance().check(self.name)
        if bias is not None and not (np.isfinite(bias) and bias >= 0):
            raise InvalidInput(f"{self.name}: bias must be None or 0 or more, not {bias}")
        self.bias = bias
        self.start: Floats | None = None if start is None else direction(start, self.name)

    def _balance(self) -> Balance:
        return Balance(self.C, self.c1, self.c2, self.rho)

    def _width(self) -> int | None:
        return None if self.start is None else len(self.start)

    def _solve(self, label_set: Labels) -> Learned:
        gram, vectors = label_set.products()
        prior = np.zeros(len(label_set))
        if self.start is not None:
            kernel.project(vectors, self.start, prior)
        learned = hybrid_dual(label_set, gram, prior, self._balance(), self.bias)
        weights = np.zeros(label_set.width) if self.start is None else self.start.copy()
        kernel.combine(vectors, learned.weights, weights)
        return Learned(weights, learned.thresholds, learned.objective)

    def dump(self) -> State:
        """Settings, start, weights and thresholds."""
        state = super().dump()
        start = {} if self.start is None else {"start": self.start.copy()}
        return State(state.kind, state.spec, {**state.arrays, **start})

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = super().load(state)
        if "start" in state.arrays:
            model.start = np.array(state.arrays["start"], np.float64)
        return model


def hybrid_dual(
    label_set: Labels, gram: Floats, prior: Floats, balance: Balance, bias: float | None
) -> Learned:
    """The program from products alone; `weights` are then the labels' coefficients."""
    level, edges = label_set.grading()
    weights = balance.weights(label_set.counts)
    program = MarginProgram.of(label_set.kind, level, edges, weights, balance.rho)
    solution = solve(program, gram, prior, alike=label_set.kind == kernel.ALIKE, bias=bias)
    value = kernel.objective(
        gram, prior, label_set.kind, level, weights, balance.rho, np.inf if bias is None else bias,
        solution.coefficients, solution.thresholds,
    )  # fmt: skip
    return Learned(solution.coefficients, solution.thresholds, float(value))


class OrdinalSVM(LinearAttribute):
    """Points alone: parallel planes between the grades, with one margin for all of them.

    >>> model = OrdinalSVM(C=10.0).fit_labels(([[0.0], [1.0], [2.0]], [1, 2, 3]))
    >>> model.weights.round(3), model.thresholds.round(3)
    (array([2.]), array([1., 3.]))
    """

    name = "ordinal-svm"
    packages = ("piqp",)
    hears = frozenset({"points"})
    settings = ("C",)

    def __init__(self, *, C: float = 1.0) -> None:
        super().__init__()
        self.C = float(C)
        self._balance().check(self.name)

    def _balance(self) -> Balance:
        return Balance(self.C, 1.0, 1.0, 1.0)

    def _solve(self, label_set: Labels) -> Learned:
        gram, vectors = label_set.products()
        learned = hybrid_dual(label_set, gram, np.zeros(len(label_set)), self._balance(), None)
        weights = np.zeros(label_set.width)
        kernel.combine(vectors, learned.weights, weights)
        return Learned(weights, learned.thresholds, learned.objective)


class RelativeAttributes(LinearAttribute):
    """Pairs alone, with squared slacks.

    >>> more, alike = ([[2.0, 0.0]], [[0.0, 0.0]]), ([[0.0, 1.0]], [[0.0, 0.0]])
    >>> model = RelativeAttributes(C=1e6).fit_labels(ordered=more, similar=alike)
    >>> model.weights.round(3)
    array([0.5, 0. ])
    """

    name = "relative-attributes"
    packages = ("piqp",)
    hears = frozenset({"ordered", "similar"})
    settings = ("C",)

    def __init__(self, *, C: float = 1.0) -> None:
        super().__init__()
        self.C = float(C)
        Balance(self.C, 1.0, 1.0, 1.0).check(self.name)

    def _solve(self, label_set: Labels) -> Learned:
        gram, vectors = label_set.products()
        level, edges = label_set.grading()
        program = MarginProgram.of(label_set.kind, level, edges, np.full(3, self.C), 1.0)
        alike = label_set.kind == kernel.ALIKE
        solution = solve(program, gram, np.zeros(len(label_set)), alike=alike, squared=True)
        values = gram @ solution.coefficients
        losses = np.where(alike, values, np.maximum(0.0, 1.0 - values))
        objective = 0.5 * solution.coefficients @ values + self.C * (losses**2).sum()
        weights = np.zeros(label_set.width)
        kernel.combine(vectors, solution.coefficients, weights)
        return Learned(weights, solution.thresholds, float(objective))

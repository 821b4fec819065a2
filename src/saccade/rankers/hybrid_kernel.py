"""Hybrid ranking with a kernel: the same program on φ(x), of which only products are needed.

    f(x) = Σ_points a_i K(x_i, x) + Σ_pairs a_i (K(p_i, x) − K(q_i, x))

A pair stands for φ(p) − φ(q) in feature space, so its product with anything is a difference of
kernel values, never the kernel of a difference (Chen, Zhang & Li 2015, section 3.3). With the
linear kernel this is `hybrid`.

    gaussian   K(a, b) = exp(−γ |a − b|²)         linear   K(a, b) = a·b
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from saccade.contracts import Given
from saccade.errors import InvalidInput, UnknownName, need
from saccade.kernels import hybrid as kernels
from saccade.rankers.batch import settings_of
from saccade.rankers.checked import finite
from saccade.rankers.hybrid import hybrid_dual
from saccade.rankers.labels import Balance, Floats, Labels, labels
from saccade.types import Array, Phi, Scores, State

KERNELS = ("gaussian", "linear")
Kernel = Callable[[Phi, Phi], ArrayLike]  # rows [a, m] and [b, m] to values [a, b]

_SETTINGS = ("C", "c1", "c2", "rho", "bias", "gamma")
_OWN = "callable"


@dataclass(frozen=True, slots=True, eq=False)
class LabelMachine:
    """Pictures that were mentioned with their coefficients, and the γ that was used."""

    support: Phi
    coefficients: Floats
    gamma: float
    thresholds: Floats
    objective: float


class HybridKernel:
    """The hybrid program with a kernel.

    Args:
        kernel: `gaussian`, `linear`, or a function of two arrays of rows that gives the values of
            every row of the first with every row of the second. A function is not part of a dumped
            state: `load(state, kernel=…)` takes it again.
        gamma: of the Gaussian; 0 means one over the mean squared distance of mentioned pictures.
        C, c1, c2, rho, bias: as in `saccade.rankers.hybrid.Hybrid`.

    >>> no_line = ([[0.0], [1.0], [2.0]], [-1, 1, -1])
    >>> model = HybridKernel(C=100.0).fit_labels(points=no_line)
    >>> model.score([[0.0], [1.0], [2.0]]).round(2) - model.thresholds.round(2).astype("f4")
    array([-1.,  1., -1.], dtype=float32)
    """

    name: ClassVar[str] = "hybrid-kernel"
    packages: ClassVar[tuple[str, ...]] = ("piqp",)
    hears: ClassVar[frozenset[str]] = frozenset({"points", "ordered", "similar"})

    def __init__(
        self,
        *,
        kernel: str | Kernel = "gaussian",
        gamma: float = 0.0,
        C: float = 2.0,
        c1: float = 1.0,
        c2: float = 3.0,
        rho: float = 2.0,
        bias: float | None = None,
    ) -> None:
        if not callable(kernel) and kernel not in KERNELS:
            raise UnknownName(f"kernel of {self.name}", str(kernel), KERNELS)
        if not (np.isfinite(gamma) and gamma >= 0):
            raise InvalidInput(f"{self.name}: gamma must be 0 or more, not {gamma}")
        if bias is not None and not (np.isfinite(bias) and bias >= 0):
            raise InvalidInput(f"{self.name}: bias must be None or 0 or more, not {bias}")
        self.kernel, self.gamma, self.bias = kernel, float(gamma), bias
        self.C, self.c1, self.c2, self.rho = float(C), float(c1), float(c2), float(rho)
        Balance(self.C, self.c1, self.c2, self.rho).check(self.name)
        self.skipped = 0
        self._machine: LabelMachine | None = None

    def fit_labels(
        self, points: Given = None, ordered: Given = None, similar: Given = None
    ) -> Self:
        """Start afresh and learn all labels at once."""
        need("rank", *self.packages, part=self.name)
        label_set = labels(points, ordered, similar)
        self._machine = self._solve(label_set) if len(label_set) else None
        self.skipped = label_set.skipped
        return self

    def _solve(self, label_set: Labels) -> LabelMachine:
        atoms = np.concatenate([label_set.first, label_set.second])
        gamma = self.gamma or _usual_gamma(atoms)
        # [labels, atoms]: +1 for the first of a label, −1 for the second of a pair.
        turn = np.zeros((len(label_set), len(atoms)))
        turn[np.arange(len(label_set)), np.arange(len(label_set))] = 1.0
        pairs = np.arange(len(label_set) - len(label_set.second), len(label_set))
        turn[pairs, len(label_set) + np.arange(len(pairs))] = -1.0
        gram = turn @ self._values(atoms, atoms, gamma) @ turn.T
        balance = Balance(self.C, self.c1, self.c2, self.rho)
        learned = hybrid_dual(label_set, gram, np.zeros(len(label_set)), balance, self.bias)
        coefficients = learned.weights @ turn
        used = coefficients != 0.0
        return LabelMachine(
            atoms[used], coefficients[used], gamma, learned.thresholds, learned.objective
        )

    def _values(self, rows: Phi, others: Phi, gamma: float) -> Floats:
        """K of every row with every other, [rows, others]."""
        if callable(self.kernel):
            values = np.asarray(self.kernel(rows, others), np.float64)
            if values.shape != (len(rows), len(others)) or not np.isfinite(values).all():
                raise InvalidInput(
                    f"{self.name}: the kernel gave shape {values.shape} for {len(rows)} and "
                    f"{len(others)} rows, or values that are not finite"
                )
            return np.ascontiguousarray(values)
        values = np.empty((len(rows), len(others)))
        kernels.cross(rows, np.ascontiguousarray(others.T, np.float64), values)
        if self.kernel == "linear":
            return values
        gaps = _squares(rows)[:, None] + _squares(others) - 2.0 * values
        return np.exp(-gamma * np.maximum(0.0, gaps))

    @property
    def thresholds(self) -> Floats:
        """Where one grade ends and the next begins, on the scale of the scores."""
        return np.empty(0) if self._machine is None else self._machine.thresholds.copy()

    @property
    def objective(self) -> float:
        """The value that the last fit minimised; 0 before any."""
        return 0.0 if self._machine is None else self._machine.objective

    def score(self, phi: Phi) -> Scores:
        """F of each row; zero for all before anything is known."""
        machine = self._machine
        if machine is None:
            return np.zeros(len(finite(phi)), np.float32)
        rows = finite(phi, machine.support.shape[1])
        out = np.empty(len(rows))
        for first in range(0, len(rows), 1024):
            some = rows[first : first + 1024]
            values = self._values(some, machine.support, machine.gamma)
            kernels.mix(values, machine.coefficients, out[first : first + 1024])
        return out.astype(np.float32)

    def dump(self) -> State:
        """Settings, and the mentioned pictures with their coefficients."""
        spec: dict[str, object] = {
            "settings": settings_of(self, *_SETTINGS),
            "kernel": _OWN if callable(self.kernel) else self.kernel,
            "skipped": self.skipped, "objective": self.objective,
        }  # fmt: skip
        arrays: dict[str, Array] = {}
        if self._machine is not None:
            names = ("support", "coefficients", "thresholds")
            arrays = {key: getattr(self._machine, key).copy() for key in names}
            arrays["gamma"] = np.array(self._machine.gamma)
        return State(self.name, spec, arrays)

    @classmethod
    def load(cls, state: State, *, kernel: Kernel | None = None) -> Self:
        """The ranker that was dumped; one with a kernel of its own needs that kernel again."""
        if state.spec["kernel"] == _OWN and kernel is None:
            raise InvalidInput(
                f"{cls.name}: this state was learned with a kernel function, which no state holds",
                hint="HybridKernel.load(state, kernel=…) takes it",
            )
        model = cls(kernel=kernel or state.spec["kernel"], **dict(state.spec["settings"]))
        model.skipped = int(state.spec["skipped"])
        if "support" in state.arrays:
            support = np.ascontiguousarray(state.arrays["support"], np.float32)
            coefficients, thresholds = (
                np.array(state.arrays[key], np.float64) for key in ("coefficients", "thresholds")
            )
            model._machine = LabelMachine(
                support, coefficients, float(state.arrays["gamma"]), thresholds,
                float(state.spec["objective"]),
            )  # fmt: skip
        return model


def _squares(rows: Phi) -> Floats:
    """Squared length of each row, by itself."""
    squares: Floats = np.array([np.square(row, dtype=np.float64).sum() for row in rows])
    return squares


def _usual_gamma(rows: Phi) -> float:
    """One over the mean squared distance of two rows; 1 where all are equal."""
    spread = 2.0 * float(rows.astype(np.float64).var(axis=0).sum())
    return 1.0 / spread if spread > 0 else 1.0

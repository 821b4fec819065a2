"""Every label of an online learner in order of arrival, what was learned, and steps from there.

    w = w₀ + Σ_r a_r v_r

Steps go by the products of the labels or by their vectors, whichever is cheaper: the first cost
n² m / 2 once and n a label drawn, the second 2 m a label drawn. What is kept is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from saccade.kernels import hybrid as kernel
from saccade.rankers.labels import Balance, Floats, Labels, Whole, levels
from saccade.rankers.margin_program import MarginProgram
from saccade.types import Array, Arrays, Phi

MOST = 512  # labels whose products a learner keeps while labels arrive one by one
_FIELDS = ("vectors", "kind", "grade", "coefficients", "thresholds", "levels")


def worth_products(labels: int, columns: int, draws: int) -> bool:
    """Whether `draws` labels in all are drawn more cheaply with the products at hand.

    >>> worth_products(60, 1280, 32_000), worth_products(2000, 1280, 32_000)
    (True, False)
    """
    return labels * labels * columns // 2 + draws * labels <= 2 * draws * columns


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Labels and coefficients; `gram` holds the products of the first labels, if any."""

    vectors: Phi  # [n, m]
    kind: Whole  # [n]
    grade: Whole  # [n]
    prior: Floats  # [n]  w₀·v
    coefficients: Floats  # [n]
    thresholds: Floats  # [levels − 1]
    levels: Whole
    gram: Floats  # [g, g], g ≤ n

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.vectors.shape[1])

    @classmethod
    def of(cls, label_set: Labels, start: Floats | None) -> Pool:
        """Labels that nothing was learned from yet."""
        vectors = label_set.vectors()
        prior = np.zeros(len(label_set))
        if start is not None:
            kernel.project(vectors, start, prior)
        nothing = np.empty(0), np.empty(0, np.int64), np.empty((0, 0))
        return cls(
            vectors, label_set.kind, label_set.grade, prior, np.zeros(len(label_set)), *nothing
        )

    def joined(self, new: Pool) -> Pool:
        """The labels of this pool and then those of another."""
        both = {
            key: np.concatenate([getattr(self, key), getattr(new, key)])
            for key in ("vectors", "kind", "grade", "prior", "coefficients")
        }
        return replace(self, **both)

    def with_products(self, *, most: int | None = None) -> Pool:
        """The pool with the products of its labels, or of its first `most`, at hand."""
        size = len(self) if most is None else min(len(self), most)
        done = min(len(self.gram), size)
        gram = np.zeros((size, size))
        gram[:done, :done] = self.gram[:done, :done]
        rows = np.ascontiguousarray(self.vectors[:size])
        kernel.products(rows, np.ascontiguousarray(rows.T, np.float64), gram, done)
        return replace(self, gram=gram)

    def first(self, size: int, *, learned: Pool | None) -> Pool:
        """The first `size` labels, with what another pool of fewer of them has learned."""
        coefficients = np.zeros(size)
        if learned is not None:
            coefficients[: len(learned)] = learned.coefficients
        edges = self if learned is None else learned
        whole = size <= len(self.gram)
        return Pool(
            self.vectors[:size], self.kind[:size], self.grade[:size], self.prior[:size],
            coefficients, edges.thresholds, edges.levels,
            np.ascontiguousarray(self.gram[:size, :size]) if whole else np.empty((0, 0)),
        )  # fmt: skip

    def levelled(self) -> Pool:
        """The pool with a threshold between every two grades; a new one starts at its split."""
        grades = levels(self.grade[self.kind == kernel.POINT])
        if np.array_equal(grades, self.levels):
            return self
        thresholds = np.zeros(max(0, len(grades) - 1))
        if len(self.thresholds):
            source = np.searchsorted(self.levels, grades[1:]) - 1
            thresholds = self.thresholds[np.clip(source, 0, len(self.thresholds) - 1)]
        return replace(self, levels=grades, thresholds=thresholds)

    def objective(self, balance: Balance, bias: float) -> float:
        """F of what was learned, on all labels."""
        by_products = len(self.gram) == len(self)
        value = kernel.objective if by_products else kernel.objective_rows
        total: float = value(
            self.gram if by_products else self.vectors, self.prior, self.kind, self._places(),
            balance.weights(self._counts()), balance.rho, bias, self.coefficients, self.thresholds,
        )  # fmt: skip
        return total

    def descended(
        self, balance: Balance, bias: float, *, first: int, passes: int, batch: int,
        printed: bool, seed: np.uint64,
    ) -> Pool:  # fmt: skip
        """The pool with the mean of the iterates of the last of some passes in the primal."""
        by_products = len(self.gram) == len(self)
        descend = kernel.descend if by_products else kernel.descend_rows
        here, edges = self.coefficients.copy(), self.thresholds.copy()
        mean, mean_edges = np.empty_like(here), np.empty_like(edges)
        descend(
            self.gram if by_products else self.vectors, self.prior, self.kind, self._places(),
            balance.constants if printed else balance.weights(self._counts()), balance.rho, bias,
            first, passes, batch, seed, printed, here, edges, mean, mean_edges,
        )  # fmt: skip
        return replace(self, coefficients=mean, thresholds=mean_edges)

    def ascended(
        self, balance: Balance, bias: float, *, passes: int, tolerance: float, seed: np.uint64
    ) -> tuple[Pool, Floats]:
        """The pool after passes in the dual, as many as the tolerance asks for.

        After each pass F and the dual, [passes, 2].
        """
        by_products = len(self.gram) == len(self)
        ascend = kernel.ascend if by_products else kernel.ascend_rows
        program = MarginProgram.of(
            self.kind, self._places(), len(self.thresholds), balance.weights(self._counts()),
            balance.rho,
        )  # fmt: skip
        alike = self.kind[program.label] == kernel.ALIKE
        # From where it stands: of a point between two grades the sign says which side it was on.
        low = np.where(alike, -program.weight, 0.0)
        alpha = np.clip(program.sign * self.coefficients[program.label], low, program.weight)
        here, edges = np.empty_like(self.coefficients), np.empty_like(self.thresholds)
        history = np.empty((passes, 2))
        taken = ascend(
            self.gram if by_products else self.vectors, self.prior,
            (program.label, program.sign, program.edge, program.margin), program.weight, alike,
            bias, passes, tolerance, seed, alpha, here, edges, history,
        )  # fmt: skip
        return replace(self, coefficients=here, thresholds=edges), history[:taken]

    def _counts(self) -> Whole:
        return np.bincount(self.kind, minlength=3)

    def _places(self) -> Whole:
        """Each point's place among the grades."""
        places: Whole = np.searchsorted(self.levels, self.grade)
        return places

    def arrays(self) -> dict[str, Array]:
        """Labels and what was learned, as named arrays; products are computed again."""
        return {key: getattr(self, key).copy() for key in _FIELDS}

    @classmethod
    def load(cls, arrays: Arrays, start: Floats | None) -> Pool:
        """The pool that `arrays` gave."""
        vectors = np.ascontiguousarray(arrays["vectors"], np.float32)
        kind, grade, places = (
            np.ascontiguousarray(arrays[key], np.int64) for key in ("kind", "grade", "levels")
        )
        coefficients, thresholds = (
            np.ascontiguousarray(arrays[key], np.float64) for key in ("coefficients", "thresholds")
        )
        fresh = cls.of(Labels(vectors, vectors[:0], kind, grade), start)
        return replace(fresh, coefficients=coefficients, thresholds=thresholds, levels=places)


def mixed(seed: int, size: int) -> np.uint64:
    """A generator's first state out of two numbers (splitmix64's finish); never zero."""
    mask = (1 << 64) - 1
    value = (seed * 0x9E3779B97F4A7C15 + size * 0xBF58476D1CE4E5B9 + 1) & mask
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
    return np.uint64((value ^ (value >> 31)) or 1)

"""Every label of an online learner in order of arrival, what was learned, and steps from there.

    w = w₀ + Σ_r a_r v_r

Steps go by the products of the labels or by their vectors, whichever is cheaper: the first cost
n² m / 2 once and n a label drawn, the second 2 m a label drawn. What is kept is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.kernels import hybrid as kernel
from saccade.rankers.labels import Balance, Floats, Labels, Whole, levels
from saccade.types import Arrays, Phi

MOST = 512  # labels whose products a learner keeps while labels arrive one by one
_KEPT = ("vectors", "kind", "grade", "coefficients", "thresholds", "levels")


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
    def of(cls, given: Labels, start: Floats | None) -> Pool:
        """Labels that nothing was learned from yet."""
        vectors = given.vectors()
        prior = np.zeros(len(given))
        if start is not None:
            kernel.project(vectors, start, prior)
        nothing = np.empty(0), np.empty(0, np.int64), np.empty((0, 0))
        return cls(vectors, given.kind, given.grade, prior, np.zeros(len(given)), *nothing)

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
        known = min(len(self.gram), size)
        gram = np.zeros((size, size))
        gram[:known, :known] = self.gram[:known, :known]
        rows = np.ascontiguousarray(self.vectors[:size])
        kernel.products(rows, np.ascontiguousarray(rows.T, np.float64), gram, known)
        return replace(self, gram=gram)

    def first(self, size: int, *, learned: Pool | None) -> Pool:
        """The first `size` labels, with what another pool of fewer of them has learned."""
        coefficients = np.zeros(size)
        if learned is not None:
            coefficients[: len(learned)] = learned.coefficients
        known = self if learned is None else learned
        whole = size <= len(self.gram)
        return Pool(
            self.vectors[:size], self.kind[:size], self.grade[:size], self.prior[:size],
            coefficients, known.thresholds, known.levels,
            np.ascontiguousarray(self.gram[:size, :size]) if whole else np.empty((0, 0)),
        )  # fmt: skip

    def levelled(self) -> Pool:
        """The pool with a threshold between every two grades; a new one starts at its split."""
        found = levels(self.grade[self.kind == kernel.POINT])
        if np.array_equal(found, self.levels):
            return self
        thresholds = np.zeros(max(0, len(found) - 1))
        if len(self.thresholds):
            source = np.searchsorted(self.levels, found[1:]) - 1
            thresholds = self.thresholds[np.clip(source, 0, len(self.thresholds) - 1)]
        return replace(self, levels=found, thresholds=thresholds)

    def objective(self, balance: Balance, bias: float) -> float:
        """F of what was learned, on all labels."""
        by_products = len(self.gram) == len(self)
        value = kernel.objective if by_products else kernel.objective_rows
        found: float = value(
            self.gram if by_products else self.vectors, self.prior, self.kind, self._places(),
            balance.weights(self._counts()), balance.rho, bias, self.coefficients, self.thresholds,
        )  # fmt: skip
        return found

    def stepped(
        self, balance: Balance, bias: float, *, first: int, steps: int, batch: int,
        printed: bool, seed: np.uint64,
    ) -> tuple[Pool, Pool]:  # fmt: skip
        """The pool after some steps, and the same with the mean of the iterates on the way."""
        by_products = len(self.gram) == len(self)
        descend = kernel.descend if by_products else kernel.descend_rows
        here, edges = self.coefficients.copy(), self.thresholds.copy()
        mean, mean_edges = np.empty_like(here), np.empty_like(edges)
        descend(
            self.gram if by_products else self.vectors, self.prior, self.kind, self._places(),
            balance.constants if printed else balance.weights(self._counts()), balance.rho, bias,
            first, steps, batch, seed, printed, here, edges, mean, mean_edges,
        )  # fmt: skip
        return (
            replace(self, coefficients=here, thresholds=edges),
            replace(self, coefficients=mean, thresholds=mean_edges),
        )

    def _counts(self) -> Whole:
        return np.bincount(self.kind, minlength=3)

    def _places(self) -> Whole:
        """Each point's place among the grades."""
        places: Whole = np.searchsorted(self.levels, self.grade)
        return places

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Labels and what was learned, as named arrays; products are computed again."""
        return {key: getattr(self, key).copy() for key in _KEPT}

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


def mixed(seed: int, size: int, done: int) -> np.uint64:
    """A generator's first state out of three numbers (splitmix64's finish); never zero."""
    mask = (1 << 64) - 1
    value = (seed * 0x9E3779B97F4A7C15 + size * 0xBF58476D1CE4E5B9 + done + 1) & mask
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
    return np.uint64((value ^ (value >> 31)) or 1)

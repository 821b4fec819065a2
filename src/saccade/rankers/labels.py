"""What people say about an attribute, checked once: has it or not (or a grade), more, alike.

    points    (X [n, m], y [n])    y is ±1, or whole grades, more is more
    ordered   (A [n, m], B [n, m]) A[i] has more of it than B[i]
    similar   (C [n, m], D [n, m]) C[i] has about as much of it as D[i]

Any of the three may be None or empty. A pair of equal rows says nothing: it is left out and
counted. Pairs that contradict each other stay: each learner weighs them by its loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.contracts import Given
from saccade.errors import InvalidInput
from saccade.kernels.hybrid import ALIKE, ORDERED, POINT
from saccade.rankers.batch import linear_scores
from saccade.rankers.checked import finite, whole
from saccade.types import Phi, Scores

KINDS = ("points", "ordered", "similar")  # by their numbers: POINT, ORDERED, ALIKE

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Labels in the order points, ordered pairs, alike pairs."""

    first: Phi  # [n, m]  a point, or the first of a pair
    second: Phi  # [pairs, m]  the second of each pair
    kind: Whole  # [n]  POINT, ORDERED or ALIKE
    grade: Whole  # [n]  of a point; 0 elsewhere
    skipped: int = 0  # pairs of equal rows

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.first.shape[1])

    @property
    def counts(self) -> Whole:
        """How many points, ordered pairs and alike pairs, [3]."""
        return np.bincount(self.kind, minlength=3).astype(np.int64)

    def only(self, kinds: Sequence[int]) -> Labels:
        """The labels of some kinds."""
        keep = np.isin(self.kind, kinds)
        pairs = keep[len(keep) - len(self.second) :]
        return Labels(
            self.first[keep], self.second[pairs], self.kind[keep], self.grade[keep], self.skipped
        )

    def vectors(self) -> Phi:
        """What each label is about, [n, m]: the point, or the difference of the pair."""
        vectors: Phi = self.first.copy()
        with np.errstate(over="ignore"):
            vectors[len(vectors) - len(self.second) :] -= self.second
        if not np.isfinite(vectors.sum(dtype=np.float64)):
            raise InvalidInput("labels: values too large, their differences are not finite")
        return vectors

    def products(self) -> tuple[Floats, Phi]:
        """Inner products of the labels' vectors, [n, n], and the vectors."""
        vectors = self.vectors()
        exact = vectors.astype(np.float64)
        return exact @ exact.T, vectors

    def grading(self) -> tuple[Whole, int]:
        """Each point's place among the grades (0 elsewhere), and the number of thresholds."""
        points = self.kind == POINT
        between = levels(self.grade[points])
        place = np.where(points, np.searchsorted(between, self.grade), 0)
        return place, max(0, len(between) - 1)


def levels(grades: Whole) -> Whole:
    """The grades that thresholds lie between; ±1 always has both its sides.

    >>> levels(np.array([1, 1])).tolist(), levels(np.array([3, 0, 3])).tolist()
    ([-1, 1], [0, 3])
    """
    grades_there = np.unique(grades)
    if len(grades_there) and np.isin(grades_there, (-1, 1)).all():
        return np.array([-1, 1])
    return grades_there


def _point_arrays(arrays: Given, width: int | None) -> tuple[Phi, Whole]:
    if arrays is None:
        return np.empty((0, width or 0), np.float32), np.empty(0, np.int64)
    rows, grades = _two(arrays, "points", "(X, y)")
    checked = finite(rows, width, "points")
    return checked, whole(grades, len(checked), "grades of the points")


def _pair_arrays(arrays: Given, width: int | None, what: str) -> tuple[Phi, Phi, int]:
    if arrays is None:
        none: Phi = np.empty((0, width or 0), np.float32)
        return none, none, 0
    first, second = _two(arrays, what, "(A, B)")
    left = finite(first, width, f"first of the {what} pairs")
    right = finite(second, left.shape[1], f"second of the {what} pairs")
    if len(left) != len(right):
        raise InvalidInput(f"{what}: {len(left)} and {len(right)} rows; pair them by row")
    says = (left != right).any(axis=1)
    if says.all():
        return left, right, 0
    return left[says], right[says], int(len(says) - says.sum())


def _two(arrays: tuple[ArrayLike, ArrayLike], what: str, form: str) -> tuple[ArrayLike, ArrayLike]:
    if not isinstance(arrays, (tuple, list)) or len(arrays) != 2:
        raise InvalidInput(f"{what} must be two arrays, {form}")
    return arrays[0], arrays[1]


def direction(start: ArrayLike, name: str) -> Floats:
    """A start vector, checked."""
    vector = np.array(start, dtype=np.float64)
    if vector.ndim != 1 or not len(vector) or not np.isfinite(vector).all():
        raise InvalidInput(f"{name}: start must be one finite number a column")
    return vector


def labels(
    points: Given = None, ordered: Given = None, similar: Given = None, *, width: int | None = None
) -> Labels:
    """Check labels and put them together; all must have the same columns.

    >>> label_set = labels(([[1.0, 0.0]], [1]), ([[1.0, 0.0]], [[0.0, 1.0]]))
    >>> label_set.vectors().tolist(), label_set.kind.tolist(), label_set.grade.tolist()
    ([[1.0, 0.0], [1.0, -1.0]], [0, 1], [1, 0])
    """
    for arrays in (points, ordered, similar):
        if arrays is not None and width is None:
            width = finite(_two(arrays, "labels", "(A, B)")[0]).shape[1]
    rows, grades = _point_arrays(points, width)
    more, less, equal = _pair_arrays(ordered, width, "ordered")
    left, right, same = _pair_arrays(similar, width, "similar")
    sizes = (len(rows), len(more), len(left))
    return Labels(
        first=np.concatenate([rows, more, left]),
        second=np.concatenate([less, right]),
        kind=np.repeat(np.array([POINT, ORDERED, ALIKE]), sizes),
        grade=np.concatenate([grades, np.zeros(sizes[1] + sizes[2], np.int64)]),
        skipped=equal + same,
    )


@dataclass(frozen=True, slots=True)
class Balance:
    """What weighs the three kinds of label against ½|w|² (Chen, Zhang & Li 2015, eq. 1).

    A point's loss counts C c₁ τ₁, an ordered pair's C c₂ τ₂, an alike pair's C c₂ τ₃, with
    τ_i = n_i / (n₁ + n₂ + n₃); the margin of a point is 1 and that of an ordered pair `rho`.
    """

    C: float
    c1: float
    c2: float
    rho: float

    def check(self, name: str) -> None:
        """Refuse what is no weight or no margin."""
        for key in ("C", "c1", "c2", "rho"):
            value = getattr(self, key)
            if not (np.isfinite(value) and value > 0):
                raise InvalidInput(f"{name}: {key} must be a number above 0, not {value}")

    @property
    def constants(self) -> Floats:
        """C c₁, C c₂, C c₂: the weight of a kind before its share, [3]."""
        return self.C * np.array([self.c1, self.c2, self.c2])

    def weights(self, counts: Whole) -> Floats:
        """Weight of one label of each kind, [3].

        >>> Balance(1.0, 1.0, 3.0, 1.0).weights(np.array([50, 50, 0])).tolist()
        [0.5, 1.5, 0.0]
        """
        shares: Floats = counts / max(1, int(counts.sum()))
        return self.constants * shares


def attribute_scores(phi: Phi, weights: Floats | NDArray[np.float32] | None) -> Scores:
    """w·x for each row; zero for all where nothing is known yet."""
    if weights is None:
        return np.zeros(len(finite(phi)), np.float32)
    return linear_scores(phi, weights.astype(np.float64))

"""Bags: pictures as sets of regions, and preferences between them, checked once.

bags     a sequence of arrays [regions, m], each with at least one region
pairs    [(better, worse), …], positions in `bags`; the same pair may come twice, and both
         orders of one pair may: each is a preference that costs what it costs
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.kernels.ragged import offsets_of
from saccade.rankers.checked import finite
from saccade.types import Phi, Rows, Scores


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """All regions one after another: bag i is `rows[starts[i]:starts[i + 1]]`."""

    rows: Phi
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def parts(self) -> list[Phi]:
        """Each bag by itself."""
        return [self.rows[first:last] for first, last in pairwise(self.starts.tolist())]

    def places(self, numbers: Rows) -> tuple[Rows, NDArray[np.int64]]:
        """The rows of some bags, bag after bag, and where each of them starts there."""
        lengths = np.diff(self.starts)[numbers]
        starts = offsets_of(lengths)
        shifts = np.repeat(self.starts[:-1][numbers] - starts[:-1], lengths)
        return shifts + np.arange(starts[-1]), starts


def checked_bags(bags: Sequence[ArrayLike], width: int | None = None) -> Bags:
    """The bags as one array, or an error that names the first one that is none.

    >>> stack = checked_bags([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]])
    >>> stack.starts.tolist(), stack.rows.shape
    ([0, 1, 3], (3, 2))
    """
    parts = []
    for number, bag in enumerate(bags):
        part = finite(bag, width, f"bag {number}")
        if not len(part):
            raise InvalidInput(f"bag {number} has no regions", hint="give it the whole picture")
        width = part.shape[1]
        parts.append(part)
    starts = offsets_of([len(part) for part in parts])
    return Bags(np.concatenate(parts) if parts else np.zeros((0, width or 1), np.float32), starts)


def checked_pairs(pairs: ArrayLike, count: int) -> tuple[Rows, Rows]:
    """Winners and losers, or an error that names the first pair that is none."""
    listed = np.asarray(pairs)
    if listed.size == 0:
        raise InvalidInput("nothing to learn: no preference was given")
    if listed.ndim != 2 or listed.shape[1] != 2 or listed.dtype.kind not in "iu":
        raise InvalidInput(f"pairs {listed.shape} of {listed.dtype}: expected [(better, worse), …]")
    for number, (better, worse) in enumerate(listed.tolist()):
        if better == worse or not (0 <= better < count and 0 <= worse < count):
            raise InvalidInput(
                f"pair {number} is ({better}, {worse}): expected two different bags below {count}"
            )
    winners, losers = (np.ascontiguousarray(listed[:, side], np.int64) for side in (0, 1))
    return winners, losers


def graded_pairs(grades: ArrayLike) -> Rows:
    """Every pair of different grade, the higher one first, [p, 2].

    >>> graded_pairs([3, 1, 2]).tolist()
    [[0, 1], [0, 2], [2, 1]]
    """
    grades = np.asarray(grades)
    return np.argwhere(grades[:, None] > grades[None]).astype(np.int64)


def relative(scores: Scores) -> Scores:
    """Scores from 0, the lowest, to 1, the highest; all 1 when they are equal.

    >>> relative(np.array([2.0, 3.0, 6.0])).tolist(), relative(np.array([5.0])).tolist()
    ([0.0, 0.25, 1.0], [1.0])
    """
    span = np.ptp(scores)
    shown: Scores = (scores - scores.min()) / span if span > 0 else np.ones_like(scores)
    return shown

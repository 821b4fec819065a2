"""Folds by query: no query's rows are ever on both sides of a split.

    fold k trains on parts k, k+1, k+2, validates on part k+3 and tests on part k+4, cyclic

for five folds, as LETOR does; in general the last two parts in the cycle validate and test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.types import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Positions of the parts of one fold."""

    number: int
    train: Rows
    validate: Rows
    test: Rows


def cyclic(count: int, *, folds: int = 5, rng: np.random.Generator) -> Iterator[Fold]:
    """Deal `count` things at random into parts, then rotate: each is tested exactly once.

    >>> [len(fold.test) for fold in cyclic(11, rng=np.random.default_rng(0))]
    [2, 3, 2, 2, 2]
    """
    if folds < 3:
        raise InvalidInput(f"{folds} folds: at least 3 are needed to train, validate and test")
    if count < folds:
        raise InvalidInput(f"{count} queries cannot be dealt into {folds} folds")
    parts = [np.sort(part) for part in np.array_split(rng.permutation(count), folds)]
    for number in range(folds):
        turned = parts[number:] + parts[:number]
        yield Fold(number + 1, np.sort(np.concatenate(turned[:-2])), turned[-2], turned[-1])


def rows_of(groups: NDArray[Any], queries: NDArray[Any]) -> Rows:
    """Positions of the rows whose query is among `queries`."""
    return np.flatnonzero(np.isin(groups, queries))

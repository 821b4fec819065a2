"""What every ranker asks of its rows, checked once: shape, type, finiteness, whole grades."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.kernels.ragged import offsets_of
from saccade.types import Phi

_FLOAT32 = np.dtype(np.float32)


def matrix(phi: ArrayLike, width: int | None, what: str = "phi") -> Phi:
    """`phi` as float32 [n, m] with unbroken rows; copied only where it is something else."""
    if not (
        isinstance(phi, np.ndarray)
        and phi.dtype == _FLOAT32
        and phi.flags.c_contiguous
        and phi.flags.aligned
    ):
        with np.errstate(over="ignore"):  # too large for float32: infinite, and refused as that
            try:
                phi = np.array(phi, dtype=np.float32, order="C")
            except (TypeError, ValueError) as problem:
                raise InvalidInput(f"{what} must be numbers: {problem}") from problem
    if phi.ndim != 2:
        raise InvalidInput(f"{what} has shape {phi.shape}: expected [rows, columns]")
    if phi.shape[1] == 0:
        raise InvalidInput(f"{what} has no columns")
    if width is not None and phi.shape[1] != width:
        raise InvalidInput(
            f"{what} has {phi.shape[1]} columns and the model {width}",
            hint="give it the schemes or features it learned from",
        )
    checked: Phi = phi
    return checked


def finite(phi: ArrayLike, width: int | None = None, what: str = "phi") -> Phi:
    """`matrix`, and every value finite."""
    rows = matrix(phi, width, what)
    # A sum reads everything once, copies nothing, and is not finite where any value is not.
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(rows.sum(dtype=np.float64)):
            refuse(rows, what)
    return rows


def refuse(phi: Phi, what: str, row: int | None = None) -> None:
    """Raise where `phi` (or its one `row`) has a NaN or an infinity, naming row and column."""
    first = 0 if row is None else row
    bad = np.argwhere(~np.isfinite(phi if row is None else phi[row : row + 1]))
    if len(bad):
        at, column = first + int(bad[0, 0]), int(bad[0, 1])
        raise InvalidInput(f"{what}: row {at}, column {column} is {phi[at, column]}, not a number")


def refuse_pair(winners: Phi, losers: Phi | None, row: int) -> InvalidInput:
    """What was wrong with the pair at `row`, which a kernel could not take."""
    try:
        refuse(winners, "differences" if losers is None else "winners", row)
        if losers is not None:
            refuse(losers, "losers", row)
    except InvalidInput as problem:
        return problem
    return InvalidInput(f"pair {row}: values too large, the weights would not stay finite")


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """Graded rows with those of one query together: query q is `starts[q]:starts[q + 1]`."""

    phi: Phi
    grades: NDArray[np.int64]
    starts: NDArray[np.int64]
    skipped: int  # queries with one document, or with equal grades only: they order nothing

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[slice]:
        for start, end in pairwise(self.starts.tolist()):
            yield slice(start, end)


def whole(values: ArrayLike, rows: int, what: str) -> NDArray[np.int64]:
    """`values` as whole numbers [rows]; what is no whole number is refused by name."""
    array = np.asarray(values)
    if array.shape != (rows,):
        raise InvalidInput(f"{what} has shape {array.shape}: expected [{rows}], one per row of phi")
    if array.dtype.kind not in "iub":
        try:
            exact = np.asarray(array, dtype=np.float64)
        except (TypeError, ValueError) as problem:
            raise InvalidInput(f"{what} must be whole numbers: {problem}") from problem
        bad = np.flatnonzero(~np.isfinite(exact) | (exact != np.floor(exact)))
        if len(bad):
            raise InvalidInput(f"{what}: row {bad[0]} is {array[bad[0]]}, not a whole number")
    return array.astype(np.int64)


def queries(
    phi: ArrayLike, grades: ArrayLike, groups: ArrayLike, width: int | None = None
) -> Queries:
    """Check graded rows and sort them by query; queries that order nothing are left out, counted.

    >>> rows = queries(np.eye(5), [0, 1, 1, 0, 1], [7, 3, 3, 9, 7])
    >>> rows.grades.tolist(), rows.starts.tolist(), rows.skipped
    ([0, 1], [0, 2], 2)
    """
    checked = finite(phi, width)
    levels = whole(grades, len(checked), "grades")
    numbers = whole(groups, len(checked), "groups")
    if len(levels) == 0:
        return Queries(checked, levels, np.zeros(1, np.int64), 0)
    if levels.min() < 0:
        raise InvalidInput(f"grades: row {int(levels.argmin())} is below 0, which is irrelevant")
    order = np.argsort(numbers, kind="stable")
    levels, numbers = levels[order], numbers[order]
    heads = np.append(0, 1 + np.flatnonzero(numbers[1:] != numbers[:-1]))
    telling = np.minimum.reduceat(levels, heads) < np.maximum.reduceat(levels, heads)
    sizes = np.diff(np.append(heads, len(numbers)))
    useful = np.repeat(telling, sizes)
    rows = order[useful]
    in_place = len(rows) == len(checked) and bool((rows[1:] > rows[:-1]).all())
    starts = offsets_of(sizes[telling])
    return Queries(
        checked if in_place else checked[rows], levels[useful], starts, int((~telling).sum())
    )


def training(
    phi: ArrayLike, grades: ArrayLike, groups: ArrayLike, width: int | None = None
) -> Queries:
    """`queries`, of which at least one has something to teach."""
    rows = queries(phi, grades, groups, width)
    if len(rows) == 0:
        raise InvalidInput(
            f"nothing to learn: none of the {rows.skipped} queries has rows of different grades"
        )
    return rows

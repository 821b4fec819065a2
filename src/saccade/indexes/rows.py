"""What every index does with rows: check what comes in, pick the best of what goes out."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.types import Rows, Scores, Vectors

Number = TypeVar("Number", bound=np.generic)


class Growing(Generic[Number]):
    """Rows of one array that grows at its end; doubling the room makes many small adds cheap."""

    def __init__(self, width: int, dtype: np.dtype[Number]) -> None:
        self._room: NDArray[Number] = np.empty((0, width), dtype)
        self.size = 0

    def extend(self, part: NDArray[Number]) -> None:
        """Append `part` [n, width]."""
        needed = self.size + len(part)
        if needed > len(self._room):
            room = np.empty((max(needed, 2 * self.size), self._room.shape[1]), self._room.dtype)
            room[: self.size] = self._room[: self.size]
            self._room = room
        self._room[self.size : needed] = part
        self.size = needed

    @property
    def values(self) -> NDArray[Number]:
        """What is there, [size, width]."""
        return self._room[: self.size]


class RowBook:
    """Which row each position holds; a row stands once."""

    def __init__(self) -> None:
        self._rows = Growing(1, np.dtype(np.int64))
        self._present: set[int] = set()

    @property
    def rows(self) -> Rows:
        """Rows by position."""
        return self._rows.values[:, 0]

    def checked(self, rows: ArrayLike, vectors: ArrayLike, dimension: int) -> tuple[Rows, Vectors]:
        """Both as arrays, or an error that says what is wrong; nothing is kept yet."""
        places = np.asarray(rows, np.int64)
        matrix = np.ascontiguousarray(vectors, np.float32)
        if matrix.ndim != 2 or matrix.shape != (len(places), dimension):
            raise InvalidInput(
                f"index: {len(places)} rows need vectors of shape ({len(places)}, {dimension}),"
                f" not {matrix.shape}"
            )
        if not np.isfinite(matrix).all():
            raise InvalidInput("index: a vector holds infinite or undefined numbers")
        new = set(places.tolist())
        if len(new) < len(places):
            raise InvalidInput("index: a row came twice in one add; give each row once")
        if places.size and places.min() < 0:
            raise InvalidInput(f"index: row {places.min()} is negative; rows count from 0")
        if new & self._present:
            raise InvalidInput(f"index: row {min(new & self._present)} is in it already")
        return places, matrix

    def keep(self, rows: Rows) -> None:
        """Remember rows whose vectors have been stored."""
        self._rows.extend(rows[:, None])
        self._present.update(rows.tolist())


def checked_query(query: ArrayLike, k: int, dimension: int) -> NDArray[np.float32]:
    """The query as a vector of the right length, or an error."""
    vector: NDArray[np.float32] = np.ascontiguousarray(query, np.float32)
    if vector.shape != (dimension,):
        raise InvalidInput(f"index: a query has shape ({dimension},), not {vector.shape}")
    if not np.isfinite(vector).all():
        raise InvalidInput("index: the query holds infinite or undefined numbers")
    if k < 1:
        raise InvalidInput(f"index: k is {k}; ask for at least one row")
    return vector


def best_rows(rows: Rows, similarities: Scores, k: int) -> tuple[Rows, Scores]:
    """The `k` highest, best first; ties to the lower row.

    >>> best = best_rows(np.array([5, 2, 9]), np.array([.5, .5, .9], np.float32), 2)
    >>> best[0].tolist()
    [9, 2]
    """
    if k < len(rows):
        # Everything as good as the k-th stays in, so that ties are settled by row and not by place.
        least = np.partition(similarities, len(rows) - k)[len(rows) - k]
        best = np.flatnonzero(similarities >= least)
        rows, similarities = rows[best], similarities[best]
    order = np.lexsort((rows, -similarities))[:k]
    return rows[order], similarities[order]

"""φ that was computed once in a session: rows × schemes, filled as they are asked for.

    held    rows ascending     values [rows, schemes]     there [rows, schemes]

From round to round most candidates stay and a few schemes gain weight: only what is new is
computed, the schemes that lack the same rows together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.types import Phi, Rows

Columns = NDArray[np.int64]  # positions of schemes
Compute = Callable[[Rows, Columns], Phi]


class _Held(NamedTuple):
    rows: Rows
    values: Phi
    there: NDArray[np.bool_]


class ComputedPhi:
    """φ of some rows by some schemes, each value computed once."""

    def __init__(self, schemes: int) -> None:
        # Replaced as one, never changed: readers in other threads have the one or the other.
        self._held = _Held(
            np.zeros(0, np.int64), np.zeros((0, schemes), np.float32),
            np.zeros((0, schemes), np.bool_),
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(array.nbytes for array in self._held)

    def of(self, rows: Rows, columns: Columns, compute: Compute) -> Phi:
        """φ of these rows by these schemes, in their order, [rows, columns]."""
        held, at = self._held, self._places(self._held, rows)
        if at is None or not held.there[np.ix_(at, columns)].all():
            held = self._held = _filled(_grown(held, rows), rows, columns, compute)
            at = np.searchsorted(held.rows, rows)
        phi: Phi = held.values[np.ix_(at, columns)]
        return phi

    @staticmethod
    def _places(held: _Held, rows: Rows) -> Rows | None:
        """Where rows stand; None where one of them is not there."""
        if not len(held.rows):
            return None
        at = np.minimum(np.searchsorted(held.rows, rows), len(held.rows) - 1)
        return at if (held.rows[at] == rows).all() else None


def _grown(held: _Held, rows: Rows) -> _Held:
    """A copy with a place for each of these rows."""
    every = np.union1d(held.rows, rows)
    at = np.searchsorted(every, held.rows)
    shape = (len(every), held.values.shape[1])
    values, there = np.zeros(shape, np.float32), np.zeros(shape, np.bool_)
    values[at], there[at] = held.values, held.there
    return _Held(every, values, there)


def _filled(held: _Held, rows: Rows, columns: Columns, compute: Compute) -> _Held:
    """What is missing of these rows and schemes put in; a copy is given and changed."""
    at = np.unique(np.searchsorted(held.rows, rows))
    lacking = ~held.there[np.ix_(at, columns)].T
    alike: dict[bytes, list[int]] = {}
    for place, rows_lacking in enumerate(lacking):
        alike.setdefault(rows_lacking.tobytes(), []).append(place)
    for places in alike.values():
        some, wanted = at[lacking[places[0]]], columns[places]
        if len(some):
            here = np.ix_(some, wanted)
            held.values[here], held.there[here] = compute(held.rows[some], wanted), True
    return held

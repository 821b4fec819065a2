"""φ kept in a session: each value is computed once, whatever is asked for in which order."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.engine.loop.computed import ComputedPhi
from saccade.types import Phi, Rows

SCHEMES = 5
asked = st.tuples(
    st.lists(st.integers(0, 30), max_size=12),
    st.lists(st.integers(0, SCHEMES - 1), min_size=1, max_size=SCHEMES, unique=True),
)


class Counting:
    """A φ whose values name their place, and a note of every place that was computed."""

    def __init__(self) -> None:
        self.places: list[tuple[int, int]] = []

    def __call__(self, rows: Rows, columns: Rows) -> Phi:
        assert (np.diff(rows) > 0).all()
        self.places += [(row, column) for row in rows.tolist() for column in columns.tolist()]
        return value(rows, columns)


def value(rows: Rows, columns: Rows) -> Phi:
    return (100.0 * rows[:, None] + columns).astype(np.float32)


@given(st.lists(asked, min_size=1, max_size=8))
@settings(deadline=None)
def test_every_value_is_right_and_computed_once(several: list[tuple[list[int], list[int]]]) -> None:
    """Rows in any order, twice or not at all, by any schemes, after any others."""
    known, compute = ComputedPhi(SCHEMES), Counting()
    for some, schemes in several:
        rows, columns = np.array(some, np.int64), np.sort(np.array(schemes, np.int64))
        np.testing.assert_array_equal(known.of(rows, columns, compute), value(rows, columns))
    assert len(set(compute.places)) == len(compute.places)
    wanted = {(row, column) for some, schemes in several for row in some for column in schemes}
    assert set(compute.places) == wanted


def test_schemes_that_lack_the_same_rows_are_computed_together() -> None:
    """A scheme that gains weight is computed for all candidates, the others for the new ones."""
    known, calls = ComputedPhi(SCHEMES), []

    def compute(rows: Rows, columns: Rows) -> Phi:
        calls.append((rows.tolist(), columns.tolist()))
        return value(rows, columns)

    known.of(np.array([3, 1, 2]), np.array([0, 4]), compute)
    known.of(np.array([1, 2, 3, 9]), np.array([0, 2, 4]), compute)
    assert calls == [([1, 2, 3], [0, 4]), ([9], [0, 4]), ([1, 2, 3, 9], [2])]
    assert known.nbytes > 0

"""Two ways to the same value: the kernel has short cuts, and they change nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.rankers.objective import Measure


@settings(max_examples=80)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 2)), min_size=1, max_size=40))
def test_average_precision_by_placing_equals_that_by_sorting(rows: list[tuple[int, int]]) -> None:
    """A cut beyond the end takes the sorting way; ties are many here."""
    scores, grades = np.array([r[0] for r in rows], float), np.array([r[1] for r in rows])
    starts = np.array([0, len(rows)])
    placed = Measure("map").judge(grades, starts).values(scores)
    ordered = Measure("map", 1000).judge(grades, starts).values(scores)
    assert placed.tolist() == ordered.tolist()


@settings(max_examples=80)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 2)), min_size=9, max_size=60))
def test_a_short_list_kept_by_insertion_equals_a_whole_sort(rows: list[tuple[int, int]]) -> None:
    """The first two ranks are found without ordering the rest."""
    scores, grades = np.array([r[0] for r in rows], float), np.array([r[1] for r in rows])
    starts = np.array([0, len(rows)])
    short = Measure("p", 2).judge(grades, starts).values(scores)[0]
    first = np.argsort(-scores, kind="stable")[:2]
    assert short == (grades[first] > 0).mean()

"""Laws of rankers that are fitted: what must not matter does not."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import rankers
from saccade.rankers.checked import queries


@st.composite
def graded(draw):
    """Rows of a few queries, at least one of which has something to order."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    rows = draw(st.integers(6, 30))
    phi = rng.normal(size=(rows, draw(st.integers(1, 6))))
    grades = rng.integers(0, draw(st.integers(2, 4)), rows)
    groups = rng.integers(-3, 3, rows)
    grades[:2], groups[:2] = (0, 1), 0
    return phi, grades, groups


@given(graded(), st.integers(0, 2**16))
@settings(max_examples=40)
def test_the_order_of_rows_does_not_matter_to_the_optimum(rows, seed):
    """Shuffled rows give the ranking SVM the same weights, to rounding."""
    phi, grades, groups = rows
    order = np.random.default_rng(seed).permutation(len(phi))
    one, other = rankers.make("ranksvm"), rankers.make("ranksvm")
    one.fit(phi, grades, groups)
    other.fit(phi[order], grades[order], groups[order])
    assert np.allclose(one.weights, other.weights, rtol=1e-3, atol=1e-4)


@given(graded(), st.floats(0.01, 100), st.floats(-50, 50))
@settings(max_examples=40)
def test_the_scale_of_a_column_does_not_matter(rows, scale, shift):
    """On standard scores, a column in other units is the same column."""
    phi, grades, groups = rows
    moved = phi.copy()
    moved[:, 0] = scale * moved[:, 0] + shift
    one, other = rankers.make("ranksvm"), rankers.make("ranksvm")
    one.fit(phi, grades, groups)
    other.fit(moved, grades, groups)
    assert np.allclose(one.weights[1:], other.weights[1:], rtol=1e-2, atol=2e-3)
    assert np.allclose(one.weights[0], other.weights[0] * scale, rtol=1e-2, atol=2e-3)


@given(graded())
def test_grouping_loses_and_invents_nothing(rows):
    """Every telling query is kept whole, the others are counted."""
    phi, grades, groups = rows
    found = queries(phi, grades, groups)
    kept = {q for q in np.unique(groups) if len(np.unique(grades[groups == q])) > 1}
    assert len(found) == len(kept)
    assert found.skipped == len(np.unique(groups)) - len(kept)
    expected = np.isin(groups, list(kept))
    assert sorted(map(tuple, found.phi.tolist())) == sorted(
        map(tuple, phi[expected].astype(np.float32).tolist())
    )
    for rows_of_query in found:
        assert len(np.unique(found.grades[rows_of_query])) > 1

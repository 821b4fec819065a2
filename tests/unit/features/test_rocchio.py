"""Rocchio on unit vectors seen from the collection's centre."""

from __future__ import annotations

import numpy as np

from saccade.features.rocchio import AGAINST, centred, direction, score, scores

RNG = np.random.default_rng(4)
ROWS = RNG.random((30, 8)).astype(np.float32)
ROWS[7] = 0.0
CENTRE = (ROWS / np.maximum(np.linalg.norm(ROWS, axis=1, keepdims=True), 1e-9)).mean(0)
SEEN = centred(ROWS, CENTRE)
NONE = SEEN[:0]


def test_rows_are_seen_from_the_centre_at_unit_length():
    """Unit, minus the centre, unit again; a blank picture and the centre itself have none."""
    unit = ROWS[3] / np.linalg.norm(ROWS[3]) - CENTRE
    np.testing.assert_allclose(SEEN[3], unit / np.linalg.norm(unit), rtol=1e-4, atol=1e-6)
    assert not SEEN[7].any()
    one = np.array([[3.0, 4.0]], np.float32)
    assert not centred(one, one[0] / 5).any()


def test_several_directions_in_one_pass_equal_each_alone():
    """The products with stored rows give the same as products with centred rows."""
    many = RNG.standard_normal((3, 8)).astype(np.float32)
    np.testing.assert_allclose(scores(many, ROWS, CENTRE), SEEN @ many.T, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(score(many[1], ROWS, CENTRE), SEEN @ many[1], rtol=1e-3, atol=1e-4)
    assert not scores(many, ROWS, CENTRE)[7].any()
    known = np.linalg.norm(ROWS, axis=1)
    again = scores(many, ROWS, CENTRE, lengths=known)
    np.testing.assert_allclose(again, scores(many, ROWS, CENTRE), rtol=1e-5, atol=1e-6)


def test_without_marks_it_is_the_query():
    """Centred cosine, and a query of several pictures is their mean."""
    np.testing.assert_array_equal(direction(SEEN[:1], NONE, NONE), SEEN[0])
    np.testing.assert_allclose(direction(SEEN[:2], NONE, NONE), SEEN[:2].mean(0), rtol=1e-6)


def test_marks_move_it_by_their_mean_shrunk_by_one():
    """So many likes, n, add n / (n + 1) of their mean, dislikes take away half of that."""
    got = direction(SEEN[:1], SEEN[1:4], SEEN[4:6])
    want = SEEN[0] + 0.75 * SEEN[1:4].mean(0) - AGAINST * 2 / 3 * SEEN[4:6].mean(0)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    moved, before = SEEN @ got, SEEN @ SEEN[0]
    assert (moved - before)[1:4].mean() > 0 > (moved - before)[4:6].mean()

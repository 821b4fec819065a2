"""Two experts on two spreads: marks counted, and marks that cut down."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.features.marks import DISLIKE, FAINT, LIKE, QUERY, contrast_scores, spread_scores

# A line of seven pictures; what one source of 1 sends to its place and its neighbours.
PLACES = np.arange(7)


def source(place: int) -> np.ndarray:
    return 0.1 * 0.3 ** np.abs(PLACES - place).astype(float)


def toward(*likes: int) -> np.ndarray:
    return QUERY * source(0) + LIKE * sum((source(p) for p in likes), np.zeros(7))


def against(*dislikes: int) -> np.ndarray:
    return sum((source(p) for p in dislikes), np.zeros(7))


def test_without_marks_both_are_the_querys_own_spread():
    """Nothing moves before something is said."""
    want = np.arcsinh(source(0) / FAINT)
    none = spread_scores(toward(), against(), likes=0, dislikes=0)
    np.testing.assert_allclose(none, want, rtol=1e-6)
    np.testing.assert_allclose(contrast_scores(toward(), against()), want, rtol=1e-6)


def test_a_like_raises_what_is_near_it_most():
    """Even one that stood first already: scores around it rise, and most where it is."""
    before = spread_scores(toward(), against(), likes=0, dislikes=0)
    after = spread_scores(toward(5), against(), likes=1, dislikes=0)
    gain = after - before
    assert (gain > 0).all()
    assert gain[5] > gain[3] > gain[0]


def test_a_dislike_sinks_what_is_near_it_and_leaves_the_rest():
    """In both experts its own place falls most, and the far end hardly moves."""
    for score in (
        lambda a, n: spread_scores(toward(1, 2), a, likes=2, dislikes=n),
        lambda a, n: contrast_scores(toward(1, 2), a),
    ):
        fall = score(against(), 0) - score(against(6), 1)
        assert (fall >= 0).all()
        assert fall[6] == fall.max() > 0.5
        assert fall[0] < 0.01


def test_a_like_and_a_dislike_on_one_spot_leave_half_a_like():
    """Answers are counted, so that a wrong one among right ones is outvoted."""
    both = spread_scores(toward(4), against(4), likes=1, dislikes=1)
    want = np.arcsinh((QUERY * source(0) + (LIKE - DISLIKE) * source(4)) / (FAINT * QUERY))
    np.testing.assert_allclose(both, want, rtol=1e-6)


@pytest.mark.parametrize("count", [4, 10, 100])
def test_many_dislikes_never_turn_the_query_into_something_not_wanted(count):
    """However many are wrong on a bad first page, the query's own place stays wanted."""
    scores = spread_scores(toward(), against(*[1] * count), likes=0, dislikes=count)
    assert scores[0] > 0
    assert scores[1] < 0

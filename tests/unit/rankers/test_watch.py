"""Early stopping: which state is kept, and when it is time to stop."""

from __future__ import annotations

import numpy as np

from saccade.rankers.batch import Watch

SEEN = (np.arange(3.0)[:, None], [0, 1, 2], [4, 4, 4])
GOOD, FAIR, BAD = np.array([0.0, 1, 2]), np.array([1.0, 0, 2]), np.array([2.0, 1, 0])


def watch(patience: int) -> Watch:
    return Watch(SEEN, measure="ndcg", patience=patience, width=1)


def test_of_equally_good_states_the_first_is_kept() -> None:
    """More steps must buy something; the value is that of the state."""
    found = watch(9)
    for number, scores in enumerate((BAD, FAIR, GOOD, FAIR, GOOD)):
        assert not found.stop(scores, number)
    assert (found.best, found.value) == (2, 1.0)


def test_it_stops_after_as_many_states_without_a_gain_as_its_patience() -> None:
    """A gain in between starts the count anew."""
    found = watch(2)
    assert [found.stop(s, None) for s in (FAIR, BAD, GOOD, FAIR, GOOD)] == [*[False] * 4, True]


def test_without_rows_that_order_anything_the_last_state_is_kept() -> None:
    """No validation rows, or none with two grades: nothing is judged, nothing stops."""
    for rows in (None, (np.zeros((2, 1)), [1, 1], [0, 0])):
        found = Watch(rows, measure="ndcg", patience=1, width=1)
        assert found.phi is None
        assert not any(found.stop(None, number) for number in range(5))
        assert found.best == 4

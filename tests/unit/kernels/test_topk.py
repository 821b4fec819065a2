from __future__ import annotations

import numpy as np

from saccade.kernels.topk import top


def test_the_best_come_first() -> None:
    """Positions, not scores."""
    assert top(np.array([0.1, 0.9, 0.5], np.float32), 2).tolist() == [1, 2]


def test_ties_go_to_the_lower_position() -> None:
    """Also when the tie is at the end of the list."""
    assert top(np.ones(6, np.float32), 3).tolist() == [0, 1, 2]
    assert top(np.array([0, 1, 0, 1, 0], np.float32), 3).tolist() == [1, 3, 0]


def test_none_of_nothing() -> None:
    """Neither an empty collection nor an empty page reads beyond its arrays."""
    assert top(np.zeros(0, np.float32), 5).tolist() == []
    assert top(np.ones(5, np.float32), 0).tolist() == []


def test_a_list_is_short_never_padded() -> None:
    """Excluded positions do not come back as filling."""
    scores = np.array([-np.inf, 2.0, np.nan], np.float32)
    assert top(scores, 3).tolist() == [1]

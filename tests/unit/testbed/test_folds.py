from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.testbed.folds import cyclic, rows_of


def test_each_query_is_tested_once_and_never_on_two_sides() -> None:
    """Train, validation and test part the queries; over the folds each is tested exactly once."""
    tested = []
    for fold in cyclic(23, rng=np.random.default_rng(3)):
        everything = np.concatenate([fold.train, fold.validate, fold.test])
        assert sorted(everything) == list(range(23))
        tested.extend(fold.test.tolist())
    assert sorted(tested) == list(range(23))


def test_too_few_queries_are_refused() -> None:
    """Five folds need five queries."""
    with pytest.raises(InvalidInput, match="4 queries"):
        list(cyclic(4, rng=np.random.default_rng(0)))
    with pytest.raises(InvalidInput, match="2 folds"):
        list(cyclic(40, folds=2, rng=np.random.default_rng(0)))


def test_rows_of_queries_are_found_wherever_they_lie() -> None:
    """Rows are taken by their query's number."""
    assert rows_of(np.array([4, 9, 4, 2]), np.array([4, 2])).tolist() == [0, 2, 3]

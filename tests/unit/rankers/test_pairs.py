"""Preference pairs of graded rows."""

from __future__ import annotations

import numpy as np

from saccade.rankers.checked import training
from saccade.rankers.pairs import count, pairs


def graded(seed=0):
    rng = np.random.default_rng(seed)
    return training(rng.random((50, 2)), rng.integers(0, 4, 50), np.sort(rng.integers(0, 5, 50)))


def brute(queries):
    found = set()
    for rows in queries:
        for i in range(rows.start, rows.stop):
            for j in range(rows.start, rows.stop):
                if queries.grades[i] > queries.grades[j]:
                    found.add((i, j))
    return found


def test_every_pair_of_different_grade_is_there_once():
    """All pairs within each query, none across queries."""
    for seed in range(5):
        queries = graded(seed)
        winners, losers = pairs(queries, limit=10**6, rng=np.random.default_rng(0))
        assert len(winners) == count(queries) == len(brute(queries))
        assert set(zip(winners.tolist(), losers.tolist(), strict=True)) == brute(queries)


def test_above_the_limit_a_seeded_share_of_each_query_is_drawn():
    """About the limit, no pair twice, every query heard, the same for the same seed."""
    queries = graded()
    drawn = [pairs(queries, limit=60, rng=np.random.default_rng(s)) for s in (1, 1, 2)]
    winners, losers = drawn[0]
    chosen = set(zip(winners.tolist(), losers.tolist(), strict=True))
    assert abs(len(winners) - 60) <= len(queries)
    assert len(chosen) == len(winners)
    assert chosen <= brute(queries)
    starts = np.searchsorted(queries.starts, winners, side="right") - 1
    assert set(starts.tolist()) == set(range(len(queries)))
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])

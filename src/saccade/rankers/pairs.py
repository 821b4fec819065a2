"""Preference pairs within each query: every row before every row of a lower grade.

Where a training set has more than `limit` pairs, about `limit` of them are drawn at random with a
seed: each query gets a share in proportion to its number of pairs (at least one), drawn without
repetition.
"""

from __future__ import annotations

import numpy as np

from saccade.rankers.checked import Queries
from saccade.types import Rows


def _count(grades: Rows) -> int:
    """How many pairs one query has."""
    sizes = np.unique(grades, return_counts=True)[1]
    return int((len(grades) ** 2 - (sizes**2).sum()) // 2)


def count(queries: Queries) -> int:
    """How many preference pairs there are, without forming them."""
    return sum(_count(queries.grades[rows]) for rows in queries)


def _of_query(grades: Rows, chosen: Rows | None) -> tuple[Rows, Rows]:
    """Pairs of one query, ordered by winner and loser; only the `chosen` ones of them if given."""
    order = np.argsort(-grades, kind="stable")
    levels = -grades[order]
    below = np.searchsorted(levels, levels, side="right")  # first position of a lower grade
    amounts = len(levels) - below
    ends = np.cumsum(amounts)
    if chosen is None:
        chosen = np.arange(ends[-1])
    winner = np.searchsorted(ends, chosen, side="right")
    loser = below[winner] + chosen - (ends - amounts)[winner]
    return order[winner], order[loser]


def pairs(queries: Queries, *, limit: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Rows of the winners and of the losers.

    >>> from saccade.rankers.checked import training
    >>> graded = training(np.eye(4), np.array([0, 2, 1, 1]), np.array([7, 7, 7, 7]))
    >>> winners, losers = pairs(graded, limit=99, rng=np.random.default_rng(0))
    >>> list(zip(winners.tolist(), losers.tolist()))
    [(1, 2), (1, 3), (1, 0), (2, 0), (3, 0)]
    """
    total = count(queries)
    won, lost = [], []
    for rows in queries:
        grades = queries.grades[rows]
        chosen = None
        if total > limit:
            own = _count(grades)
            share = min(own, max(1, round(limit * own / total)))
            chosen = np.sort(rng.choice(own, share, replace=False, shuffle=False))
        winners, losers = _of_query(grades, chosen)
        won.append(winners + rows.start)
        lost.append(losers + rows.start)
    return np.concatenate(won), np.concatenate(lost)

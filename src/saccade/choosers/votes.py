"""What several experts' ranked lists say together: by the heaviest expert, or by a weighted vote.

    first   an expert gives its weight to the image it ranks first (majority vote, Aly 2011)
    rank    weight · (1 − (rank − 1) / depth), to the first `depth`
    score   weight · (score − lowest) / (highest − lowest), within the list; equal scores all give 1

A ranked list is `(rows, scores)`, best first, and may be short or empty: an expert that failed says
nothing. Points add up over the experts; the answer is a ranked list again, ties to the lower row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from saccade.choosers.steady import Floats
from saccade.errors import InvalidInput, UnknownName
from saccade.types import Rows

Ranked = tuple[ArrayLike, ArrayLike]
"""Rows [k] and their scores [k], best first."""


def _first(scores: Floats, depth: int) -> Floats:
    return np.asarray(np.arange(len(scores)) == 0, np.float64)


def _rank(scores: Floats, depth: int) -> Floats:
    return 1.0 - np.arange(len(scores)) / depth


def _score(scores: Floats, depth: int) -> Floats:
    if len(scores) == 0 or scores[0] == scores[-1]:
        return np.ones(len(scores))
    return np.asarray((scores - scores[-1]) / (scores[0] - scores[-1]))


VOTES: dict[str, Callable[[Floats, int], Floats]] = {
    "first": _first,
    "rank": _rank,
    "score": _score,
}


def heaviest(weights: ArrayLike) -> int:
    """The expert with the largest weight; ties go to the lower one.

    >>> heaviest([0.2, 0.4, 0.4])
    1
    """
    shares = np.asarray(weights, np.float64)
    if shares.ndim != 1 or len(shares) == 0 or not np.isfinite(shares).all():
        raise InvalidInput("weights must be finite numbers, one an expert, at least one")
    return int(shares.argmax())


def vote(
    lists: Sequence[Ranked], weights: ArrayLike, *, by: str = "rank", depth: int = 100
) -> tuple[Rows, Floats]:
    """Rows and points of all that any list named, best first; only the first `depth` of each count.

    >>> a, b = ([7, 3], [0.9, 0.1]), ([3, 5], [0.8, 0.7])
    >>> vote([a, b], [0.6, 0.4], by="first")
    (array([7, 3, 5]), array([0.6, 0.4, 0. ]))
    >>> vote([a, b], [0.6, 0.4], by="rank", depth=2)
    (array([3, 7, 5]), array([0.7, 0.6, 0.2]))
    """
    if by not in VOTES:
        raise UnknownName("vote", by, VOTES)
    if depth < 1:
        raise InvalidInput(f"depth is {depth}: expected 1 or more")
    shares = np.asarray(weights, np.float64)
    if shares.shape != (len(lists),) or not (np.isfinite(shares) & (shares >= 0.0)).all():
        raise InvalidInput(f"weights must be {len(lists)} finite numbers from 0 on, one a list")
    named, points = [np.empty(0, np.int64)], [np.empty(0)]
    for place, ranked in enumerate(lists):
        rows, scores = _checked(ranked, place)
        named.append(rows[:depth])
        points.append(shares[place] * VOTES[by](scores[:depth], depth))
    rows, places = np.unique(np.concatenate(named), return_inverse=True)
    # add.at adds in the order given, expert by expert: the same bits every time.
    sums: Floats = np.zeros(len(rows))
    np.add.at(sums, places, np.concatenate(points))
    order = np.argsort(-sums, kind="stable")
    return rows[order], sums[order]


def _checked(ranked: Ranked, place: int) -> tuple[Rows, Floats]:
    rows, scores = (np.asarray(part) for part in ranked)
    if rows.ndim != 1 or rows.shape != scores.shape:
        raise InvalidInput(
            f"list {place}: rows have shape {rows.shape} and scores {scores.shape}, "
            "expected as many of the one as of the other"
        )
    values = scores.astype(np.float64)
    if not np.isfinite(values).all() or (np.diff(values) > 0.0).any():
        raise InvalidInput(f"list {place}: scores must be finite and fall, best first")
    if len(np.unique(rows)) != len(rows):
        raise InvalidInput(f"list {place} names a row twice")
    return rows.astype(np.int64), values

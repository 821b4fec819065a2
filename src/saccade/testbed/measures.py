"""How good is a ranking: per query and on average.

    evaluate(["ndcg@10", "map"], scores, grades, groups).mean     {'ndcg@10': 0.44…, 'map': 0.44…}

Conventions, the same for every measure (`saccade.kernels.measures` has the formulas):

- Grade 0 is irrelevant, every other grade relevant; `ndcg` and `err` use the gain 2^grade - 1.
- `ndcg@k` discounts by log2(1 + rank); `ndcg-letor@k` as LETOR 3's tool does, by 1 at rank 1 and
  log2(rank) after it.
- Equal scores are ordered by lower row.
- A query without relevant documents counts as 0 in the mean; `Evaluation.without_relevant` says how
  many there were.
- `pairs` has no value for a query without two different grades: NaN, left out of the mean.
- `err` divides by 2^top, top being the highest grade among all rows given.

The third of three is relevant, the first is ranked best:

>>> scores, grades = [0.9, 0.5, 0.7], [1, 0, 1]
>>> average_precision(scores, grades), precision(scores, grades, k=2), recall(scores, grades, k=1)
(1.0, 1.0, 0.5)
>>> ndcg(scores, grades), reciprocal_rank(scores, grades), pairwise_accuracy(scores, grades)
(1.0, 1.0, 1.0)
>>> round(err(scores, grades, top=1), 3)
0.625
>>> Measure.parse("ndcg@10").kind == Measure.parse("ndcg").kind
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.rankers.objective import MEASURES, Judge, Measure

__all__ = [
    "MEASURES",
    "Evaluation",
    "Measure",
    "average_precision",
    "average_precision_of_ranking",
    "err",
    "evaluate",
    "ndcg",
    "ndcg_of_ranking",
    "of_ranking",
    "pairwise_accuracy",
    "precision",
    "recall",
    "reciprocal_rank",
    "value",
]


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Measures of one run: `per_query[name][i]` belongs to query `queries[i]`."""

    queries: NDArray[np.int64]
    per_query: dict[str, NDArray[np.float64]]
    mean: dict[str, float]
    without_relevant: int
    without_pairs: int


def evaluate(
    measures: Sequence[str | Measure],
    scores: ArrayLike,
    grades: ArrayLike,
    groups: ArrayLike,
) -> Evaluation:
    """Judge scored rows; rows of one query share a group number.

    >>> scores, grades, groups = np.array([2., 1., 3.]), np.array([1, 0, 0]), np.array([5, 5, 5])
    >>> evaluate(["map", "p@1"], scores, grades, groups).mean
    {'map': 0.5, 'p@1': 0.0}
    """
    scores, grades = _checked(scores, grades)
    groups = np.asarray(groups)
    if groups.shape != scores.shape:
        raise InvalidInput(f"{len(scores)} scores, groups {groups.shape}: one query number a row")
    order, starts = by_query(groups)
    scores, grades, groups = scores[order], grades[order], groups[order]
    per_query, mean = {}, {}
    for measure in map(Measure.parse, measures):
        judge = measure.judge(grades, starts)
        per_query[str(measure)] = judge.values(scores)
        mean[str(measure)] = judge.mean(scores)
    highest = np.maximum.reduceat(grades, starts[:-1])
    lowest = np.minimum.reduceat(grades, starts[:-1])
    return Evaluation(
        queries=groups[starts[:-1]],
        per_query=per_query,
        mean=mean,
        without_relevant=int((highest == 0).sum()),
        without_pairs=int((highest == lowest).sum()),
    )


def by_query(groups: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(order, starts) that bring the rows of each query together.

    Queries keep the order of their first row, and rows keep theirs within the query.

    >>> order, starts = by_query(np.array([7, 3, 7]))
    >>> order.tolist(), starts.tolist()
    ([0, 2, 1], [0, 2, 3])
    """
    _, seen, number = np.unique(groups, return_index=True, return_inverse=True)
    first = seen[number]
    order = np.argsort(first, kind="stable")
    heads = np.flatnonzero(np.diff(first[order], prepend=-1))
    return order.astype(np.int64), np.append(heads, len(order)).astype(np.int64)


def _checked(scores: ArrayLike, grades: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Finite scores and grades from 0, one of each a row."""
    scores, grades = np.asarray(scores, np.float64), np.asarray(grades)
    if scores.ndim != 1 or grades.shape != scores.shape or not len(scores):
        raise InvalidInput(
            f"scores {scores.shape} and grades {grades.shape}: expected one of each a row, [n]"
        )
    if not np.isfinite(scores).all():
        raise InvalidInput(f"score of row {int(np.argmin(np.isfinite(scores)))} is not a number")
    with np.errstate(invalid="ignore"):
        whole = grades.astype(np.int64)
    wrong = np.flatnonzero((whole != grades) | (whole < 0))
    if len(wrong):
        raise InvalidInput(f"grade {grades[wrong[0]]} of row {wrong[0]}: not a whole number from 0")
    return scores, whole


def value(measure: str | Measure, scores: ArrayLike, grades: ArrayLike) -> float:
    """A measure of one query, by its text.

    >>> value("ndcg@2", [0.9, 0.5], [1, 0])
    1.0
    """
    scores, grades = _checked(scores, grades)
    judge = Judge(Measure.parse(measure), grades, np.array([0, len(grades)], np.int64))
    return float(judge.values(scores)[0])


def of_ranking(measure: str | Measure, grades_in_order: ArrayLike) -> float:
    """A measure of one query whose grades are given in ranked order, best first.

    >>> of_ranking("rr", [0, 0, 1])
    0.3333333333333333
    """
    grades = np.asarray(grades_in_order)
    return value(measure, -np.arange(len(grades), dtype=np.float64), grades)


def average_precision(scores: ArrayLike, grades: ArrayLike) -> float:
    """Mean of the precision at each relevant document's rank."""
    return value("map", scores, grades)


def average_precision_of_ranking(grades_in_order: ArrayLike) -> float:
    """Average precision of grades in ranked order.

    >>> round(average_precision_of_ranking([1, 0, 1]), 4)
    0.8333
    """
    return of_ranking("map", grades_in_order)


def ndcg(scores: ArrayLike, grades: ArrayLike, *, k: int = 0, letor: bool = False) -> float:
    """Gain 2^grade - 1, discounted by rank, over the best there is; `k` 0 looks at every rank."""
    return value(Measure("ndcg-letor" if letor else "ndcg", k), scores, grades)


def ndcg_of_ranking(grades_in_order: ArrayLike, k: int = 0, *, letor: bool = False) -> float:
    """NDCG of grades in ranked order; the best order is that of the same grades.

    >>> round(ndcg_of_ranking([0, 2, 1], 3), 4)
    0.659
    """
    return of_ranking(Measure("ndcg-letor" if letor else "ndcg", k), grades_in_order)


def precision(scores: ArrayLike, grades: ArrayLike, *, k: int) -> float:
    """Share of relevant documents among the first `k`; ranks that are not there count as misses."""
    return value(Measure("p", k), scores, grades)


def recall(scores: ArrayLike, grades: ArrayLike, *, k: int) -> float:
    """Share of the relevant documents that are among the first `k`."""
    return value(Measure("recall", k), scores, grades)


def reciprocal_rank(scores: ArrayLike, grades: ArrayLike) -> float:
    """One over the rank of the first relevant document."""
    return value("rr", scores, grades)


def err(scores: ArrayLike, grades: ArrayLike, *, k: int = 0, top: int) -> float:
    """Expected reciprocal rank (Chapelle et al. 2009) where `top` is the highest grade there is."""
    scores, grades = _checked(scores, grades)
    judge = Judge(Measure("err", k), grades, np.array([0, len(grades)], np.int64), top=top)
    return float(judge.values(scores)[0])


def pairwise_accuracy(scores: ArrayLike, grades: ArrayLike) -> float:
    """Share of pairs of unequal grade in the right order, a tie counts half; NaN without a pair."""
    return value("pairs", scores, grades)

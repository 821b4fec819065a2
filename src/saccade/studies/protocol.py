"""Learning to rank pictures by class: queries, training rows and lists to judge.

    relevant(q, p) = same class        training row = (q, p) with all relevant p and sampled others

Wan et al. 2015, section 5.1: five folds of the images; a fold's test queries come from one part,
its validation queries from another, its training queries and their p from the other three.
Validation and test queries rank the whole collection without themselves. A small set has fewer
queries than asked for; `Split.queries` says how many.

φ comes from a function `row → [n, m]`, so that nothing here knows where it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.testbed.folds import Fold, cyclic
from saccade.types import Phi, Rows

PhiOf = Callable[[int], Phi]  # a query's row -> φ to every image, [n, m]
Graded = tuple[Phi, NDArray[np.int64], NDArray[np.int64]]  # phi, grades, groups


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of everything; the paper's numbers by default."""

    folds: int = 5
    validation: int = 300
    test: int = 150
    instances: int = 200_000
    tuning: int = 50_000  # instances that settings are tried on; the winner learns from all

    @classmethod
    def quick(cls) -> Sizes:
        """Enough to see that everything runs."""
        return cls(validation=30, test=30, instances=10_000, tuning=5_000)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One fold, ready to learn from; `queries` are the rows of the test queries."""

    number: int
    train: Graded
    tuning: Graded
    validate: Graded
    test: Graded
    queries: Rows
    sampled: int  # irrelevant rows a training query


def splits(labels: NDArray[np.int64], phi_of: PhiOf, sizes: Sizes, *, seed: int) -> Iterator[Split]:
    """Fold after fold; a class of one image has nothing relevant and gives no query."""
    _, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
    usable = np.flatnonzero(counts[inverse] > 1)
    if len(counts) < 2 or len(usable) < sizes.folds:
        raise InvalidInput(
            f"{len(labels)} images in {len(counts)} classes: a study needs two classes, and "
            f"{sizes.folds} images that share theirs with another"
        )
    rng = np.random.default_rng(seed)
    for fold in cyclic(len(usable), folds=sizes.folds, rng=rng):
        part = Fold(fold.number, *(usable[p] for p in (fold.train, fold.validate, fold.test)))
        train, sampled = _training(labels, phi_of, part.train, sizes.instances, rng)
        queries = _drawn(part.test, sizes.test, rng)
        yield Split(
            part.number,
            train,
            _some_queries(train, sizes.tuning, rng),
            _lists(labels, phi_of, _drawn(part.validate, sizes.validation, rng)),
            _lists(labels, phi_of, queries),
            queries,
            sampled,
        )


def _drawn(rows: Rows, count: int, rng: np.random.Generator) -> Rows:
    """At most `count` of the rows, in order."""
    return np.sort(rng.choice(rows, min(count, len(rows)), replace=False))


def _training(
    labels: NDArray[np.int64], phi_of: PhiOf, rows: Rows, instances: int, rng: np.random.Generator
) -> tuple[Graded, int]:
    """All relevant and some irrelevant training images for each training query."""
    relevant = {int(q): rows[(labels[rows] == labels[q]) & (rows != q)] for q in rows}
    queries = [q for q in relevant if len(relevant[q])]
    positives = sum(len(relevant[q]) for q in queries)
    if not queries:
        raise InvalidInput("no two training images share a class: use a larger set or fewer folds")
    # Where even one irrelevant image a query would be too many, queries are drawn instead.
    while positives + len(queries) > instances and len(queries) > 1:
        keep = max(1, int(len(queries) * instances / (positives + len(queries))))
        keep = min(keep, len(queries) - 1)
        queries = sorted(rng.choice(queries, keep, replace=False).tolist())
        positives = sum(len(relevant[q]) for q in queries)
    sampled = max(1, (instances - positives) // len(queries))
    parts, grades, groups = [], [], []
    for query in queries:
        others = rows[labels[rows] != labels[query]]
        negative = np.sort(rng.choice(others, min(sampled, len(others)), replace=False))
        chosen = np.concatenate([relevant[query], negative])
        parts.append(phi_of(query)[chosen])
        grades.append((labels[chosen] == labels[query]).astype(np.int64))
        groups.append(np.full(len(chosen), query, np.int64))
    return (np.concatenate(parts), np.concatenate(grades), np.concatenate(groups)), sampled


def _some_queries(rows: Graded, instances: int, rng: np.random.Generator) -> Graded:
    """Whole queries, drawn until they have about `instances` rows."""
    phi, grades, groups = rows
    if len(grades) <= instances:
        return rows
    queries = np.unique(groups)
    keep = max(1, round(len(queries) * instances / len(grades)))
    inside = np.isin(groups, rng.choice(queries, keep, replace=False))
    return phi[inside], grades[inside], groups[inside]


def _lists(labels: NDArray[np.int64], phi_of: PhiOf, queries: Rows) -> Graded:
    """Each query against every other image."""
    parts, grades, groups = [], [], []
    for query in queries.tolist():
        others = np.flatnonzero(np.arange(len(labels)) != query)
        parts.append(phi_of(query)[others])
        grades.append((labels[others] == labels[query]).astype(np.int64))
        groups.append(np.full(len(others), query, np.int64))
    return np.concatenate(parts), np.concatenate(grades), np.concatenate(groups)

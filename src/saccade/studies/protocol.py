"""Learning to rank pictures by class: queries, training rows and lists to judge.

    relevant(q, p) = same class        training rows of q = all relevant p and sampled others

Wan et al. 2015, section 5.1: five folds of the images; a fold's test queries come from one part,
its validation queries from another, its training queries and their p from the other three.
Validation and test queries rank the whole collection without themselves. A small set has fewer
queries than asked for; `Split.queries` says how many.

The paper counts *instances*: z = φ(q, p¹) − φ(q, p²), one for each relevant p¹ and sampled p². Ours
count rows (q, p), which gives lists more of the irrelevant. `Sizes.counted` says which.

φ comes from a function `row → [n, m]`, so that nothing here knows where it is computed. Everything
follows from the seed and the number of the fold: every system gets the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.testbed.folds import QueryFold, cyclic
from saccade.types import Phi, Rows

PhiOf = Callable[[int], Phi]  # a query's row -> φ to every image, [n, m]
Labels = NDArray[np.int64]
Graded = tuple[Phi, NDArray[np.int64], NDArray[np.int64]]  # phi, grades, groups

LEAST = 5  # irrelevant images a training query has at least; where that is too many, fewer queries


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of everything; the paper's numbers by default."""

    folds: int = 5
    validation: int = 300
    test: int = 150
    instances: int = 200_000
    counted: str = "pairs"  # what an instance is: a pair (z), or a row (q, p)
    queries: int = 0  # training queries at most; 0: as many as there are instances for


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One fold, ready to learn from; `queries` are the rows of the test queries."""

    number: int
    train: Graded
    validate: Graded
    test: Graded
    queries: Rows

    def sizes(self) -> dict[str, int]:
        """What the fold had to learn from and to judge by."""
        grades, groups = self.train[1:]
        _, at = np.unique(groups, return_inverse=True)
        relevant = np.bincount(at, weights=grades > 0)
        return {
            "fold": self.number,
            "training_rows": len(grades),
            "training_pairs": int((relevant * (np.bincount(at) - relevant)).sum()),
            "training_queries": len(relevant),
            "validation_queries": len(np.unique(self.validate[2])),
            "test_queries": len(self.queries),
        }


def fold_of(labels: Labels, sizes: Sizes, *, seed: int, fold: int) -> QueryFold:
    """The parts of fold 1, 2, …: the same for every system that asks with the same seed.

    A class of one image has nothing relevant and gives no query; distractors (label below 0)
    neither. Both are ranked, and may be drawn as irrelevant.
    """
    usable = queries_of(labels)
    if len(np.unique(labels[usable])) < 2 or len(usable) < sizes.folds:
        raise InvalidInput(
            f"{len(labels)} images in {len(np.unique(labels))} classes: a study needs two classes, "
            f"and {sizes.folds} images that share theirs with another"
        )
    if not 1 <= fold <= sizes.folds:
        raise InvalidInput(f"fold {fold}: expected 1 to {sizes.folds}")
    rng = np.random.default_rng(seed)
    parts = list(cyclic(len(usable), folds=sizes.folds, rng=rng))[fold - 1]
    train, validate, test = (usable[part] for part in (parts.train, parts.validate, parts.test))
    # Images that are no query are dealt out too, so that training knows only its own.
    rest = np.setdiff1d(np.arange(len(labels)), usable)
    dealt = rng.permutation(len(rest)) % sizes.folds
    mine = rest[~np.isin(dealt, [(fold + 2) % sizes.folds, (fold + 3) % sizes.folds])]
    return QueryFold(fold, np.sort(np.concatenate([train, mine])), validate, test)


def queries_of(labels: Labels) -> Rows:
    """Images that have another one of their class."""
    _, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
    return np.flatnonzero((counts[inverse] > 1) & (labels >= 0))


def split(labels: Labels, phi_of: PhiOf, sizes: Sizes, *, seed: int, fold: int) -> Split:
    """One fold with its φ."""
    part = fold_of(labels, sizes, seed=seed, fold=fold)
    rng = np.random.default_rng([seed, fold])
    # Queries first: they are the same however instances are counted.
    validation, test = (
        _drawn(part.validate, sizes.validation, rng),
        _drawn(part.test, sizes.test, rng),
    )
    return Split(
        fold,
        training(labels, phi_of, part.train, sizes, rng),
        lists(labels, phi_of, validation),
        lists(labels, phi_of, test),
        test,
    )


def _drawn(rows: Rows, count: int, rng: np.random.Generator) -> Rows:
    """At most `count` of the rows, in order."""
    return np.sort(rng.choice(rows, min(count, len(rows)), replace=False))


def training(
    labels: Labels, phi_of: PhiOf, rows: Rows, sizes: Sizes, rng: np.random.Generator
) -> Graded:
    """All relevant and some irrelevant training images for each training query."""
    relevant = {int(q): rows[(labels[rows] == labels[q]) & (rows != q)] for q in rows}
    queries = [q for q in relevant if labels[q] >= 0 and len(relevant[q])]
    if not queries:
        raise InvalidInput("no two training images share a class: use a larger set or fewer folds")
    counts = {q: len(relevant[q]) for q in queries}
    queries, budget = _affordable(queries, counts, sizes, rng)
    parts, grades, groups = [], [], []
    for query in queries:
        others = rows[labels[rows] != labels[query]]
        # The budget is a mean: rounding at random spends it whole.
        wanted = int(budget) + int(rng.random() < budget % 1.0)
        negative = np.sort(rng.choice(others, min(wanted, len(others)), replace=False))
        chosen = np.concatenate([relevant[query], negative])
        parts.append(phi_of(query)[chosen])
        grades.append((labels[chosen] == labels[query]).astype(np.int64))
        groups.append(np.full(len(chosen), query, np.int64))
    return np.concatenate(parts), np.concatenate(grades), np.concatenate(groups)


def _affordable(
    queries: list[int], counts: dict[int, int], sizes: Sizes, rng: np.random.Generator
) -> tuple[list[int], float]:
    """The queries that fit, in a random order, and how many irrelevant images each may have."""
    by_pair = sizes.counted == "pairs"
    if sizes.counted not in ("pairs", "rows"):
        raise InvalidInput(f"counted={sizes.counted!r}: expected 'pairs' or 'rows'")
    order = rng.permutation(queries).tolist()[: sizes.queries or None]
    cost = np.cumsum([counts[q] * LEAST if by_pair else counts[q] + LEAST for q in order])
    fit = max(1, int(np.searchsorted(cost, sizes.instances, side="right")))
    affordable = sorted(order[:fit])
    positives = sum(counts[q] for q in affordable)
    if by_pair:
        return affordable, max(1.0, sizes.instances / positives)
    return affordable, max(1.0, (sizes.instances - positives) / len(affordable))


def lists(labels: Labels, phi_of: PhiOf, queries: Rows) -> Graded:
    """Each query against every other image."""
    parts, grades, groups = [], [], []
    for query in queries.tolist():
        others = np.flatnonzero(np.arange(len(labels)) != query)
        parts.append(phi_of(query)[others])
        grades.append((labels[others] == labels[query]).astype(np.int64))
        groups.append(np.full(len(others), query, np.int64))
    return np.concatenate(parts), np.concatenate(grades), np.concatenate(groups)

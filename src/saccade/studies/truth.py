"""Queries with graded answers, whatever a set says it by: its own lists, or classes.

    grade(q, p) = 3 good, 2 ok, 1 junk, 0 absent      by Oxford-style lists
    grade(q, p) = 3 or 2 when p has the class of q     by classes and a column `condition`: the
                                                       usual condition is good, any other ok
    grade(q, p) = 1 when p has the class of q, else 0  by classes alone

A query is never among its own answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.studies.collection import Images
from saccade.studies.protocol import queries_of
from saccade.testbed.datasets.boxes import Box

CONDITION = "condition"


@dataclass(frozen=True, slots=True, eq=False)
class LabelledQuery:
    """One query: its image, and the grade of every image (its own is 0 and is left out)."""

    name: str
    image: int
    grades: NDArray[np.int64]
    box: Box | None = None  # the part of the image that asks; None: all of it


def asked(images: Images, *, count: int, seed: int) -> list[LabelledQuery]:
    """The set's own queries, or `count` images drawn from all classes in turn.

    Queries without a relevant image are left out: they measure nothing.
    """
    if images.dataset.queries:
        queries = _listed(images)
    else:
        queries = [
            LabelledQuery(images.paths[q], q, _same_class(images, q))
            for q in _drawn(images, count, np.random.default_rng([seed, 224])).tolist()
        ]
    queries = [one for one in queries if one.grades.any()]
    if len(queries) < 5:
        raise InvalidInput(
            f"{len(queries)} queries with relevant images: five folds need at least five"
        )
    return queries


def _listed(images: Images) -> list[LabelledQuery]:
    """Queries of Oxford-style lists; a picture that was merged with its double is that image."""
    place = images.images
    queries = []
    for query in images.dataset.queries:
        if query.picture in place:
            grades = np.zeros(len(images.rows), np.int64)
            for row, grade in query.grades.items():
                if row in place and place[row] != place[query.picture]:
                    grades[place[row]] = max(grade, grades[place[row]])
            queries.append(LabelledQuery(query.name, place[query.picture], grades, query.box))
    return queries


def _same_class(images: Images, query: int) -> NDArray[np.int64]:
    same = images.labels == images.labels[query]
    grades: NDArray[np.int64] = np.where(same, _conditions(images), 0)
    grades[query] = 0
    return grades


def _conditions(images: Images) -> NDArray[np.int64]:
    """3 for pictures in the usual condition (by day), 2 for others; 1 where none is told."""
    if CONDITION not in images.dataset.columns:
        return np.ones(len(images.rows), np.int64)
    told = np.array(images.dataset.column(CONDITION))
    names, counts = np.unique(told, return_counts=True)
    there = images.rows >= 0  # a distractor has no row of the set
    usual = told[np.where(there, images.rows, 0)] == names[np.argmax(counts)]
    return np.where(usual & there, 3, 2)


def _drawn(images: Images, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Images with companions, as many of each class as can be."""
    usable = rng.permutation(queries_of(images.labels))
    turn = np.zeros(len(usable), np.int64)
    seen: dict[int, int] = {}
    for place, image in enumerate(usable.tolist()):
        label = int(images.labels[image])
        turn[place] = seen[label] = seen.get(label, -1) + 1
    return np.sort(usable[np.argsort(turn, kind="stable")][:count])

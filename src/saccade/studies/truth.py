"""Queries with graded answers, whatever a set says it by: its own lists, or classes.

    grade(q, p) = 3 good, 2 ok, 1 junk, 0 absent      by Oxford-style lists
    grade(q, p) = 1 when p has the class of q, else 0

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


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One query: its image, and the grade of every image (its own is 0 and is left out)."""

    name: str
    image: int
    grades: NDArray[np.int64]
    box: Box | None = None  # the part of the image that asks; None: all of it


def asked(images: Images, *, count: int, seed: int) -> list[Asked]:
    """The set's own queries, or `count` images drawn from all classes in turn.

    Queries without a relevant image are left out: they measure nothing.
    """
    if images.dataset.queries:
        found = _listed(images)
    else:
        found = [
            Asked(images.paths[q], q, _same_class(images, q))
            for q in _drawn(images, count, np.random.default_rng([seed, 224])).tolist()
        ]
    found = [one for one in found if one.grades.any()]
    if len(found) < 5:
        raise InvalidInput(
            f"{len(found)} queries with relevant images: five folds need at least five"
        )
    return found


def _listed(images: Images) -> list[Asked]:
    """Queries of Oxford-style lists; a picture that was merged with its double is that image."""
    place = images.images
    found = []
    for query in images.dataset.queries:
        if query.picture in place:
            grades = np.zeros(len(images.rows), np.int64)
            for row, grade in query.grades.items():
                if row in place and place[row] != place[query.picture]:
                    grades[place[row]] = max(grade, grades[place[row]])
            found.append(Asked(query.name, place[query.picture], grades, query.box))
    return found


def _same_class(images: Images, query: int) -> NDArray[np.int64]:
    grades: NDArray[np.int64] = (images.labels == images.labels[query]).astype(np.int64)
    grades[query] = 0
    return grades


def _drawn(images: Images, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Images with companions, as many of each class as can be."""
    usable = rng.permutation(queries_of(images.labels))
    turn = np.zeros(len(usable), np.int64)
    seen: dict[int, int] = {}
    for place, image in enumerate(usable.tolist()):
        label = int(images.labels[image])
        turn[place] = seen[label] = seen.get(label, -1) + 1
    return np.sort(usable[np.argsort(turn, kind="stable")][:count])

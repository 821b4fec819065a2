"""Queries, folds and the 224 features: what every experiment of Li et al. works on.

    fold k trains on three fifths of the queries, validates on one, tests on one, round robin

Features are scaled within each query to 0..1, as LETOR's normalised files are. A validation or test
query ranks every other image; a training list has all its relevant images and, at most, so many
others that it has `LONGEST` rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saccade.rankers.scaling import Scaling
from saccade.studies.collection import Images, opened
from saccade.studies.declaration import Data, Options
from saccade.studies.protocol import Graded
from saccade.studies.truth import LabelledQuery, asked
from saccade.testbed.folds import cyclic
from saccade.types import Phi

LONGEST = 400


@dataclass(frozen=True, slots=True, eq=False)
class LearningLists:
    """One fold; `names` are the test queries, in the order of their rows."""

    train: Graded
    validate: Graded
    test: Graded
    names: tuple[str, ...]

    def sizes(self) -> dict[str, int]:
        """What the fold had to learn from and to judge by."""
        parts = {"training": self.train, "validation": self.validate, "test": self.test}
        rows = {f"{name}_rows": len(part[1]) for name, part in parts.items()}
        return rows | {f"{name}_queries": len(np.unique(p[2])) for name, p in parts.items()}


def count_of(options: Options) -> int:
    """Queries of a set that has no lists of its own."""
    return 25 if options.quick else 100


@lru_cache(maxsize=1)
def lists(data: Data, options: Options, seed: int, fold: int) -> LearningLists:
    """Fold 1 to 5 of a set, the same for every system."""
    with opened(data, options) as images:
        queries = asked(images, count=count_of(options), seed=seed)
        parts = list(cyclic(len(queries), rng=np.random.default_rng(seed)))[fold - 1]
        rng = np.random.default_rng([seed, fold])
        graded = []
        for part, longest in ((parts.train, LONGEST), (parts.validate, 0), (parts.test, 0)):
            chosen = [queries[place] for place in part.tolist()]
            graded.append(_graded(images, chosen, options, longest, rng))
        names = tuple(queries[place].name for place in parts.test.tolist())
    return LearningLists(graded[0], graded[1], graded[2], names)


def _graded(
    images: Images,
    queries: Sequence[LabelledQuery],
    options: Options,
    longest: int,
    rng: np.random.Generator,
) -> Graded:
    phi, grades, groups = [], [], []
    for number, query in enumerate(queries):
        rows = _rows(query, longest, rng)
        # Scaled over the whole list first: what is sampled must not move the scale.
        whole = Scaling(kind="query").transform(
            _features(images, query, options), np.zeros(len(images.rows), np.int64)
        )
        phi.append(whole[rows])
        grades.append(query.grades[rows])
        groups.append(np.full(len(rows), number, np.int64))
    return np.concatenate(phi), np.concatenate(grades), np.concatenate(groups)


def _rows(query: LabelledQuery, longest: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Everything but the query; of a training list all relevant and some of the others."""
    others = np.flatnonzero(np.arange(len(query.grades)) != query.image)
    if longest == 0 or len(others) <= longest:
        return others
    relevant = others[query.grades[others] > 0]
    rest = others[query.grades[others] == 0]
    some = rng.choice(rest, min(len(rest), max(len(relevant), longest - len(relevant))), False)
    return np.sort(np.concatenate([relevant, some]))


def _features(images: Images, query: LabelledQuery, options: Options) -> Phi:
    """The 224; with today's descriptors their schemes follow."""
    phi = images.features_of(query.image, query.box)
    if options.descriptors == "all":
        phi = np.concatenate([phi, images.phi_of(query.image, query.box)], axis=1)
    return phi

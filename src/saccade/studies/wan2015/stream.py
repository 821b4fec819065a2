"""The training instances of a set as a stream: z = φ(q, p¹) − φ(q, p²), in a random order."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saccade.rankers.checked import training as checked
from saccade.rankers.pairs import pairs
from saccade.studies.collection import opened
from saccade.studies.declaration import Data, Options
from saccade.studies.protocol import Graded, Sizes, fold_of, training


@lru_cache(maxsize=1)
def rows(data: Data, options: Options, instances: int, seed: int) -> Graded:
    """Training rows of the first fold, with about so many pairs."""
    sizes = Sizes(instances=instances)
    with opened(data, options) as images:
        part = fold_of(images.labels, sizes, seed=seed, fold=1)
        rng = np.random.default_rng([seed, instances])
        return training(images.labels, images.phi_of, part.train, sizes, rng)


@lru_cache(maxsize=1)
def instances(data: Data, options: Options, count: int, seed: int) -> NDArray[np.float32]:
    """At most `count` instances, [T, m]: each pair of a relevant and an irrelevant row once."""
    queries = checked(*rows(data, options, count, seed))
    rng = np.random.default_rng([seed, count, 1])
    winners, losers = pairs(queries, limit=count, rng=rng)
    order = rng.permutation(len(winners))
    return np.ascontiguousarray(queries.phi[winners[order]] - queries.phi[losers[order]])

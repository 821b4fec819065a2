"""What the loops over postings are given: a few tuples instead of many arrays.

A compiled function reads a named tuple as it reads its arguments. They stand apart from the loops,
so that code which only builds them does not load numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Lists(NamedTuple):
    """The postings of one segment."""

    words: NDArray[np.int32]  # [u] ascending
    offsets: NDArray[np.int64]  # [u + 1]
    packed: NDArray[np.uint32]  # [p]
    large: NDArray[np.int64]  # [l, 2] place and count


class Terms(NamedTuple):
    """What a shared word adds: how, and with which numbers of the query and of the images."""

    kind: int
    query: Floats  # [q], one per word of the query
    gain: Floats  # [q]
    factor: NDArray[np.float32]  # [slots]
    binary: bool


class Finish(NamedTuple):
    """How a total becomes a score, with the extremes that let images be turned away early."""

    kind: int
    level: float
    scale: Floats  # [slots]
    prior: Floats  # [slots]
    highest_scale: float
    kindest_prior: float


class Slots(NamedTuple):
    """The images: what they have gathered so far, whether they live, and their rows."""

    totals: NDArray[np.float32] | Floats  # all zero before and after a search
    alive: NDArray[np.bool_]
    rows: NDArray[np.int64]


class Best(NamedTuple):
    """The best so far, a heap with the worst on top; ties go to the lower row."""

    scores: NDArray[np.float32]
    rows: NDArray[np.int64]


class WordQuery(NamedTuple):
    """A query of visual words, ascending, with its counts, and the rarity of every word there is.

    What the loops of `saccade.kernels.five_ways` walk the postings with.
    """

    words: NDArray[np.int32]  # [u]
    counts: NDArray[np.int32]  # [u]
    idf: Floats  # [vocabulary]

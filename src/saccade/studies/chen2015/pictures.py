"""The pictures of a set as this study sees them: vectors, classes, and strengths of attributes.

    gist   the paper's descriptor, around its mean and of length one
    all    gist, color-histogram and embedding in one blend (`saccade.indexes.blend`)

`smooth` are the same vectors smoothed along the neighbour graph of all pictures, labelled or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saccade.indexes.blend import Blend
from saccade.indexes.graph import Graph
from saccade.indexes.smoothing import smoothed
from saccade.studies import collection
from saccade.studies.declaration import Data, Options, Say
from saccade.studies.remarks import DISTRACTOR
from saccade.testbed.datasets import Dataset
from saccade.testbed.worlds import ATTRIBUTES
from saccade.types import Vectors

Whole = NDArray[np.int64]

SHARES = {"embedding": 1.0, "gist": 0.25, "color-histogram": 0.1}
LEVELS = 8  # steps into which a drawn picture's true strength, 0 to 1, is cut


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """One row a picture."""

    plain: Vectors
    smooth: Vectors
    classes: NDArray[np.str_]
    strengths: Mapping[str, Whole]  # by attribute: more is more, equal is alike

    def __len__(self) -> int:
        return len(self.plain)


def shares_of(options: Options) -> dict[str, float]:
    """The descriptors that are blended, with their shares."""
    return SHARES if options.descriptors == "all" else {"gist": 1.0}


def prepare(data: Data, options: Options, say: Say) -> list[str]:
    """Index the set with the descriptors this study needs, and no others."""
    collection.descriptors_of(options)  # a wrong name is refused here
    return collection.prepare(data, options, say, wanted=tuple(shares_of(options)))


def accepts(dataset: Dataset) -> str:
    """Why a set cannot be used: it needs classes, and attributes by picture or by class."""
    if not dataset.classes:
        return "it has no classes"
    return "" if _columns(dataset) else "it has no relative attributes (columns rank_NAME)"


def _columns(dataset: Dataset) -> tuple[str, ...]:
    """Attributes with a strength for each picture; those of a drawn world are its own."""
    ranked = [name for name in dataset.attributes if f"rank_{name}" in dataset.columns]
    drawn = [name for name in ATTRIBUTES if name in dataset.columns]
    return tuple(ranked or drawn)


def strengths_of(dataset: Dataset) -> dict[str, Whole]:
    """Every attribute's strengths as whole numbers, [n] each."""
    strengths = {}
    for name in _columns(dataset):
        if f"rank_{name}" in dataset.columns:
            values = dataset.strengths(name)
            strengths[name] = np.unique(values, return_inverse=True)[1].astype(np.int64)
        else:
            cut = np.floor(LEVELS * dataset.numbers(name)).clip(0, LEVELS - 1)
            strengths[name] = cut.astype(np.int64)
    return strengths


def pictures_of(data: Data, options: Options) -> Pictures:
    """The pictures of a prepared set; distractors are left out."""
    return _pictures(data, options)


@lru_cache(maxsize=2)
def _pictures(data: Data, options: Options) -> Pictures:
    shares = shares_of(options)
    with collection.opened(data, options) as images:
        there = np.flatnonzero(images.rows != DISTRACTOR)
        stored = {name: images.vectors_of(name)[there] for name in shares}
        places = images.rows[there]
        strengths = {n: v[places] for n, v in strengths_of(images.dataset).items()}
        classes = np.array([images.dataset.labels[row] for row in places])
    every = np.arange(len(there))
    takes = {name: vectors.__getitem__ for name, vectors in stored.items()}
    plain = Blend.fit(takes, shares, ("gist", "color-histogram"), every).vectors(stored)
    graph = Graph.build(plain.__getitem__, np.ones(len(plain), np.bool_))
    return Pictures(plain, smoothed(graph, plain), classes, strengths)

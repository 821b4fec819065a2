"""How a graph lies in memory while something spreads: rows that are linked lie close together.

    place    where a row lies      0 … n−1, cluster after cluster, each grown along the best links

A spread visits what is linked. Where rows lie as they came, each visit of a large graph goes to
memory that no cache holds; in this order most visits go where the last one went. Nothing that is
computed depends on it: rows are followed in the order of links, which stays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.types import Rows

SMALL = 20_000
"""Rows that a cache holds in any order."""
CLUSTER = 512
"""Rows that are laid side by side before others are looked at."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The links of a graph by place."""

    rows: Rows  # [n] the row at each place
    places: Rows  # [n] the place of each row
    offsets: NDArray[np.int64]  # [n + 1]
    neighbours: NDArray[np.int32]  # [links] places
    weights: NDArray[np.float32]  # [links]
    root: NDArray[np.float64]  # [n]
    typical: float  # what a link counts for on average; 0 where there is none

    @classmethod
    def of(
        cls,
        offsets: NDArray[np.int64],
        neighbours: NDArray[np.int32],
        weights: NDArray[np.float32],
        root: NDArray[np.float64],
    ) -> Layout:
        """The layout of a graph given by rows; a small one stays as it is."""
        from saccade.kernels.layout import moved, walk

        typical = float(weights.mean(dtype=np.float64)) if len(weights) else 0.0
        if len(root) <= SMALL:
            same = np.arange(len(root))
            return cls(same, same, offsets, neighbours, weights, root, typical)
        rows = walk(offsets, neighbours, CLUSTER)
        places = np.empty_like(rows)
        places[rows] = np.arange(len(rows))
        links = moved(offsets, neighbours, weights, rows, places)
        return cls(rows, places, links[0], links[1], links[2], root[rows], typical)

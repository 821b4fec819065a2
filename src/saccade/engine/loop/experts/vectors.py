"""Marks as vectors around the collection's centre, and how far those that say no are believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.features.belief import belief
from saccade.indexes.blend import BlendPart
from saccade.types import Vectors

_ALONE = 200_000
"""Products that one thread computes."""


@dataclass(frozen=True, slots=True)
class MarkVectors:
    """Unit vectors around the centre, of one descriptor of the graph's blend."""

    asked: Vectors
    refused: Vectors
    liked: Vectors
    disliked: Vectors
    compared: Vectors

    @property
    def none(self) -> Vectors:
        """No vectors at all."""
        return self.asked[:0]


def believed(parts: Sequence[tuple[BlendPart, MarkVectors]], likes: int) -> float:
    """How far what was called wrong counts, 0..1: less where it lies among what was right."""
    total = sum(part.share for part, _ in parts)
    count = len(parts[0][1].liked) + len(parts[0][1].disliked) if parts else 0
    asked, marks = np.zeros(count), np.zeros((count, count))
    for part, seen in parts:
        units = np.vstack([seen.liked, seen.disliked]).astype(np.float64)
        asked += part.share / total * (units @ seen.asked.mean(0) if len(seen.asked) else 0.0)
        marks += part.share / total * _products(units)
    return belief(np.maximum(asked, 0.0), np.maximum(marks, 0.0), likes)


def _products(units: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each vector with each, some columns at a time.

    So small that the linear algebra library does not share them between threads, whose waiting
    for each other costs more than the work.
    """
    step = max(8, _ALONE // max(1, len(units) ** 2))
    out = np.zeros((len(units), len(units)))
    for first in range(0, units.shape[1], step):
        some = units[:, first : first + step]
        out += some @ some.T
    return out

"""A part of a picture against the regions of all, read as they lie on disk.

match(p) = mean over the asked regions of the best centred cosine among the picture's own
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from saccade.kernels import region_match as kernel
from saccade.types import Arrays, Phi, Scores

_SPAN = 2048  # pictures that one thread looks through at a time

Centre = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Features of regions [n, d], whose they are, and whether only their direction counts."""

    values: NDArray[np.float32] | NDArray[np.float16]
    offsets: NDArray[np.int64]
    images: NDArray[np.int64]
    unit: bool

    @classmethod
    def of(cls, arrays: Arrays, name: str, *, unit: bool) -> Column:
        """A stored piece of the column, by what regions are compared by."""
        offsets, images = (np.asarray(arrays[key], np.int64) for key in ("offsets", "image"))
        return cls(arrays[name], offsets, images, unit)

    @property
    def read(self) -> tuple[NDArray[np.float32] | NDArray[np.uint16], bool, bool]:
        """As kernels take it: halves by their bits."""
        if self.values.dtype == np.float16:
            return self.values.view(np.uint16), True, self.unit
        return np.asarray(self.values, np.float32), False, self.unit

    def scan(self, centre: Centre, wanted: Phi, best: Phi, span: tuple[int, int]) -> None:
        """Look through some of its pictures."""
        kernel.best(*self.read, self.offsets, self.images, *span, centre, wanted, best)


def centre_of(columns: Sequence[Column]) -> Centre:
    """The mean of all regions; nothing where there are none."""
    count = sum(len(column.values) for column in columns)
    if not count:
        return np.zeros(0, np.float32)
    found = np.zeros(columns[0].values.shape[1])
    for column in columns:
        kernel.total(*column.read, 0, len(column.values), found)
    return (found / count).astype(np.float32)


def match(
    columns: Sequence[Column], centre: Centre, asked: Phi, rows: int, pool: Executor | None
) -> Scores:
    """How well each row's regions match the asked ones [r, d], 0..1."""
    if not len(centre):
        return np.zeros(rows, np.float32)
    seen = asked - centre
    lengths = np.linalg.norm(seen, axis=1, keepdims=True)
    wanted = np.ascontiguousarray(seen / np.maximum(lengths, 1e-9), np.float32)
    best = np.zeros((rows, len(asked)), np.float32)
    for column in columns:
        last = len(column.offsets) - 1
        spans = list(pairwise([*range(0, last, _SPAN), last]))
        scan = partial(column.scan, centre, wanted, best)
        list(map(scan, spans) if pool is None or len(spans) < 2 else pool.map(scan, spans))
    return np.asarray(best.mean(axis=1), np.float32)

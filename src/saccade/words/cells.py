"""Nearest centroid among very many, nearly always: an inverted file over the centroids.

The centroids are grouped into about 4·sqrt(k) cells by a small k-means; a descriptor is compared
with the centroids of the `probes` cells nearest to it (faiss, IVF with 8-bit codes, L2). Codes and
queries are whole numbers below 256, so every distance is exact, and the answer is the same for any
number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saccade.words.local_features import DIMENSION, Descriptors

if TYPE_CHECKING:
    import faiss

BLOCK = 4_096
"""Descriptors turned to floats at a time; a thread takes one block after another."""

_ROUNDS = 4
_SAMPLE = 64  # centroids a cell that the cells are trained on


@dataclass(frozen=True, eq=False)
class Cells:
    """Centroids [k, d] and the cells they lie in: `coarse` [c, d], `cell` [k]."""

    centroids: Descriptors
    coarse: Descriptors
    cell: NDArray[np.int32]

    @classmethod
    def build(cls, centroids: Descriptors) -> Cells:
        """Group the centroids."""
        coarse = group(centroids, max(1, min(len(centroids) // 8, int(4 * len(centroids) ** 0.5))))
        cell = flat(coarse, centroids)
        # A cell without centroids would be probed in vain.
        used, renumbered = np.unique(cell, return_inverse=True)
        return cls(centroids, np.ascontiguousarray(coarse[used]), renumbered.astype(np.int32))

    def nearest(
        self, descriptors: Descriptors, *, probes: int, count: int = 1
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The `count` nearest centroids [n, count], nearest first, and their squared distances.

        Where the probed cells hold fewer than `count`, the last one is repeated.
        """
        words = np.empty((len(descriptors), count), np.int32)
        distances = np.empty((len(descriptors), count), np.float32)
        index, chosen = self._index, _parameters(min(probes, len(self.coarse)))

        def search(part: slice) -> None:
            block = descriptors[part].astype(np.float32)
            distances[part], words[part] = index.search(block, count, params=chosen)

        each_block(search, len(descriptors))
        for column in range(1, count):
            short = words[:, column] < 0
            words[short, column] = words[short, column - 1]
            distances[short, column] = distances[short, column - 1]
        return words, distances

    @cached_property
    def _index(self) -> faiss.IndexIVFScalarQuantizer:
        import faiss

        quantizer: Any = faiss.IndexFlatL2(DIMENSION)  # its types leave out what owns its memory
        quantizer.add(self.coarse.astype(np.float32))
        index = faiss.IndexIVFScalarQuantizer(
            quantizer,
            DIMENSION,
            len(self.coarse),
            faiss.ScalarQuantizer.QT_8bit_direct,
            faiss.METRIC_L2,
            False,
        )
        # The index outlives this call, and its quantizer must live as long.
        quantizer.this.disown()
        index.own_fields = True
        index.is_trained = True
        cell = self.cell.astype(np.int64)
        for start in range(0, len(self.centroids), BLOCK):
            block = self.centroids[start : start + BLOCK].astype(np.float32)
            where = cell[start : start + BLOCK]
            index.add_core(len(block), faiss.swig_ptr(block), None, faiss.swig_ptr(where))
        return index


def flat(centroids: Descriptors, descriptors: Descriptors) -> NDArray[np.int64]:
    """The nearest centroid of each descriptor, exactly."""
    return flat_distances(centroids, descriptors)[0]


def flat_distances(
    centroids: Descriptors, descriptors: Descriptors
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The nearest centroid of each descriptor, exactly, and its squared distance."""
    import faiss

    index = faiss.IndexFlatL2(DIMENSION)
    for start in range(0, len(centroids), BLOCK):
        index.add(centroids[start : start + BLOCK].astype(np.float32))
    labels = np.empty(len(descriptors), np.int64)
    distances = np.empty(len(descriptors), np.float32)

    def search(part: slice) -> None:
        squares, nearest = index.search(descriptors[part].astype(np.float32), 1)
        distances[part], labels[part] = squares[:, 0], nearest[:, 0]

    each_block(search, len(descriptors))
    return labels, distances


def each_block(search: Callable[[slice], None], count: int) -> None:
    """Call `search` on blocks of 0 to `count`, on one thread per core."""
    import faiss

    # faiss would share each call among threads of its own, which wait for each other by spinning:
    # beside other work that costs more than it gains. So: our threads, one of faiss's in each.
    def alone() -> None:
        faiss.omp_set_num_threads(1)

    blocks = [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]
    with ThreadPoolExecutor(os.cpu_count() or 1, initializer=alone) as pool:
        list(pool.map(search, blocks))


def _parameters(probes: int) -> faiss.SearchParameters:
    import faiss

    make: Any = faiss.SearchParametersIVF  # its types leave out what it takes
    parameters: faiss.SearchParameters = make(nprobe=probes)
    return parameters


def group(centroids: Descriptors, cells: int) -> Descriptors:
    """Centres of at most `cells` groups of centroids: a few rounds of exact k-means."""
    # Centroids are in no order of their own, so every n-th is as good as a random draw.
    step = max(1, len(centroids) // (_SAMPLE * cells))
    members = np.ascontiguousarray(centroids[::step])
    coarse = members[np.linspace(0, len(members) - 1, cells).astype(np.int64)]
    for _ in range(_ROUNDS):
        coarse = means(members, flat(coarse, members), coarse)[0]
    return coarse


def means(
    descriptors: Descriptors, labels: NDArray[np.int64], before: Descriptors
) -> tuple[Descriptors, NDArray[np.int64]]:
    """Each label's mean, rounded, and how many members it has; with none it stays as `before`."""
    from saccade.kernels import clusters

    sums = np.zeros(before.shape, np.int64 if len(descriptors) > 2**22 else np.int32)
    counts = np.zeros(len(before), np.int64)
    clusters.add_members(descriptors, labels, sums, counts)
    used = counts > 0
    centres = before.copy()
    size = counts[used, None].astype(sums.dtype)
    centres[used] = (2 * sums[used] + size) // (2 * size)
    return centres, counts

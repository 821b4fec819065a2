"""Exact search: the inner product with every vector.

    s(q, p) = q · p          any sign; cosine when the vectors have unit length

The truth that other indexes are measured by.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from saccade.errors import InvalidInput
from saccade.indexes.rows import Growing, RowBook, best_rows, checked_query
from saccade.types import Rows, Scores

BLOCK = 1 << 16  # vectors a product takes at once


class Flat:
    """Every vector as it came."""

    def __init__(self, dimension: int) -> None:
        if dimension < 1:
            raise InvalidInput(f"flat index: vectors of {dimension} numbers cannot be compared")
        self.dimension = dimension
        self._book = RowBook()
        self._vectors = Growing(dimension, np.dtype(np.float32))

    def __len__(self) -> int:
        return self._vectors.size

    def add(self, rows: ArrayLike, vectors: ArrayLike) -> None:
        """Make vectors findable under their rows."""
        places, matrix = self._book.checked(rows, vectors, self.dimension)
        self._vectors.extend(matrix)
        self._book.keep(places)

    def search(self, query: ArrayLike, k: int) -> tuple[Rows, Scores]:
        """At most `k` rows and their inner products, best first."""
        asked = checked_query(query, k, self.dimension)
        rows, vectors = self._book.rows, self._vectors.values
        products = np.empty(len(rows), np.float32)
        for first in range(0, len(rows), BLOCK):
            part = vectors[first : first + BLOCK]
            # einsum sums every row alike; a matrix product may take the last few another way.
            products[first : first + len(part)] = np.einsum("ij,j->i", part, asked)
        return best_rows(rows, products, k)

"""Locality-sensitive hashing by random hyperplanes (Charikar 2002; li2012, section 3.4).

    h_b(v) = [r_b · (v − c) > 0]                 r_b drawn from N(0, I), c the centre
    s(q, p) = share of bits on which q and p agree, in [0, 1]

The expected share is 1 − angle(q − c, p − c) / π. The centre is 0 unless given. Descriptors without
negative numbers lie in one corner of space, where all angles are small and most bits agree: the
mean of a sample as centre spreads them.

li2012 has L tables of B bits and compares the Hamming distance of what shares a table's code with
the query. Here the L·B bits are one long code and every image's is compared: that finds what any
number of tables would find, and a million codes of 256 bits are 32 MB.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.indexes.rows import Growing, RowBook, best_rows, checked_query
from saccade.types import Rows, Scores

BLOCK = 1 << 14  # codes compared at once
HASHED = 32  # vectors hashed at once


def hyperplanes(dimension: int, bits: int, *, rng: np.random.Generator) -> NDArray[np.float32]:
    """Random directions for sign hashing, [bits, dimension]."""
    return rng.standard_normal((bits, dimension), dtype=np.float32)


class SignHash:
    """Codes of random signs, ranked by Hamming distance.

    >>> index = SignHash(2, bits=64, seed=1)
    >>> index.add([0, 1, 2], [[1, 0], [0.9, 0.1], [-1, 0]])
    >>> rows, similarities = index.search([2, 0], 2)
    >>> rows.tolist(), similarities[0].item()
    ([0, 1], 1.0)
    """

    def __init__(
        self,
        dimension: int,
        *,
        bits: int = 256,
        seed: int = 0,
        center: ArrayLike | None = None,
    ) -> None:
        if dimension < 1 or bits < 1:
            raise InvalidInput(
                f"lsh index: {bits} bits of vectors of {dimension} numbers; both must be at least 1"
            )
        self.dimension, self.bits = dimension, bits
        self._planes = hyperplanes(dimension, bits, rng=np.random.default_rng(seed))
        self._center = np.zeros(dimension, np.float32)
        if center is not None:
            self._center = checked_query(center, 1, dimension)
        self._book = RowBook()
        self._codes = Growing((bits + 63) // 64, np.dtype(np.uint64))

    def __len__(self) -> int:
        return self._codes.size

    def codes(self, vectors: ArrayLike) -> NDArray[np.uint64]:
        """The bits of each vector, 64 to a number, [n, (bits + 63) // 64]."""
        matrix = np.asarray(vectors, np.float32)
        packed = np.zeros((len(matrix), (self.bits + 63) // 64 * 8), np.uint8)
        # Always the same number of vectors, filled up with zeros: a matrix product may sum in
        # another order for another shape, and a vector has the same code in any company.
        block = np.zeros((HASHED, self.dimension), np.float32)
        for first in range(0, len(matrix), HASHED):
            part = matrix[first : first + HASHED]
            np.subtract(part, self._center, out=block[: len(part)])
            signs = (block @ self._planes.T)[: len(part)] > 0.0
            packed[first : first + len(part), : (self.bits + 7) // 8] = np.packbits(signs, axis=1)
        return packed.view(np.uint64)

    def add(self, rows: ArrayLike, vectors: ArrayLike) -> None:
        """Make vectors findable under their rows."""
        places, matrix = self._book.checked(rows, vectors, self.dimension)
        self._codes.extend(self.codes(matrix))
        self._book.keep(places)

    def search(self, query: ArrayLike, k: int) -> tuple[Rows, Scores]:
        """At most `k` rows and the share of bits they have in common with the query, best first."""
        code = self.codes(checked_query(query, k, self.dimension)[None])
        rows, codes = self._book.rows, self._codes.values
        apart = np.empty(len(rows), np.int64)
        for first in range(0, len(rows), BLOCK):
            part = codes[first : first + BLOCK]
            apart[first : first + len(part)] = np.bitwise_count(part ^ code).sum(1)
        return best_rows(rows, (1.0 - apart / self.bits).astype(np.float32), k)

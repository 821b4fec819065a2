"""Many distractors from few: columns that no picture has, made of those that pictures have.

    x = t·a + (1 − t)·b + noise        a, b two different pictures' vectors, 1/4 ≤ t ≤ 3/4

The noise is a tenth of each value's deviation over the column. A column without negative values
gets none, and x gets the norm that lies between those of a and b in the same way: the 1-norm where
all vectors of a column share it, as histograms do, else the 2-norm. Of the words of a and b each
distinct one is kept with a chance of t and 1 − t.

All descriptors of one distractor come from the same a, b and t. Block by block, each from the seed
and its number: the first thousand of a hundred thousand are the same as of a thousand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.types import Vectors

BLOCK = 2_000
NOISE = 0.1
Bag = tuple[NDArray[np.int32], NDArray[np.int32]]  # words, ascending, and counts


@dataclass(frozen=True, slots=True, eq=False)
class Parents:
    """What the pictures at hand have: vectors by descriptor [n, d], and bags of words or none."""

    vectors: Mapping[str, Vectors]
    bags: Sequence[Bag]

    def __len__(self) -> int:
        return max([len(self.bags), *(len(column) for column in self.vectors.values())])


def blocks(parents: Parents, count: int, *, seed: int) -> Iterator[Parents]:
    """`count` distractors made of the parents, at most `BLOCK` at a time."""
    if len(parents) < 2:
        raise InvalidInput(f"{len(parents)} distractors: it takes two to make others of")
    for number, first in enumerate(range(0, count, BLOCK)):
        rng = np.random.default_rng([seed, 1007, number])
        pairs = _pairs(len(parents), rng)
        shares = rng.uniform(0.25, 0.75, BLOCK).astype(np.float32)
        vectors = {name: mixed(one, pairs, shares, rng) for name, one in parents.vectors.items()}
        bags = [
            mixed_bag(parents.bags[a], parents.bags[b], float(share), rng)
            for (a, b), share in zip(pairs.tolist(), shares, strict=True)
        ] if parents.bags else []  # fmt: skip
        wanted = min(BLOCK, count - first)
        yield Parents({name: one[:wanted] for name, one in vectors.items()}, bags[:wanted])


def _pairs(parents: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Two different ones each time, [BLOCK, 2]."""
    first = rng.integers(0, parents, BLOCK)
    return np.stack([first, (first + rng.integers(1, parents, BLOCK)) % parents], axis=1)


def mixed(
    column: Vectors,
    pairs: NDArray[np.int64],
    shares: NDArray[np.float32],
    rng: np.random.Generator,
) -> Vectors:
    """Vectors between two of a column each, with noise, of the kind that the column has."""
    share = shares[:, None]
    out = share * column[pairs[:, 0]] + (1 - share) * column[pairs[:, 1]]
    out += NOISE * column.std(axis=0) * rng.standard_normal(out.shape, np.float32)
    if column.min() >= 0:
        np.maximum(out, 0, out=out)
    sums = np.abs(column).sum(axis=1)
    order = 1 if np.ptp(sums) <= 1e-3 * sums.max() else 2
    sizes = np.linalg.norm(column, order, axis=1)
    wanted = shares * sizes[pairs[:, 0]] + (1 - shares) * sizes[pairs[:, 1]]
    lengths = np.linalg.norm(out, order, axis=1)
    scale = np.divide(wanted, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.asarray(out * scale[:, None], np.float32)


def mixed_bag(first: Bag, second: Bag, share: float, rng: np.random.Generator) -> Bag:
    """Some words of each; one that comes from both has both counts.

    >>> ones = np.ones(3, np.int32)
    >>> low, high = np.arange(3, dtype=np.int32), np.arange(2, 5, dtype=np.int32)
    >>> words, counts = mixed_bag((low, ones), (high, ones), 1.0, np.random.default_rng(0))
    >>> words.tolist(), counts.tolist()
    ([0, 1, 2], [1, 1, 1])
    """
    keep = rng.random(len(first[0])) < share, rng.random(len(second[0])) < 1 - share
    words = np.concatenate([first[0][keep[0]], second[0][keep[1]]])
    counts = np.concatenate([first[1][keep[0]], second[1][keep[1]]])
    distinct, place = np.unique(words, return_inverse=True)
    sums = np.bincount(place, weights=counts, minlength=len(distinct))
    return distinct.astype(np.int32), sums.astype(np.int32)

"""What the hand-made descriptors share: one row per picture, and blocks of a picture.

    edges(n, k)[i] = round(i · n / k),   i = 0 .. k

For odd k no i·n/k ends in one half, so the blocks of a mirrored picture are the mirrored blocks.
A picture with fewer than k pixels along a side uses some of them in two blocks; none is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.types import Vectors


def stack(
    describe: Callable[[Picture], NDArray[np.floating]],
    pictures: Sequence[Picture],
    dimension: int,
) -> Vectors:
    """One float32 row a picture, [n, dimension]; no pictures give no rows."""
    vectors = np.empty((len(pictures), dimension), np.float32)
    for row, picture in enumerate(pictures):
        vectors[row] = describe(picture)
    return vectors


def edges(length: int, count: int) -> NDArray[np.int64]:
    """First and last-plus-one position of each of `count` blocks of a side, [count, 2].

    >>> edges(10, 3).tolist()
    [[0, 3], [3, 7], [7, 10]]
    >>> edges(1, 3).tolist()
    [[0, 1], [0, 1], [0, 1]]
    """
    cuts = np.rint(np.arange(count + 1) * length / count).astype(np.int64)
    first = np.minimum(cuts[:-1], length - 1)
    return np.stack([first, np.maximum(cuts[1:], first + 1)], axis=1)

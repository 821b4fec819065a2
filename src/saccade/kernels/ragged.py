"""Lists of different lengths in one array: part i is `values[offsets[i]:offsets[i + 1]]`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def offsets_of(lengths: ArrayLike) -> NDArray[np.int64]:
    """Where parts of these lengths begin and end when they lie one after another, [n + 1].

    >>> offsets_of([2, 0, 3]).tolist(), offsets_of([]).tolist()
    ([0, 2, 2, 5], [0])
    """
    sizes = np.asarray(lengths, np.int64)
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets

"""Lists of different lengths in one array: part i is `values[offsets[i]:offsets[i + 1]]`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def offsets_of(lengths: Any) -> NDArray[np.int64]:
    """Where parts of these lengths begin and end when they lie one after another, [n + 1].

    >>> offsets_of([2, 0, 3]).tolist(), offsets_of([]).tolist()
    ([0, 2, 2, 5], [0])
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets

"""What a ranked answer loses when the right picture stands at rank g (Aly 2011, section 5).

binary   0 where g = 1, else 1
rank     (g − 1) / M, at most 1; M = 100
"""

from __future__ import annotations

from typing import Any

import numpy as np

from saccade.choosers.steady import Floats
from saccade.errors import InvalidInput

DEPTH = 100


def binary(ranks: Any) -> Floats:
    """0 for a first place, 1 for any other.

    >>> binary([1, 2, 500])
    array([0., 1., 1.])
    """
    return np.asarray(_ranks(ranks) > 1, np.float64)


def rank(ranks: Any, *, depth: int = DEPTH) -> Floats:
    """How far down it stands, from 0 for the first place to 1 from place `depth` + 1 on.

    >>> rank([1, 26, 101, 5000])
    array([0.  , 0.25, 1.  , 1.  ])
    """
    if depth < 1:
        raise InvalidInput(f"depth is {depth}: expected 1 or more")
    return np.asarray(np.minimum((_ranks(ranks) - 1) / depth, 1.0))


def _ranks(ranks: Any) -> Any:
    found = np.asarray(ranks)
    if found.dtype.kind not in "iu" or (found < 1).any():
        raise InvalidInput("ranks must be whole numbers from 1 on")
    return found


LOSSES = {"binary": binary, "rank": rank}

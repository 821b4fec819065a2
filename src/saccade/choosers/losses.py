"""What a ranked answer loses when the right picture stands at rank g (Aly 2011, section 5).

binary   0 where g = 1, else 1
rank     (g − 1) / M, at most 1; M = 100
marks    mean over marked pictures: the rank loss of one marked right, 1 − that of one marked wrong

The paper's probes have one right picture each. People mark several, and wrong ones too: a picture
marked wrong should stand far down, and costs what is lacking to that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.choosers.steady import Floats
from saccade.errors import InvalidInput

DEPTH = 100


def binary(ranks: ArrayLike) -> Floats:
    """0 for a first place, 1 for any other.

    >>> binary([1, 2, 500])
    array([0., 1., 1.])
    """
    return np.asarray(_ranks(ranks) > 1, np.float64)


def rank(ranks: ArrayLike, *, depth: int = DEPTH) -> Floats:
    """How far down it stands, from 0 for the first place to 1 from place `depth` + 1 on.

    >>> rank([1, 26, 101, 5000])
    array([0.  , 0.25, 1.  , 1.  ])
    """
    if depth < 1:
        raise InvalidInput(f"depth is {depth}: expected 1 or more")
    return np.asarray(np.minimum((_ranks(ranks) - 1) / depth, 1.0))


def marks(ranks: ArrayLike, right: ArrayLike, *, depth: int = DEPTH) -> Floats:
    """The loss of each ranking whose ranks [pictures, rankings] people called `right` or wrong.

    >>> marks([[1, 51], [101, 1]], [True, False])
    array([0.  , 0.75])
    """
    each, liked = rank(ranks, depth=depth), np.asarray(right)
    if each.ndim != 2 or liked.shape != each.shape[:1] or liked.dtype != np.bool_ or not len(each):
        raise InvalidInput(
            f"ranks have shape {each.shape} and marks {liked.shape}: "
            "expected [pictures, rankings] and a boolean a picture, one picture or more"
        )
    return np.asarray(np.where(liked[:, None], each, 1.0 - each).sum(axis=0) / len(each))


def _ranks(ranks: ArrayLike) -> NDArray[np.integer]:
    places = np.asarray(ranks)
    if places.dtype.kind not in "iu" or (places < 1).any():
        raise InvalidInput("ranks must be whole numbers from 1 on")
    return places


LOSSES = {"binary": binary, "rank": rank}

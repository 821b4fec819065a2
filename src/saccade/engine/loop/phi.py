"""φ of a query: every scheme's value for an image, each source filling its columns.

φ(Q, p) = mean over the likes − ½ mean over the unlikes
"""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection
from saccade.engine.loop.query import Query
from saccade.types import Phi, Rows, Scheme, Scores


def signed_phi(
    query: Query,
    collection: Collection,
    schemes: tuple[Scheme, ...],
    *,
    rows: Rows | None = None,
    raw: bool = False,
    length: int | None = None,
    pool: Executor | None = None,
) -> Phi:
    """φ(Q, p) of every row p, or of some; `raw` similarities or measured against the anchors.

    `length` is how many rows a page will show (`collection.View`).
    """
    shape = (collection.rows if rows is None else len(rows), len(schemes))
    total: Phi | None = None
    for weight, example in query.signed():
        one = np.zeros(shape, np.float32)
        for view in collection.views.values():
            view.fill(one, example, schemes, rows=rows, raw=raw, length=length, pool=pool)
        if total is None:
            total = one if weight == 1.0 else one * np.float32(weight)
        else:
            total += one * np.float32(weight)
    return np.zeros(shape, np.float32) if total is None else total


def signed_scores(
    query: Query,
    collection: Collection,
    schemes: tuple[Scheme, ...],
    weights: NDArray[np.float64],
    *,
    length: int | None = None,
    pool: Executor | None = None,
) -> Scores:
    """w·φ(Q, p) of every row p, [n]; φ itself is not kept, nor computed where there is no weight.

    Equal to `signed_phi(…) @ weights` within rounding.
    """
    out = np.zeros(collection.rows, np.float32)
    for sign, example in query.signed():
        for view in collection.views.values():
            signed = (sign * weights).astype(np.float32)
            view.weigh(out, example, schemes, signed, length=length, pool=pool)
    return out

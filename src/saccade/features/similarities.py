"""The four similarities, by name.

Formulas and range are in `saccade.kernels.similarity`; every one is a function of two vectors, in
[0, 1], higher is better, and 0 where either vector is zero: a picture a descriptor has nothing to
say about is far from all others.

>>> rows = np.array([[3.0, 4.0], [0.0, 2.0]], np.float32)
>>> norms(rows)
array([[7., 5.],
       [2., 2.]], dtype=float32)
>>> spans(rows, norms(rows), None)
array([5., 2.], dtype=float32)
>>> sizes, direction, lift = aimed(rows[0])
>>> sizes, direction
(array([7., 5.], dtype=float32), array([0.6, 0.8], dtype=float32))
>>> check_similarity("cosine")
'cosine'
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.errors import UnknownName
from saccade.types import Vectors

SIMILARITIES = ("l1", "l2", "cosine", "chi2")

# Raw similarities as they are: offset 0, slope 1.
UNSCALED = np.tile(np.array([0.0, 1.0], np.float32), (4, 1))


def check_similarity(name: str) -> str:
    """The name itself, or an error that offers the nearest one."""
    if name not in SIMILARITIES:
        raise UnknownName("similarity", name, SIMILARITIES)
    return name


def norms(vectors: Vectors) -> NDArray[np.float32]:
    """The l1 and l2 norm of each row, [n, 2]: kept beside a column so that scans need one pass."""
    wide = vectors.astype(np.float64, copy=False)
    return np.stack([np.abs(wide).sum(1), np.sqrt(np.square(wide).sum(1))], axis=1).astype(
        np.float32
    )


def spans(
    vectors: Vectors, sizes: NDArray[np.float32], centre: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    """The length of each row without its share of the centre, |p − |p| c|, [n]."""
    length = sizes[:, 1].astype(np.float64)
    if centre is None:
        return np.ascontiguousarray(sizes[:, 1])
    across = (vectors @ centre).astype(np.float64)
    square = length * (length * (1.0 + np.square(centre, dtype=np.float64).sum()) - 2.0 * across)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)), np.float32)


def aimed(
    query: NDArray[np.float32], centre: NDArray[np.float32] | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32], np.float32]:
    """A query as the kernels take it: its norms, its unit vector without the centre, its lift."""
    sizes = norms(query[None])[0]
    aim = query / sizes[1] if sizes[1] > 0.0 else query
    if centre is not None and sizes[1] > 0.0:
        aim = aim - centre
        length = np.linalg.norm(aim)
        aim = aim / length if length > 0.0 else aim
    aim = np.ascontiguousarray(aim, np.float32)
    return sizes, aim, np.float32(0.0 if centre is None else aim @ centre)


def similarity(name: str, query: NDArray[np.float32], rows: Vectors) -> NDArray[np.float32]:
    """Similarity `name` of `query` [d] to each row of `rows` [n, d].

    >>> import numpy as np
    >>> rows = np.array([[1, 0], [0, 1], [0, 0]], np.float32)
    >>> similarity("l1", rows[0], rows).tolist()
    [1.0, 0.0, 0.0]
    """
    from saccade.kernels.similarity import similarities

    check_similarity(name)
    rows = np.ascontiguousarray(rows, np.float32)
    query = np.ascontiguousarray(query, np.float32)
    columns = np.full(4, -1, np.int64)
    columns[SIMILARITIES.index(name)] = 0
    out = np.empty((len(rows), 1), np.float32)
    sizes = norms(rows)
    similarities(
        query, *aimed(query), rows, sizes, np.ascontiguousarray(sizes[:, 1]),
        UNSCALED, False, columns, 0, len(rows), out,
    )  # fmt: skip
    return out[:, 0]

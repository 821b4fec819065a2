"""Near-duplicates: one picture twice, made smaller, cut a little, brighter, or taken again at once.

Two pictures are nearly the same where three witnesses agree: what is seen (the cosine of the
embedding is at least `SEEN`), the layout (that of gist), and geometry, which confirms `PLACES`
places in one arrangement. Where geometry has not confirmed it (a store without words, a picture
without features) the layout has to be surer: at least `SURE` instead of `LAID`.

Only pictures that the neighbour graph links are compared, so a page costs a few cosines. A store
without an embedding and gist has no near-duplicates: colours alone confuse two blue skies.

A stack has a first picture, and whatever is nearly the same as that one: nothing joins through a
third, so that a long row of photographs, each a little further, does not become one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection
from saccade.engine.sources import graph
from saccade.engine.sources.graph import GraphView
from saccade.types import Rows

SEEN = 0.70
LAID, SURE = 0.88, 0.97
"""On three sets of photographs no two different ones had a layout as like as the second."""
PLACES = 20
LINKED = 0.3
"""How like two pictures have to be along the graph for a closer look."""
EMBEDDING, GIST = "embedding", "gist"
_CHUNK = 4096  # pairs whose vectors are compared at a time


def stacks(collection: Collection, rows: Rows) -> dict[int, int]:
    """Each of these rows that is in a stack, and the first of its stack, in their order."""
    view = graph.of(collection)
    if view is None or not {EMBEDDING, GIST} <= view.columns.columns.keys() or len(rows) < 2:
        return {}
    alike: dict[int, list[int]] = {}
    for one, other in nearly_same(view, _linked(view, rows)).tolist():
        alike.setdefault(one, []).append(other)
        alike.setdefault(other, []).append(one)
    first: dict[int, int] = {}
    for row in rows.tolist() if alike else ():
        joining = [other for other in alike.get(row, ()) if other not in first]
        if row not in first and joining:
            first |= dict.fromkeys([row, *joining], row)
    return first


def nearly_same(view: GraphView, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of some pairs of rows [n, 2] of which the witnesses agree."""
    pairs = pairs[_cosines(view, EMBEDDING, pairs) >= SEEN]
    confirmed = _places(view, pairs) >= PLACES
    return pairs[_cosines(view, GIST, pairs) >= np.where(confirmed, LAID, SURE)]


def _linked(view: GraphView, rows: Rows) -> NDArray[np.int64]:
    """The pairs among some rows that the graph links closely, the lower row first."""
    links = view.graph
    among = np.zeros(len(links), np.bool_)
    among[rows] = True
    counts = links.offsets[rows + 1] - links.offsets[rows]
    own = np.repeat(rows, counts)
    begins = np.repeat(links.offsets[rows] - (np.cumsum(counts) - counts), counts)
    places = begins + np.arange(len(own))
    others = links.neighbours[places].astype(np.int64)
    close = among[others] & (own < others) & (links.similarities[places] >= LINKED)
    return np.stack([own[close], others[close]], axis=1)


def _cosines(view: GraphView, name: str, pairs: NDArray[np.int64]) -> NDArray[np.float32]:
    """The cosine of a descriptor between the two of each pair; 0 where one is blank."""
    column, out = view.columns.columns[name], np.zeros(len(pairs), np.float32)
    for start in range(0, len(pairs), _CHUNK):
        some = slice(start, start + _CHUNK)
        one, other = column.take(pairs[some, 0]), column.take(pairs[some, 1])
        sizes = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        out[some] = (one * other).sum(1) / np.where(sizes > 0.0, sizes, 1.0)
    return out


def _places(view: GraphView, pairs: NDArray[np.int64]) -> NDArray[np.int32]:
    """How many places geometry confirms of each pair; 0 where it was not asked or refutes it."""
    verified, n = view.verified, len(view.graph)
    if verified is None or not len(verified.pairs):
        return np.zeros(len(pairs), np.int32)
    # They rise: rows as they came, then others.
    keys = verified.pairs[:, 0] * n + verified.pairs[:, 1]
    wanted = pairs.max(1) * n + pairs.min(1)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, verified.inliers[at], 0).astype(np.int32)

"""Indexes propose candidates: rows whose vectors are near a query's.

Write `add(rows, vectors)` and `search(query, k)` (`saccade.contracts.Index`) and inherit nothing;
`saccade.checks.indexes` says whether the promises hold. Similarities grow with nearness; answers
are best first, short and never padded; ties go to the lower row.

    flat   the exact inner product with every vector: the truth that others are measured by
    lsh    signs of random projections, ranked by the bits that agree

`blend` makes one vector of several descriptors, `graph` links every image to its nearest by it, and
`spread` carries along the links what a few pictures say.

`make(name, dimension, ...)` builds one by name. An index gets vectors, never images, and knows no
ranker: what is added may be a descriptor's column or any other vectors of one length, so that a
learned linear ranking, which is one inner product with the weights on the query's side, can drive
`flat` as it stands.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Literal, overload

from saccade.contracts import Index
from saccade.errors import UnknownName

if TYPE_CHECKING:
    from saccade.indexes.flat import Flat
    from saccade.indexes.lsh import SignHash

INDEXES = {"flat": "saccade.indexes.flat:Flat", "lsh": "saccade.indexes.lsh:SignHash"}


@overload
def make(name: Literal["flat"], dimension: int) -> Flat: ...
@overload
def make(name: Literal["lsh"], dimension: int, **options: object) -> SignHash: ...
@overload
def make(name: str, dimension: int, **options: object) -> Index: ...
def make(name: str, dimension: int, **options: object) -> Index:
    """An empty index for vectors of this dimension.

    >>> index = make("flat", 2)
    >>> index.add([4, 7], [[1, 0], [0, 1]])
    >>> rows, similarities = index.search([0, 3], 1)
    >>> rows.tolist(), similarities.tolist()
    ([7], [3.0])
    """
    if name not in INDEXES:
        raise UnknownName("index", name, INDEXES)
    module, _, attribute = INDEXES[name].partition(":")
    built: Index = getattr(import_module(module), attribute)(dimension, **options)
    return built

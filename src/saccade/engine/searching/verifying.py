"""The geometric check: whether what was found shows the same thing, feature by feature.

A person may ask for it; where matches stand out it is made unasked, on the first page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saccade.engine.collection import Collection, Example
from saccade.engine.sources import words
from saccade.errors import InvalidInput
from saccade.hints import recipe
from saccade.types import Rows
from saccade.words import geometry

MOST_VERIFIED = 1000
AUTOMATIC = -1
"""Verify what stands out on the first page, and nothing where nothing does."""
FIRST_PAGE, MOST_RECOGNISED = 50, 20
"""How far down matches that stand out are looked for, and how many of them are verified."""


def check_verify(verify: int | None, likes: Sequence[Example], collection: Collection) -> int:
    """A number of results to verify that can be served; `AUTOMATIC` for None."""
    if verify is None:
        return AUTOMATIC if words.of(collection) is not None else 0
    if not isinstance(verify, int) or isinstance(verify, bool) or not 0 <= verify <= MOST_VERIFIED:
        raise InvalidInput(
            f"verify is {verify!r}; it is how many results to check, 0 to {MOST_VERIFIED}"
        )
    view = words.of(collection)
    if verify and view is None:
        raise InvalidInput(
            "this collection has no visual words, so results cannot be verified",
            hint=recipe("words"),
        )
    if verify and view and all(view.placed_example(example) is None for example in likes):
        raise InvalidInput("results can be verified against a picture, not against text")
    return verify


def recognised(
    likes: Sequence[Example], collection: Collection, rows: Rows
) -> tuple[Rows, dict[int, int]]:
    """The rows with those first that stand out and that geometry confirms; inliers as `verified`.

    Only matches that stand out are looked at, so that most searches pay nothing.
    """
    view = words.of(collection)
    if view is None:
        return rows, {}
    some = rows[:FIRST_PAGE]
    standing = np.zeros(len(some), np.bool_)
    for example in likes:
        if view.placed_example(example) is not None:
            standing |= view.standouts(example)[some] > 0.0
    few = some[standing][:MOST_RECOGNISED]
    if not len(few):
        return rows, {}
    _, inliers = verified(likes, collection, few, len(few))
    found = np.array([inliers.get(row, 0) for row in rows.tolist()], np.int32)
    return geometry.reorder(rows, found), inliers


def verified(
    likes: Sequence[Example], collection: Collection, rows: Rows, count: int
) -> tuple[Rows, dict[int, int]]:
    """The rows with the first `count` re-ranked by geometry, and the inliers of those by row.

    With several examples, a row has the most inliers that any of them gives it.
    """
    view = words.of(collection)
    assert view is not None  # `check_verify` has seen to it
    first = rows[:count]
    candidates = [view.placed(row) for row in first.tolist()]
    inliers = np.zeros(len(first), np.int32)
    for example in likes:
        query = view.placed_example(example)
        if query is not None:
            inliers = np.maximum(inliers, geometry.verify(query, candidates))
    ordered = geometry.reorder(first, inliers)
    found = dict(zip(first.tolist(), inliers.tolist(), strict=True))
    return np.concatenate([ordered, rows[count:]]), found

"""The geometric check: whether what was found shows the same thing, feature by feature.

A person may ask for it; where matches stand out it is made unasked, and counts on the first page.
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

AUTOMATIC = -1
"""Verify what stands out on the first page, and nothing where nothing does."""
FIRST_PAGE = 50
"""How far down a page matches that stand out are moved up from."""


def check_verify(verify: int | None, likes: Sequence[Example], collection: Collection) -> int:
    """A number of results to verify that can be served; `AUTOMATIC` for None."""
    view = words.of(collection)
    if verify is None:
        return AUTOMATIC if view is not None else 0
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

    Only matches that stand out were looked at, so that most searches pay nothing.
    """
    view = words.of(collection)
    if view is None:
        return rows, {}
    inliers: dict[int, int] = {}
    for example in likes:
        for row, count in view.recognised(example).items():
            inliers[row] = max(count, inliers.get(row, 0))
    some = rows[:FIRST_PAGE].tolist()
    counts = np.zeros(len(rows), np.int32)
    counts[: len(some)] = [inliers.get(row, 0) for row in some]
    return geometry.reorder(rows, counts), {row: inliers[row] for row in some if row in inliers}


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
    by_row = dict(zip(first.tolist(), inliers.tolist(), strict=True))
    return np.concatenate([ordered, rows[count:]]), by_row

"""The part of a picture that a person points at, as the only thing a search looks for.

a number                      a region, as `concepts.regions` counts them
(top, left, bottom, right)    a rectangle, as shares of the picture
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from saccade.contracts import Picture
from saccade.engine.collection import Example
from saccade.engine.library import Library
from saccade.engine.opened import OpenStore
from saccade.engine.searching.query import from_array, resolve
from saccade.engine.segmented import Segmented
from saccade.engine.sources.parts import Parts, parts_of, rectangle
from saccade.engine.sources.regions import REGIONS
from saccade.errors import InvalidInput
from saccade.types import Phi

SMALLEST = 0.01
"""Of a rectangle's sides, as a share of the picture's."""

Region = int | Sequence[float]


def pointed(opened: OpenStore, regions: Segmented, query: Any, region: Region) -> Example:
    """An example that is nothing but the part pointed at."""
    box = _box(region)
    found = resolve(query, opened.collection(), frozenset())
    embedding = regions.view.embedding
    if box is not None:
        parts = rectangle(_picture(opened, query, found), box, embedding)
    elif found.row >= 0:
        parts = regions.parts(found.row)
    else:
        parts = parts_of(_picture(opened, query, found), embedding)
    asked = _features(parts, 0 if box is not None else region, regions.view.kind)
    return Example(found.image_id, found.row, {REGIONS: asked})


def _features(parts: Parts, number: Any, kind: str) -> Phi:
    if not 0 <= number < len(parts):
        raise InvalidInput(
            f"region {number}: this picture has {len(parts)}, numbered from 0",
            hint="`/images/{id}/regions` lists them",
        )
    return np.ascontiguousarray(parts.features(kind)[number : number + 1])


def _picture(opened: OpenStore, query: Any, found: Example) -> Picture:
    """The pixels behind a query."""
    from saccade.images.files import read_file
    from saccade.scale.decoding import decode

    if isinstance(query, np.ndarray):
        return from_array(query)
    if found.row >= 0:
        return decode(Library(opened).original(found.image_id)).picture
    known = bytes(query) if isinstance(query, bytes | bytearray | memoryview) else None
    return decode(read_file(query) if known is None else known).picture


def _box(region: Region) -> tuple[float, float, float, float] | None:
    """A rectangle, or None where a region is meant by its number."""
    if isinstance(region, int) and not isinstance(region, bool):
        return None
    try:
        top, left, bottom, right = (float(edge) for edge in region)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise InvalidInput(
            f"region {region!r}: give its number, or top, left, bottom, right as shares"
        ) from None
    inside = all(0.0 <= edge <= 1.0 for edge in (top, left, bottom, right))
    if not inside or bottom - top < SMALLEST or right - left < SMALLEST:
        raise InvalidInput(
            f"rectangle {(top, left, bottom, right)}: expected top < bottom and left < right in "
            f"0..1, each side at least {SMALLEST:.0%}"
        )
    return top, left, bottom, right

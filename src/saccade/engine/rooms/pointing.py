"""The part of a picture that a person points at, as the only thing a search looks for.

    Box      what it holds is cut out and looked at by itself, where the file is at hand
    Spot     grows to what is like the place pressed, and goes on as the box around that
    Region   one of the regions of a store that keeps them, by the box around it

A part cut out and encoded by itself is found again far better than the mean of the positions under
it, which have seen what lies around (`benchmarks/parts.py` has both). Where no file is left, the
mean of positions serves.
"""

from __future__ import annotations

import numpy as np

from saccade.contracts import Picture
from saccade.descriptors.embedding import parts as codec
from saccade.engine.collection import Collection, Example
from saccade.engine.loop.query import from_array, resolve
from saccade.engine.opened import OpenStore
from saccade.engine.request import Box, Part, PictureLike, Region, Spot
from saccade.engine.rooms.files import Files
from saccade.engine.rooms.maps import brightest_of, grown, positions_of
from saccade.engine.sources import dense, regions
from saccade.engine.sources.parts import PARTS, PartView
from saccade.errors import InvalidInput, NotFound
from saccade.hints import recipe
from saccade.images.picture import ArrayPicture
from saccade.types import Edges, Vectors

ALIKE = 0.5
"""How like the place pressed what belongs to it is, from the picture's least to that place."""


def pointed(opened: OpenStore, collection: Collection, query: PictureLike, part: Part) -> Example:
    """An example that is nothing but the part pointed at."""
    view = positions_of(collection)
    whole = resolve(query, collection, frozenset())
    try:
        picture = _picture(opened, query, whole)
    except NotFound:
        if whole.row < 0 or not view.has(whole.row):
            raise
        asked = view.part(whole.row, codec.cover(_box(part, whole, collection, None)))
    else:
        asked = _cut_out(view, picture, _box(part, whole, collection, picture))
    return Example(whole.image_id, whole.row, {PARTS: asked}, partial=True)


def _box(part: Part, whole: Example, collection: Collection, picture: Picture | None) -> Edges:
    """The rectangle that a part is, as shares."""
    if isinstance(part, Box):
        return part.edges
    if isinstance(part, Region):
        return _region(part, whole, collection)
    view = positions_of(collection)
    if whole.row >= 0 and view.has(whole.row):
        codes, vector = view.bytes_of(whole.row)[None], view.column.vector(whole.row)[None]
        positions = codec.positions_of(codes, vector)[0]
    else:
        assert picture is not None  # a picture from outside has its pixels
        seen = dense.describe(dense.descriptor_of(view.embedding), [picture], [""], positions=True)
        codes, vector = seen[0][dense.POSITIONS], seen[0]["vectors"]
        positions = codec.positions_of(codes, vector)[0]
    return pressed(positions - view.centre, part)


def pressed(positions: Vectors, spot: Spot) -> Edges:
    """The box around what hangs together with a place and is like it; positions [49, d]."""
    side = codec.SIDE
    at = min(int(spot.top * side), side - 1), min(int(spot.left * side), side - 1)
    lengths = np.maximum(np.linalg.norm(positions, axis=1), 1e-9)
    units = positions / lengths[:, None]
    alike = (units @ units[at[0] * side + at[1]]).reshape(side, side)
    low = float(alike.min())
    own = grown(alike >= low + ALIKE * (1.0 - low), at)
    return brightest_of(np.where(own, alike - low + 1.0, 0.0)) or (0.0, 0.0, 1.0, 1.0)


def _region(part: Region, whole: Example, collection: Collection) -> Edges:
    view = regions.of(collection)
    if view is None or whole.row < 0:
        raise InvalidInput(
            "this store keeps no regions of that picture: point at a part with a box or a spot",
            hint=recipe(regions.REGIONS),
        )
    boxes = view.cut(whole.row).boxes
    if part.number >= len(boxes):
        raise InvalidInput(f"region {part.number}: this picture has {len(boxes)}, numbered from 0")
    top, left, bottom, right = boxes[part.number].tolist()
    return top, left, bottom, right


def _cut_out(view: PartView, picture: Picture, box: Edges) -> Vectors:
    """The embedding of what a box holds, [d]."""
    height, width = picture.rgb.shape[:2]
    top, left = int(box[0] * height), int(box[1] * width)
    bottom, right = max(top + 1, round(box[2] * height)), max(left + 1, round(box[3] * width))
    inside = ArrayPicture(np.ascontiguousarray(picture.rgb[top:bottom, left:right]))
    arrays, problems = dense.describe(dense.descriptor_of(view.embedding), [inside], ["the part"])
    if problems:
        raise InvalidInput(f"the part: {problems[0].reason}")
    vector: Vectors = arrays["vectors"][0]
    return vector


def _picture(opened: OpenStore, query: PictureLike, whole: Example) -> Picture:
    """The pixels behind a query."""
    from saccade.images.files import read_file
    from saccade.scale.decoding import decode

    if isinstance(query, np.ndarray):
        return from_array(query)
    if whole.row >= 0:
        return decode(Files(opened).original(whole.image_id)).picture
    if isinstance(query, bytes | bytearray | memoryview):
        return decode(bytes(query)).picture
    return decode(read_file(query)).picture

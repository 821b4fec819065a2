"""What a person searches with, turned into vectors.

A query is a set of examples with signs. An example is a path, an image id, bytes or an array; if
its bytes are in the collection its vectors are there already, and it is left out of its own page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from saccade import hints
from saccade.contracts import Picture
from saccade.engine.collection import Collection, Example, Wanted
from saccade.engine.events import LoggedExample
from saccade.engine.request import PictureLike
from saccade.engine.sources import dense
from saccade.errors import InvalidInput, NotAnImage, NotFound
from saccade.types import Array

_ID = re.compile(r"[0-9a-f]{32}")

# How much a picture that is *not* meant counts against one that is (Rocchio's customary half).
AGAINST = 0.5


@dataclass(frozen=True, slots=True)
class Query:
    """A signed set of examples."""

    like: tuple[Example, ...]
    unlike: tuple[Example, ...] = ()

    def signed(self) -> list[tuple[float, Example]]:
        """Examples with weights: the likes' add up to one, the others' to `-AGAINST`."""
        return [(1.0 / len(self.like), e) for e in self.like] + [
            (-AGAINST / len(self.unlike), e) for e in self.unlike
        ]

    def anew(self) -> Query:
        """The same, with nothing found out about it."""
        return Query(
            *(tuple(replace(e, _made={}) for e in some) for some in (self.like, self.unlike))
        )

    def rows(self) -> list[int]:
        """Rows of the examples that are in the collection."""
        return [e.row for e in (*self.like, *self.unlike) if e.row >= 0]


def resolve(thing: PictureLike, collection: Collection, only: Wanted = None) -> Example:
    """An example from whatever a person gave; `only` these descriptors are computed."""
    from saccade.images.identity import image_id
    from saccade.scale.decoding import decode

    if isinstance(thing, np.ndarray):
        return outside("", from_array(thing), collection, only)
    if isinstance(thing, str) and _ID.fullmatch(thing) and not os.path.exists(thing):
        return collection.example(collection.row(thing))
    data = bytes(thing) if isinstance(thing, bytes | bytearray | memoryview) else _read(thing)
    name = image_id(data)
    row = collection.find(name)
    if row >= 0:
        return collection.example(row)
    where = "the query" if isinstance(thing, bytes | bytearray | memoryview) else str(thing)
    try:
        picture = decode(data).picture
    except NotAnImage as error:
        raise NotAnImage(f"{where}: {error.message}", hint=error.hint) from error
    return outside(name, picture, collection, only)


def _read(thing: object) -> bytes:
    from saccade.images.files import read_file

    if not isinstance(thing, str | os.PathLike):
        raise InvalidInput(
            f"cannot search with a {type(thing).__name__}",
            hint="give a path, an image id, the bytes of a file, or an array",
        )
    path = Path(thing).expanduser()
    try:
        return read_file(path)
    except FileNotFoundError:
        raise NotFound(f"no file {str(path)!r}, and no image with that id") from None
    except NotAnImage as error:
        raise NotAnImage(f"{path}: {error.message}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInput(f"{str(path)!r} cannot be read: {reason}") from error


def from_array(array: Array) -> Picture:
    """A picture from pixels at hand."""
    from saccade.images.picture import ArrayPicture

    if array.ndim == 2:
        array = np.repeat(array[:, :, None], 3, axis=2)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3 or not array.size:
        raise NotAnImage(
            f"an array of {array.dtype} {list(array.shape)} is no picture",
            hint="give uint8 [height, width, 3] in RGB order, or [height, width]",
        )
    return ArrayPicture(np.ascontiguousarray(array)).fit(640)


def outside(name: str, picture: Picture, collection: Collection, only: Wanted = None) -> Example:
    """The example for a picture that is not in the collection."""
    parts: dict[str, object] = {}
    for view in collection.views.values():
        parts |= view.of_picture(picture, only)
    return Example(name, -1, parts)


def encodes_text(collection: Collection) -> bool:
    """Whether a text encoder stands beside one of the collection's image encoders."""
    from saccade.descriptors import text_encoder

    for name in dense.of(collection).columns:
        if name.startswith("embedding@"):
            with suppress(InvalidInput):
                text_encoder(name)
                return True
    return False


def from_text(text: str, collection: Collection) -> Example:
    """The example for a text, in the space of an image encoder with a text encoder beside it."""
    from saccade.descriptors import text_encoder

    reason = InvalidInput(
        "no text encoder is installed, so this collection cannot be searched by words",
        hint=hints.recipe("embedding@MODEL.onnx"),
    )
    for name in dense.of(collection).columns:
        try:
            encoder = text_encoder(name)
        except InvalidInput as error:
            # A pair that is broken deserves its own sentence; a descriptor without one does not.
            reason = error if name.startswith("embedding@") else reason
            continue
        return Example("", -1, {name: encoder.encode([text])[0]})
    raise reason


def logged(
    examples: Sequence[Example], collection: Collection, *, places: bool
) -> tuple[LoggedExample, ...]:
    """Examples as the log keeps them: ids, and what was seen of pictures from outside."""
    out = []
    for example in examples:
        arrays: dict[str, Array] = {}
        if example.row < 0 or example.partial:
            for view in collection.views.values():
                arrays |= view.remember(example, places=places)
        out.append(LoggedExample(example.image_id, example.row >= 0, arrays))
    return tuple(out)


def from_log(
    lines: Sequence[LoggedExample], collection: Collection, vocabulary: str
) -> tuple[Example, ...]:
    """What `logged` gave, over the collection as it is now."""
    out = []
    for one in lines:
        if one.stored:
            whole = collection.example(collection.row(one.image_id))
            part = replace(whole, parts=dict(one.arrays), partial=True) if one.arrays else whole
            out.append(part)
            continue
        parts: dict[str, object] = {}
        for view in collection.views.values():
            parts |= view.recall(one.arrays, vocabulary)
        out.append(Example(one.image_id, -1, parts))
    return tuple(out)

"""What a person searches with, turned into vectors.

A query is a set of examples with signs. An example is a path, an image id, bytes or an array; if
its bytes are in the collection its vectors are there already, and it is left out of its own page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import hints
from saccade.contracts import Picture
from saccade.engine.collection import Collection, Example, Wanted
from saccade.engine.events import Remembered
from saccade.engine.sources import dense, regions
from saccade.errors import InvalidInput, NotAnImage, NotFound
from saccade.hints import Hint

_ID = re.compile(r"[0-9a-f]{32}")

_ASK = Hint(
    "give a picture, or like=[…]",
    command="name a picture: `saccade search photo.jpg`",
    http="send image_id, like or text, or a form with the file 'image'",
)

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

    def rows(self) -> list[int]:
        """Rows of the examples that are in the collection."""
        return [e.row for e in (*self.like, *self.unlike) if e.row >= 0]


def resolve(thing: Any, collection: Collection, only: Wanted = None) -> Example:
    """An example from whatever a person gave; `only` these descriptors are computed."""
    from saccade.images.identity import image_id
    from saccade.scale.decoding import decode

    if isinstance(thing, Example):
        return thing  # a part of a picture, made where the pixels are
    if isinstance(thing, np.ndarray):
        return outside("", from_array(thing), collection, only)
    if isinstance(thing, str) and _ID.fullmatch(thing) and not os.path.exists(thing):
        return stored(thing, collection)
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


def stored(image_id: str, collection: Collection) -> Example:
    """The example for an image of the collection."""
    return collection.example(known(image_id, collection))


def known(image_id: str, collection: Collection) -> int:
    """The row of an image of the collection."""
    row = collection.find(image_id)
    if row < 0:
        raise NotFound(
            f"no image {image_id!r} in this collection", hint="ids come from search results"
        )
    return row


def _read(thing: Any) -> bytes:
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


def from_array(array: NDArray[Any]) -> Picture:
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
    parts: dict[str, Any] = {}
    for view in collection.views.values():
        parts |= view.of_picture(picture, only)
    return Example(name, -1, parts)


def from_text(text: str, collection: Collection) -> Example:
    """The example for a text, in the space of an image encoder with a text encoder beside it."""
    from saccade.descriptors import text_encoder

    if not text.strip():
        raise InvalidInput("empty text", hint="say in words what to look for")
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


def asked(
    given: Sequence[Any],
    unlike: Sequence[Any],
    text: str | None,
    collection: Collection,
    only: Wanted,
) -> Query:
    """The query of a search: pictures with signs, or a text."""
    if text is not None:
        if given or unlike:
            raise InvalidInput("search by words or by pictures, not both at once")
        return Query((from_text(text, collection),))
    if not given:
        raise InvalidInput("nothing to search with", hint=_ASK)
    return Query(examples(given, collection, only), examples(unlike, collection, only))


def remembered(
    examples: Sequence[Example], collection: Collection, *, places: bool
) -> tuple[Remembered, ...]:
    """Examples as the log keeps them: ids, and what was seen of pictures from outside."""
    out = []
    for example in examples:
        arrays: dict[str, NDArray[Any]] = {}
        for view in collection.views.values() if example.row < 0 else ():
            arrays |= view.remember(example, places=places)
        if example.row >= 0 and regions.REGIONS in example.parts:
            arrays = {regions.REGIONS: example.parts[regions.REGIONS]}
        out.append(Remembered(example.image_id, example.row >= 0, arrays))
    return tuple(out)


def recalled(
    kept: Sequence[Remembered], collection: Collection, vocabulary: str
) -> tuple[Example, ...]:
    """What `remembered` gave, over the collection as it is now."""
    out = []
    for one in kept:
        if one.stored:
            whole, part = stored(one.image_id, collection), one.arrays.get(regions.REGIONS)
            if part is not None:
                whole = replace(whole, parts={regions.REGIONS: part})
            out.append(whole)
            continue
        parts: dict[str, Any] = {}
        for view in collection.views.values():
            parts |= view.recall(one.arrays, vocabulary)
        out.append(Example(one.image_id, -1, parts))
    return tuple(out)


def several(things: Any) -> list[Any]:
    """Things in a list; one alone need not be in one."""
    one = (str, bytes, bytearray, memoryview, np.ndarray)
    many = isinstance(things, Iterable) and not isinstance(things, one)
    return list(things) if many else [things]


def examples(
    things: Sequence[Any], collection: Collection, only: Wanted = None
) -> tuple[Example, ...]:
    """An example from each thing."""
    return tuple(resolve(thing, collection, only) for thing in things)

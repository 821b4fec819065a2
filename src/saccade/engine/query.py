"""What a person searches with, turned into vectors.

A query is a set of examples with signs. An example is a path, an image id, bytes or an array; if
its bytes are in the collection its vectors are there already, and it is left out of its own page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.engine.collection import Collection
from saccade.engine.words import WORDS, features_of
from saccade.engine.worker import describe, descriptor_of, read
from saccade.errors import InvalidInput, NotAnImage, NotFound, StoreError
from saccade.words.geometry import Placed

Wanted = frozenset[str] | None  # descriptors to compute; all when None

_ID = re.compile(r"[0-9a-f]{32}")

# How much a picture that is *not* meant counts against one that is (Rocchio's customary half).
AGAINST = 0.5


@dataclass(frozen=True, slots=True)
class Example:
    """One example of a query; `row` is -1 for a picture from outside."""

    image_id: str
    row: int
    vectors: Mapping[str, NDArray[Any]]
    placed: Placed | None = None  # features and words of a picture from outside


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
    from saccade.images.decode import decode
    from saccade.images.identity import image_id

    if isinstance(thing, np.ndarray):
        return outside("", from_array(thing), collection, only)
    if isinstance(thing, str) and _ID.fullmatch(thing) and not os.path.exists(thing):
        return stored(thing, collection)
    data = bytes(thing) if isinstance(thing, bytes | bytearray | memoryview) else _read(thing)
    name = image_id(data)
    row = collection.listing.row_of.get(name, -1)
    if row >= 0 and collection.listing.alive[row]:
        return Example(name, row, collection.vectors(row))
    where = "the query" if isinstance(thing, bytes | bytearray | memoryview) else str(thing)
    try:
        picture = decode(data).picture
    except NotAnImage as error:
        raise NotAnImage(f"{where}: {error.message}", hint=error.hint) from error
    return outside(name, picture, collection, only)


def stored(image_id: str, collection: Collection) -> Example:
    """The example for an image of the collection."""
    row = collection.listing.row_of.get(image_id, -1)
    if row < 0 or not collection.listing.alive[row]:
        raise NotFound(
            f"no image {image_id!r} in this collection", hint="ids come from search results"
        )
    return Example(image_id, row, collection.vectors(row))


def _read(thing: Any) -> bytes:
    if not isinstance(thing, str | os.PathLike):
        raise InvalidInput(
            f"cannot search with a {type(thing).__name__}",
            hint="give a path, an image id, the bytes of a file, or an array",
        )
    path = Path(thing).expanduser()
    try:
        return read(path)
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
    vectors: dict[str, NDArray[Any]] = {}
    for descriptor, version in collection.versions.items():
        if only is not None and descriptor not in only:
            continue
        if descriptor_of(descriptor).version != version:
            raise StoreError(
                f"column {descriptor!r} was computed by another version of Saccade",
                hint="`saccade doctor --repair` computes it again",
            )
        arrays, problems = describe(descriptor, [picture], ["the query"])
        if problems:
            raise InvalidInput(f"the query: {problems[0].reason}")
        vectors[descriptor] = arrays["vectors"][0]
    placed = None
    if collection.words is not None and (only is None or WORDS in only):
        features = features_of(picture)
        vectors[WORDS] = collection.words.vocabulary.assign(features.descriptors)
        placed = Placed(features, vectors[WORDS])
    return Example(name, -1, vectors, placed)


def from_text(text: str, collection: Collection) -> Example:
    """The example for words, in the space of an image encoder that has a text encoder beside it."""
    from saccade.descriptors import text_encoder

    if not text.strip():
        raise InvalidInput("empty text", hint="say in words what to look for")
    reason = InvalidInput(
        "no text encoder is installed, so this collection cannot be searched by words",
        hint="index with an image encoder that has one: `--recipe +embedding@MODEL.onnx`",
    )
    for name in collection.columns:
        try:
            encoder = text_encoder(name)
        except InvalidInput as error:
            # A pair that is broken deserves its own sentence; a descriptor without one does not.
            reason = error if name.startswith("embedding@") else reason
            continue
        return Example("", -1, {name: encoder.encode([text])[0]})
    raise reason


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

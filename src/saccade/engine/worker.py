"""What an indexing worker does: files in, descriptors and thumbnails out.

This runs in a process of its own and must not touch the store. One bad file never spoils a batch,
and one bad descriptor never spoils an image: its row is zero, which is similar to nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Descriptor, Picture
from saccade.errors import NotAnImage
from saccade.types import Skipped

if TYPE_CHECKING:
    from saccade.engine.words import Source


@dataclass(frozen=True, slots=True)
class Task:
    """Files to describe. `known` are ids that need no description; a worker only names them."""

    paths: tuple[str, ...]
    descriptors: tuple[str, ...]
    known: frozenset[str] = frozenset()
    thumbnails: bool = True


@dataclass(slots=True)
class Described:
    """What became of a task's files. Arrays have one row an image of `new`, in order."""

    new: list[tuple[str, str, int, int]] = field(default_factory=list)  # path, id, width, height
    known: list[tuple[str, str]] = field(default_factory=list)  # path, id
    skipped: list[Skipped] = field(default_factory=list)
    unread: list[Skipped] = field(default_factory=list)  # not the file's fault, perhaps
    problems: list[Skipped] = field(default_factory=list)
    thumbnails: list[bytes] = field(default_factory=list)
    columns: dict[str, dict[str, NDArray[Any]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def read(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file that may be a picture; one over the limit is refused unread."""
    from saccade.images.decode import DEFAULT_LIMITS

    size, most = os.stat(path).st_size, DEFAULT_LIMITS.max_bytes
    if size > most:
        raise NotAnImage(f"{size:,} bytes are over the limit of {most:,}")
    return Path(path).read_bytes()


def describe_files(task: Task) -> Described:
    """Read, decode and describe every file of a task."""
    from time import perf_counter

    from saccade.images.decode import decode
    from saccade.images.identity import image_id
    from saccade.images.thumbnails import thumbnail

    out = Described()
    pictures: list[Picture] = []
    seen: set[str] = set()
    start = perf_counter()
    for path in task.paths:
        try:
            data = read(path)
            name = image_id(data)
            if name in task.known or name in seen:
                out.known.append((path, name))
                continue
            decoded = decode(data)
        except NotAnImage as error:
            out.skipped.append(Skipped(path, str(error)))
            continue
        except OSError as error:
            out.unread.append(Skipped(path, f"cannot be read: {error.strerror or error}"))
            continue
        seen.add(name)
        out.new.append((path, name, decoded.width, decoded.height))
        pictures.append(decoded.picture)
    out.seconds["decode"] = perf_counter() - start
    if task.thumbnails:
        start = perf_counter()
        out.thumbnails = [thumbnail(picture) for picture in pictures]
        out.seconds["thumbnail"] = perf_counter() - start
    for name in task.descriptors:
        start = perf_counter()
        arrays, problems = describe(name, pictures, [item[0] for item in out.new])
        out.columns[name] = arrays
        out.problems += problems
        out.seconds[name] = perf_counter() - start
    return out


def describe(
    name: str, pictures: Sequence[Picture], labels: Sequence[str]
) -> tuple[dict[str, NDArray[Any]], list[Skipped]]:
    """One descriptor of some pictures, as the arrays of a column.

    `labels` name them in problems.
    """
    from saccade.engine import words
    from saccade.features.similarities import norms

    if name == words.WORDS:
        return words.describe(pictures, labels)
    descriptor = descriptor_of(name)
    problems: list[Skipped] = []
    try:
        vectors = _checked(descriptor, pictures)
    except Exception:
        # Someone else's code may raise anything. Find the picture it chokes on; keep the others.
        vectors = np.zeros((len(pictures), descriptor.dimension), np.float32)
        for i, picture in enumerate(pictures):
            try:
                vectors[i] = _checked(descriptor, [picture])[0]
            except Exception as error:
                reason = f"descriptor {name!r} failed: {type(error).__name__}: {error}"
                problems.append(Skipped(labels[i], reason))
    return {"vectors": vectors, "norms": norms(vectors)}, problems


def source_of(name: str) -> Descriptor | Source:
    """What fills the column with this name: a descriptor, or the local features."""
    from saccade.engine import words

    return words.Source() if name == words.WORDS else descriptor_of(name)


@lru_cache(maxsize=64)
def descriptor_of(name: str) -> Descriptor:
    """The descriptor with this name, made once a process."""
    import cv2

    from saccade.descriptors import make

    # OpenCV would start a thread for every core in every worker and every request.
    cv2.setNumThreads(1)
    return make(name)


def _checked(descriptor: Descriptor, pictures: Sequence[Picture]) -> NDArray[np.float32]:
    if not pictures:
        return np.zeros((0, descriptor.dimension), np.float32)
    vectors = np.asarray(descriptor.describe(pictures), np.float32)
    if vectors.shape != (len(pictures), descriptor.dimension):
        raise ValueError(f"gave shape {vectors.shape} for {len(pictures)} pictures")
    if not np.isfinite(vectors).all():
        raise ValueError("gave a value that is not finite")
    return vectors

"""What an indexing worker does: files in, descriptors and thumbnails out.

This runs in a process of its own and must not touch the store. One bad file never spoils a batch,
and one bad descriptor never spoils an image: its row is zero, which is similar to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from saccade.contracts import Picture
from saccade.errors import NotAnImage
from saccade.types import Array, Origin, Skipped


@dataclass(frozen=True, slots=True)
class FileBatch:
    """Files to describe. `described` are ids that need no description; a worker only names them."""

    paths: tuple[str, ...]
    descriptors: tuple[str, ...]
    described: frozenset[str] = frozenset()
    thumbnails: bool = True


@dataclass(slots=True)
class Described:
    """What became of a task's files. Arrays have one row per image of `new`, in order."""

    new: list[tuple[str, str, int, int]] = field(default_factory=list)  # path, id, width, height
    copies: list[tuple[str, str]] = field(default_factory=list)  # path, id
    origins: list[Origin] = field(default_factory=list)  # of `new`
    skipped: list[Skipped] = field(default_factory=list)
    unread: list[Skipped] = field(default_factory=list)  # not the file's fault, perhaps
    problems: list[Skipped] = field(default_factory=list)
    thumbnails: list[bytes] = field(default_factory=list)
    columns: dict[str, dict[str, Array]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def describe_files(task: FileBatch) -> Described:
    """Read, decode and describe every file of a task."""
    from time import perf_counter

    from saccade.engine.sources import SOURCES
    from saccade.images.files import read_file
    from saccade.images.identity import image_id
    from saccade.images.thumbnails import thumbnail
    from saccade.scale.decoding import decode

    out = Described()
    pictures: list[Picture] = []
    seen: set[str] = set()
    began = perf_counter()
    for path in task.paths:
        try:
            data = read_file(path)
            name = image_id(data)
            if name in task.described or name in seen:
                out.copies.append((path, name))
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
        out.origins.append(decoded.origin)
        pictures.append(decoded.picture)
    out.seconds["decode"] = perf_counter() - began
    if task.thumbnails:
        began = perf_counter()
        out.thumbnails = [thumbnail(picture) for picture in pictures]
        out.seconds["thumbnail"] = perf_counter() - began
    for name in task.descriptors:
        began = perf_counter()
        labels = [item[0] for item in out.new]
        arrays, problems = SOURCES.of(name).describe(name, pictures, labels)
        out.columns[name] = arrays
        out.problems += problems
        out.seconds[name] = perf_counter() - began
    return out

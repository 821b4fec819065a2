"""Originals in one file: a zip written while it is read, one picture in memory at a time."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import PurePath

from saccade.engine.rooms.files import Files
from saccade.errors import InvalidInput, NotFound

MOST, MOST_BYTES = 1000, 2 << 30
"""Pictures in one file, and what they may take together."""
MISSING = "missing.txt"
"""In the file where an original has vanished: which ones, a name a line."""


def zipped(files: Files, image_ids: Sequence[str]) -> Iterator[bytes]:
    """The originals of some pictures as the bytes of a zip, under their own names.

    Pictures are packed as they are: they are compressed already.

    Raises:
        NotFound: one of them is none of the collection's.
        InvalidInput: none, or too many or too large ones; both before the first byte is given.
    """
    records = [files.image(image_id) for image_id in dict.fromkeys(image_ids)]
    if not 1 <= len(records) <= MOST:
        raise InvalidInput(f"{len(records)} pictures: a zip holds 1 to {MOST:,}")
    size = sum(_size(path) for record in records for path in record.paths[:1])
    if size > MOST_BYTES:
        raise InvalidInput(
            f"{size:,} bytes of pictures: a zip holds {MOST_BYTES:,} at most",
            hint="choose fewer at once",
        )
    names = _names([PurePath(record.paths[0]).name for record in records if record.paths])
    named = [(record.image_id, name) for record, name in zip(records, names, strict=True)]
    return _written(files, named)


def _written(files: Files, pictures: Sequence[tuple[str, str]]) -> Iterator[bytes]:
    sink, missing = _Sink(), []
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for image_id, name in pictures:
            try:
                archive.writestr(name, files.original(image_id))
            except NotFound:
                missing.append(name)
            yield sink.taken()
        if missing:
            archive.writestr(MISSING, "\n".join(missing) + "\n")
    yield sink.taken()


class _Sink:
    """What a zip is written to; whoever reads takes what has come."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        """Have some more."""
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """It needs no end."""

    def taken(self) -> bytes:
        """What came since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _size(path: str) -> int:
    with suppress(OSError):
        return os.path.getsize(path)
    return 0


def _names(names: Sequence[str]) -> list[str]:
    """Names of which none comes twice, on systems that do not tell capitals apart either.

    >>> _names(["a.jpg", "b.jpg", "A.jpg", "a.jpg"])
    ['a.jpg', 'b.jpg', 'A-2.jpg', 'a-3.jpg']
    """
    taken, out = {MISSING}, []
    for name in names:
        path, number, free = PurePath(name), 1, name
        while free.lower() in taken:
            number += 1
            free = f"{path.stem}-{number}{path.suffix}"
        taken.add(free.lower())
        out.append(free)
    return out

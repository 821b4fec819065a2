"""Files that last: written whole, synced with their names, and known by a digest.

A thumbnail carries its digest behind its last byte, where no reader of JPEG looks; every other file
has its own in the catalog.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

_BYTES = 16
_SEAL = b"saccade\x01"
_END_OF_JPEG = b"\xff\xd9"


class _Hashing:
    """A stream that knows the digest of what went through it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.digest = _hash()

    def write(self, data: bytes) -> int:
        """Pass bytes on."""
        self.digest.update(data)
        return self._stream.write(data)


def write_array(file: Path, array: NDArray[Any]) -> str:
    """Write one array so that `file` is either whole and on disk, or absent. Returns its digest."""
    make_folder(file.parent)
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as stream:
            hashing = _Hashing(stream)
            np.save(hashing, np.ascontiguousarray(array), allow_pickle=False)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return hashing.digest.hexdigest()


def digest_of(file: Path) -> str:
    """The digest of a file's bytes as they are now."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, _hash).hexdigest()


def digest(data: bytes) -> str:
    """The digest of some bytes."""
    return _hash(data).hexdigest()


def make_folder(folder: Path) -> None:
    """Create a folder; its name lasts, and those of the folders above it that are new."""
    new = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in new:
        sync_folder(made.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sealed(jpeg: bytes) -> bytes:
    """A JPEG with its digest behind it.

    >>> unsealed(sealed(b"a picture"))
    b'a picture'
    >>> unsealed(b"b" + sealed(b"a picture")[1:]) is None
    True
    """
    return jpeg + _SEAL + _hash(jpeg).digest()


def unsealed(data: bytes) -> bytes | None:
    """The JPEG that was sealed, or None when it is damaged.

    One of an older store has no seal: it must at least have an end.
    """
    body, seal, digest = data[: -_BYTES - len(_SEAL)], data[-_BYTES - len(_SEAL) :], data[-_BYTES:]
    if seal.startswith(_SEAL):
        return body if _hash(body).digest() == digest else None
    return data if data.endswith(_END_OF_JPEG) else None


def _hash(data: bytes = b"") -> hashlib.blake2b:
    return hashlib.blake2b(data, digest_size=_BYTES)

"""Files that last: written whole, synced with their names, and known by a digest.

A thumbnail carries its digest behind its last byte, where no reader of pictures looks; every other
file has its own in the catalog.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import numpy as np

from saccade.errors import StoreFormat
from saccade.types import Array

_BYTES = 16
_SEAL = b"saccade\x01"
_END_OF_JPEG = b"\xff\xd9"


class Hashing:
    """A stream that knows the digest of what went through it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.digest = _hash()

    def write(self, data: bytes) -> int:
        """Pass bytes on."""
        self.digest.update(data)
        return self._stream.write(data)


def write_array(file: Path, array: Array) -> str:
    """Write one array so that `file` is either whole and on disk, or absent. Returns its digest."""
    make_folder(file.parent)
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as stream:
            hashing = Hashing(stream)
            np.save(hashing, np.ascontiguousarray(array), allow_pickle=False)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return hashing.digest.hexdigest()


def inside(root: Path, name: str) -> Path:
    """Where a file lies that a catalog names; whatever the name says, it is in the store.

    A store may come from a stranger. The name is followed to its end, links and all, before
    anything is read or written there. A loop of links has no end and leads nowhere: it is a file
    that is missing.

    Raises:
        StoreFormat: the name leads outside, or is none.
    """
    plain = PurePosixPath(name)
    # An absolute name would take the place of the root; a link may lead anywhere.
    lost = plain.is_absolute() or ".." in plain.parts or not plain.parts
    try:
        lost = lost or not (root / name).resolve().is_relative_to(root.resolve())
    except RuntimeError:
        pass  # a loop of links
    except (OSError, ValueError):
        lost = True  # no name at all
    if lost:
        raise StoreFormat(
            f"{root}: its catalog names a file outside the store: {name!r}",
            hint="it is damaged, or was made to do harm: trust it only if you know who made it",
        )
    return root / name


def make_way(file: Path) -> None:
    """Put a folder aside that lies where a file belongs; an empty one goes."""
    if not file.is_dir() or file.is_symlink():
        return
    try:
        file.rmdir()
    except OSError:  # somebody's files are in it
        number = next(n for n in count(1) if not file.with_name(f"{file.name}.{n}.aside").exists())
        file.rename(file.with_name(f"{file.name}.{number}.aside"))


def write_text(file: Path, text: str) -> None:
    """Write a small file so that it lasts."""
    with file.open("x") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def digest_of(file: Path, *, cached: bool = True) -> str:
    """The digest of a file's bytes as they are now; not `cached`, as they are on its disk."""
    with file.open("rb") as stream:
        if not cached and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return hashlib.file_digest(stream, _hash).hexdigest()


def unhurried_digest_of(file: Path, going: Callable[[], bool]) -> str | None:
    """The same, a mebibyte at a time as long as it is `going`; None where it was stopped."""
    digest = _hash()
    with file.open("rb") as stream:
        while data := stream.read(2**20):
            if not going():
                return None
            digest.update(data)
    return digest.hexdigest()


def digest(data: bytes) -> str:
    """The digest of some bytes."""
    return _hash(data).hexdigest()


def make_folder(folder: Path) -> tuple[Path, ...]:
    """Create a folder; its name lasts, and those of the folders above it that are new.

    Returns those that this call made, the innermost first: another process may make some.
    """
    folders = []
    for place in reversed([folder, *folder.parents]):
        if place.exists():
            continue
        try:
            place.mkdir()
        except FileExistsError:
            if not place.is_dir():
                raise
            continue
        sync_folder(place.parent)
        folders.append(place)
    return tuple(reversed(folders))


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

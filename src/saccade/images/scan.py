"""The image files below a folder, in an order that depends on their names alone.

Left out without a word: hidden files and folders, `__MACOSX`, Saccade's own `*.saccade` folders and
files without an image's extension. Left out with a reason: what cannot be read, links to folders,
pipes and sockets called like images, names that are not Unicode. Nothing is opened here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from saccade.errors import InvalidInput
from saccade.types import Skipped

EXTENSIONS = frozenset(
    [".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".tif", ".tiff", ".bmp", ".dib", ".gif"]
)
"""Endings of image files, compared in lower case."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that looks like an image: size and time tell whether it changed since last seen."""

    path: Path
    size: int
    mtime_ns: int


def scan(folder: Path | str) -> Iterator[Found | Skipped]:
    """Every image file below `folder`, sorted by name within each folder.

    Raises:
        InvalidInput: `folder` is missing, no folder, or unreadable; at once, not at the first item.
    """
    folder = Path(folder)
    try:
        if not folder.exists():
            raise InvalidInput(f"no folder {str(folder)!r}; check the path")
        if not folder.is_dir():
            raise InvalidInput(f"{str(folder)!r} is a file; name the folder that holds it")
        entries = _entries(folder)
    except OSError as error:
        raise InvalidInput(
            f"folder {str(folder)!r} cannot be read: {_reason(error)}; check its permissions"
        ) from error
    return _walk(entries)


def _walk(entries: list[os.DirEntry[str]]) -> Iterator[Found | Skipped]:
    # A stack instead of recursion: no depth of folders is too deep.
    stack = entries[::-1]
    while stack:
        entry = stack.pop()
        if _is_left_out(entry.name):
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                if _is_unicode(entry.path):
                    stack.extend(_entries(entry)[::-1])
                else:
                    yield _not_unicode(entry)
            elif entry.is_dir():
                yield Skipped(_shown(entry.path), "a link to a folder; links are not followed")
            elif os.path.splitext(entry.name)[1].lower() in EXTENSIONS:
                yield _judge(entry)
        except OSError as error:
            yield Skipped(_shown(entry.path), f"cannot be read: {_reason(error)}")


def _judge(entry: os.DirEntry[str]) -> Found | Skipped:
    if not _is_unicode(entry.path):
        return _not_unicode(entry)
    status = entry.stat()  # follows a link; a broken one raises
    if not entry.is_file():
        return Skipped(entry.path, "a pipe, socket or device, not a file")
    return Found(Path(entry.path), status.st_size, status.st_mtime_ns)


def _entries(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX" or name.endswith(".saccade")


def _is_unicode(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _not_unicode(entry: os.DirEntry[str]) -> Skipped:
    return Skipped(_shown(entry.path), "its name is not valid Unicode; rename it")


def _shown(path: str) -> str:
    """The path as text that can be printed and stored, whatever bytes its name has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()

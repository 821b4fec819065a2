"""The image files below a folder, in an order that depends on their names alone.

Left out without a word: hidden files and folders, Saccade's own `*.saccade` folders and files
without an image's extension. Left out with a reason: folders in which systems and network drives
keep thumbnails, waste and snapshots (`@eaDir`, `#recycle`, `.Trash-1000` …), what cannot be read,
links to folders, pipes, sockets and devices called like images, the system's own folders, names
that are not Unicode, and pictures of formats that are not read here, with what would read them. No
file is opened here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from saccade.errors import InvalidInput
from saccade.images.files import special
from saccade.images.formats import unread
from saccade.types import Skipped

_THUMBNAILS = "thumbnails that another program made, no pictures of their own"
_WASTE = "what was thrown away"
_SNAPSHOTS = "copies that a network drive keeps by itself"
SYSTEM = (
    ("@eadir", _THUMBNAILS),
    (".thumbnails", _THUMBNAILS),
    (".@__thumb", _THUMBNAILS),
    ("@__thumb", _THUMBNAILS),
    ("*.lrdata", _THUMBNAILS),
    ("#recycle", _WASTE),
    ("@recycle", _WASTE),
    ("$recycle.bin", _WASTE),
    ("recycler", _WASTE),
    (".trash*", _WASTE),
    ("#snapshot", _SNAPSHOTS),
    ("@recently-snapshot", _SNAPSHOTS),
    (".snapshot*", _SNAPSHOTS),
    (".zfs", _SNAPSHOTS),
    ("__macosx", "what an archiver left behind"),
    ("lost+found", "what a repaired disk found"),
    ("system volume information", "the system's own folder"),
)
"""Folders that hold no pictures of a person's, by name, and what they hold."""
_NOT_UNICODE = "its name is not valid Unicode; rename it"


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
        reason = special(folder.stat())
        if reason is not None:
            raise InvalidInput(f"{str(folder)!r} is {reason}; name a folder of pictures")
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
        system = _system(entry.name)
        if system is None and _is_left_out(entry.name):
            continue
        try:
            if system is not None and entry.is_dir(follow_symlinks=False):
                yield Skipped(_shown(entry.path), f"passed over: {system}")
            elif _is_left_out(entry.name):
                continue
            elif entry.is_dir(follow_symlinks=False):
                reason = _why_not_entered(entry)
                if reason is None:
                    stack.extend(_entries(entry)[::-1])
                else:
                    yield Skipped(_shown(entry.path), reason)
            elif entry.is_dir():
                yield Skipped(_shown(entry.path), "a link to a folder; links are not followed")
            else:
                judged = _judge(entry)
                if judged is not None:
                    yield judged
        except OSError as error:
            yield Skipped(_shown(entry.path), f"cannot be read: {_reason(error)}")


def _why_not_entered(entry: os.DirEntry[str]) -> str | None:
    if not _is_unicode(entry.path):
        return _NOT_UNICODE
    return special(entry.stat(follow_symlinks=False))


def _judge(entry: os.DirEntry[str]) -> Found | Skipped | None:
    reason = unread(os.path.splitext(entry.name)[1].lower())
    if reason == "":
        return None  # not called like a picture
    if not _is_unicode(entry.path):
        reason = _NOT_UNICODE
    if reason is None:
        status = entry.stat()  # follows a link; a broken one raises
        reason = special(status)
    if reason is not None:
        return Skipped(_shown(entry.path), reason)
    return Found(Path(entry.path), status.st_size, status.st_mtime_ns)


def _entries(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name.endswith(".saccade")


def _system(name: str) -> str | None:
    """What a folder of the system's holds; None for any other.

    >>> _system("@eaDir"), _system(".Trash-1000"), _system("rome")
    ('thumbnails that another program made, no pictures of their own', 'what was thrown away', None)
    """
    plain = name.casefold()
    return next((holds for pattern, holds in SYSTEM if fnmatchcase(plain, pattern)), None)


def _is_unicode(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    """The path as text that can be printed and stored, whatever bytes its name has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()

"""Notices pictures that come, go or move in the folders of a collection.

A folder's time changes when a file in it comes, goes or gets another name. So only folders are
looked at, a thousand in some milliseconds, and on network drives, too, which tell nobody what
happens on them. What has changed is indexed once it has been quiet for a look: whoever copies a
thousand pictures is not asked in the middle. Asking is a job; only new files are read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

Times = dict[str, int]


class FolderWatch:
    """What the folders looked like at the last look."""

    def __init__(self) -> None:
        self._times: dict[str, Times] = {}  # by root
        self._restless: set[str] = set()

    def changed(self, roots: Iterable[str]) -> list[str]:
        """The roots that something happened in, and nothing more since the last look.

        A root that is away for now is left; the first look at one only remembers it.
        """
        quiet = []
        for root in roots:
            before = self._times.get(root)
            now = _again(before) if before is not None else _walked(root)
            if now is None:
                continue
            if before is None:
                self._times[root] = now
            elif now != before:
                self._times[root] = _walked(root) or now
                self._restless.add(root)
            elif root in self._restless:
                self._restless.discard(root)
                quiet.append(root)
        return quiet


def _again(before: Times) -> Times | None:
    """The times of the folders that are known, now; None where the root is away."""
    now = {folder: time for folder in before if (time := _time(folder)) is not None}
    root = next(iter(before), None)
    return None if root not in now else now


def _walked(root: str) -> Times | None:
    """The times of a root and of every folder below it, hidden ones apart."""
    first = _time(root)
    if first is None:
        return None
    times = {root: first}
    for place, folders, _ in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "@"))]
        for name in folders:
            folder = os.path.join(place, name)
            time = _time(folder)
            if time is not None and not name.endswith(".saccade"):
                times[folder] = time
        folders[:] = [name for name in folders if not name.endswith(".saccade")]
    return times


def _time(folder: str) -> int | None:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return None

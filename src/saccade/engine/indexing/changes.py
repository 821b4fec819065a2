"""What changed in a folder since it was last looked through. Pure: no disk, no catalog.

file            known at this path, same size and time     not read
                else                                       read: new, changed, moved, duplicate
path below the folder that is no file any more             vanished
path of an image whose old path is gone                    moved
further path of an image that still has one                duplicate
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

Stat = tuple[int, int]  # size, time of change


@dataclass(frozen=True, slots=True)
class Changes:
    """Files to read, and known paths that are no files any more."""

    unread: tuple[str, ...]
    vanished: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sorted:
    """Old paths of images that moved, and how many files are further paths of known images."""

    moved: frozenset[str]
    duplicates: int


def changes(files: Mapping[str, Stat], before: Mapping[str, Stat], below: Iterable[str]) -> Changes:
    """Compare the `files` of a folder with what was there `before`, `below` it and elsewhere.

    >>> changes({"/a": (1, 7), "/b": (2, 7)}, {"/a": (1, 7), "/c": (3, 7)}, ["/a", "/c"])
    Changes(unread=('/b',), vanished=frozenset({'/c'}))
    """
    unread = tuple(path for path, stat in files.items() if before.get(path) != stat)
    return Changes(unread, frozenset(below) - set(files))


def sorted_paths(
    met: Sequence[tuple[str, str]],
    paths_of: Mapping[str, Sequence[str]],
    gone: Callable[[str], bool],
) -> Sorted:
    """Tell moved files from duplicates, among the (path, image id)s a run has met, in their order.

    `paths_of` are the paths each image had before, `gone` says which of those are no files now. A
    path that is gone explains one new path; the next one is a duplicate.

    >>> sorted_paths([("/new", "i"), ("/more", "i")], {"i": ["/old"]}, {"/old"}.__contains__)
    Sorted(moved=frozenset({'/old'}), duplicates=1)
    """
    here = {image_id: list(paths) for image_id, paths in paths_of.items()}
    moved: set[str] = set()
    duplicates = 0
    for path, image_id in met:
        others = here.setdefault(image_id, [])
        if path in others:
            continue
        lost = next((old for old in others if gone(old)), None)
        if lost is not None:
            moved.add(lost)
            others.remove(lost)
        else:
            duplicates += bool(others)
        others.append(path)
    return Sorted(frozenset(moved), duplicates)

"""A disk that remembers what was synced, and forgets, keeps or tears the rest.

What POSIX promises, and no more:

    sync of a file     its bytes and its length are there after the power fails; not its name
    sync of a folder   the names in it are; not the bytes behind them
    anything else      may be there, not there, or there in part, in any order among bytes;
                       changes of names last in the order they were made in

Bytes are torn at sectors of 512. A file that grew without a sync may be found short, or long and
full of zeros.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from powerloss.recorder import Step

SECTOR = 512
FATES = ("lost", "kept", "names", "torn")
"""What becomes of the unsynced: all lost, all kept, names kept but no bytes, each its own luck."""


@dataclass(slots=True)
class _File:
    """Bytes that are safe, and changes since, in order."""

    safe: bytes = b""
    pending: list[Step] = field(default_factory=list)


@dataclass(slots=True)
class _Folder:
    """Nothing but its existence: names are the disk's matter."""


Thing = _File | _Folder


@dataclass(frozen=True, slots=True)
class _Naming:
    """A change of names: `path` stands for `thing` now, or for nothing."""

    changes: tuple[tuple[str, Thing | None], ...]

    def folders(self) -> set[str]:
        """The folders whose names change."""
        return {os.path.dirname(path) for path, _ in self.changes}


class Disk:
    """The state of a folder tree, with what would survive."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._now: dict[str, Thing] = {}
        self._safe: dict[str, Thing] = {}
        self._pending: list[_Naming] = []

    def take(self, step: Step) -> None:
        """Make one change."""
        if step.kind in ("write", "truncate"):
            self._file(step.path).pending.append(step)
        elif step.kind == "sync":
            self._sync(step.path)
        elif step.kind == "create":
            self._rename({step.path: _File()})
        elif step.kind == "mkdir":
            self._rename({step.path: _Folder()})
        elif step.kind in ("unlink", "rmdir"):
            self._rename({step.path: None})
        elif step.kind == "link":
            self._rename({step.other: self._now[step.path]})
        elif step.kind == "rename":
            self._move(step.path, step.other)
        elif step.kind != "mark":
            raise ValueError(step.kind)

    def _file(self, path: str) -> _File:
        found = self._now[path]
        assert isinstance(found, _File)
        return found

    def _move(self, source: str, target: str) -> None:
        moved: dict[str, Thing | None] = {}
        for path, thing in self._now.items():
            if path == source or path.startswith(source + os.sep):
                moved[path] = None
                moved[target + path[len(source) :]] = thing
        self._rename(moved)

    def _rename(self, changes: dict[str, Thing | None]) -> None:
        naming = _Naming(tuple(changes.items()))
        self._pending.append(naming)
        _apply(self._now, [naming])

    def _sync(self, path: str) -> None:
        thing = self._now.get(path)
        if isinstance(thing, _File):
            thing.safe, thing.pending = _written(thing.safe, thing.pending), []
            return
        # Of a folder, or of what lies above the tree.
        kept = [naming for naming in self._pending if path in naming.folders()]
        _apply(self._safe, kept)
        self._pending = [naming for naming in self._pending if naming not in kept]

    def after_power_loss(self, fate: str, chance: Random) -> dict[str, bytes | None]:
        """Path → bytes (None for a folder) as they are found when the power is back."""
        names = dict(self._safe)
        if fate != "lost":
            several = chance.randint(0, len(self._pending)) if fate == "torn" else None
            _apply(names, self._pending[:several])
        found: dict[str, bytes | None] = {}
        for path, thing in sorted(names.items()):
            if path != self.root and os.path.dirname(path) not in found:
                continue  # its folder is not there
            if isinstance(thing, _Folder):
                found[path] = None
            elif fate == "kept":
                found[path] = _written(thing.safe, thing.pending)
            elif fate == "torn":
                found[path] = _torn(thing.safe, thing.pending, chance)
            else:
                found[path] = thing.safe
        return found

    def whole(self) -> dict[str, bytes | None]:
        """Everything as the program sees it."""
        return {
            path: None if isinstance(thing, _Folder) else _written(thing.safe, thing.pending)
            for path, thing in sorted(self._now.items())
        }


def _apply(names: dict[str, Thing], namings: Iterable[_Naming]) -> None:
    for naming in namings:
        for path, thing in naming.changes:
            if thing is None:
                names.pop(path, None)
            else:
                names[path] = thing


def _written(data: bytes, changes: Iterable[Step]) -> bytes:
    result = bytearray(data)
    for step in changes:
        _change(result, step.kind, step.offset, step.data)
    return bytes(result)


def _change(result: bytearray, kind: str, offset: int, data: bytes) -> None:
    end = offset if kind == "truncate" else offset + len(data)
    if len(result) < end:
        result.extend(bytes(end - len(result)))
    if kind == "truncate":
        del result[end:]
    else:
        result[offset:end] = data


def _torn(data: bytes, changes: list[Step], chance: Random) -> bytes:
    """Each change kept, lost or kept in part; lost bytes of a longer file are zeros."""
    result = bytearray(data)
    for step in changes:
        luck = chance.random()
        if step.kind == "truncate":
            if luck < 0.5:
                _change(result, "truncate", step.offset, b"")
        elif luck < 0.4:
            _change(result, "write", step.offset, step.data)
        elif luck < 0.8:
            for offset, sector in _sectors(step):
                if chance.random() < 0.5:
                    _change(result, "write", offset, sector)
        elif luck < 0.9:
            end = step.offset + len(step.data)
            if len(result) < end:
                _change(result, "truncate", end, b"")  # long enough, and full of zeros
    return bytes(result)


def _sectors(step: Step) -> Iterable[tuple[int, bytes]]:
    start, end = step.offset, step.offset + len(step.data)
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        yield start, step.data[start - step.offset : stop - step.offset]
        start = stop


def put(found: dict[str, bytes | None], root: str, place: Path) -> None:
    """Lay a found tree out below a folder."""
    for path, data in found.items():
        target = place / os.path.relpath(path, root)
        if data is None:
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.write_bytes(data)

"""A copy of a store that is consistent, verified, and a store itself.

Searching and feedback go on meanwhile; indexing waits. The copy has its name only once every file
of it was read back from its disk and is what was read from the store, and the store found nothing
wrong in it: catalog, events, columns, vocabularies, thumbnails, pictures that it keeps.
`manifest.json` lists the files of a copy with their checksums; a store in use has none.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saccade.errors import InvalidInput, StoreError
from saccade.hints import Hint
from saccade.store import files
from saccade.store.arrivals import FOLDER as PICTURES
from saccade.store.database import explained
from saccade.store.events import WITNESS
from saccade.store.store import CATALOG, MANIFEST, Store

FORMAT = 1
LOCK = "backup.lock"
SHOWN = 5

_MEND = Hint(
    "engine.library.doctor(repair=True) mends what can be mended",
    command="`saccade doctor --repair` mends what can be mended; --damaged copies it as it is",
)


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds."""

    place: Path
    images: int
    events: int
    files: int
    size: int
    """Bytes that were read back."""
    damaged: tuple[str, ...] = ()
    """What is not as it should be; empty where all was verified."""


def back_up(
    store: Store, place: str | os.PathLike[str], *, damaged: bool = False, wait: float = 0.0
) -> Copied:
    """Copy a store to a new place.

    With `damaged`, what is damaged is copied as it is, and told. Where another process indexes or
    copies, its end is waited for, `wait` seconds at most.

    Raises:
        StoreError: the store is damaged, and no copy was made.
    """
    target = Path(place).expanduser().absolute()
    if target.exists():
        raise InvalidInput(f"{target} exists already", hint="give the copy a name of its own")
    with explained(target):
        _tidy(target.parent)
        with store.unchanging(wait=wait):
            names = _names(store)  # all of them looked at before anything is written
            with _draft(target) as draft:
                store.copy_catalog(draft / CATALOG)
                names += _pictures(store)
                read = {name: _copy(store.root / name, draft / name) for name in names}
                wrong = [*_unlike(store.root, read), *_verified(draft, read)]
                if wrong and not damaged:
                    raise StoreError(f"no copy was made: {_list(wrong)}", hint=_MEND)
                copied = _finished(draft, target, read, wrong)
    return copied


# -- copying -------------------------------------------------------------------------------------


def _names(store: Store) -> list[str]:
    """Every file of a store but its catalog; none of them outside it."""
    if store.columns.unreadable():
        raise StoreError("the catalog's list of columns is damaged", hint=_MEND)
    named = {file for segment in store.columns.segments() for file in segment.files.values()}
    kinds = ("words/*.npz", "thumbs/*/*.webp", "thumbs/*/*.jpg")
    others = [file for kind in kinds for file in store.root.glob(kind)]
    return _inside(store.root, [*sorted(named), *_relative(store.root, others)])


def _pictures(store: Store) -> list[str]:
    """The pictures that a store keeps. They come in at any time, each before the catalog names it:
    those that a copy of the catalog names are all there when it is made.
    """
    files = [file for file in store.root.glob(f"{PICTURES}/*") if not file.name.startswith(".")]
    return _inside(store.root, _relative(store.root, files))


def _relative(root: Path, others: Iterable[Path]) -> list[str]:
    return sorted(str(file.relative_to(root)) for file in others)


def _inside(root: Path, names: list[str]) -> list[str]:
    for name in names:
        files.inside(root, name)
    return names


def _copy(source: Path, copy: Path) -> str | None:
    """Copy one file so that it lasts; the digest of what was read, None where nothing could be."""
    files.make_folder(copy.parent)
    try:
        stream = source.open("rb")
    except FileNotFoundError:
        return None
    # Opened to be made, never to be written over: nothing may be there yet.
    with stream, copy.open("xb") as out:
        hashing = files.Hashing(out)
        shutil.copyfileobj(stream, hashing, 2**20)
        out.flush()
        os.fsync(out.fileno())
    return hashing.digest.hexdigest()


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """A folder beside a place, gone after a failure; locked, so that nobody else tidies it up."""
    from filelock import FileLock

    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        files.make_folder(draft)
        with FileLock(draft / LOCK, timeout=0):
            yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _tidy(folder: Path) -> None:
    """Delete what copies that were killed left in a folder."""
    from filelock import FileLock, Timeout

    for left in folder.glob(".*.part"):
        if _left_behind(left):
            with suppress(Timeout, OSError), FileLock(left / LOCK, timeout=0):
                shutil.rmtree(left, ignore_errors=True)


def _left_behind(folder: Path) -> bool:
    """Whether a folder is a draft of ours whose process may have ended: its lock will tell."""
    name = re.fullmatch(r"\..+\.(\d+)\.part", folder.name)
    if name is None or folder.is_symlink() or not folder.is_dir():
        return False
    inside = {path.name for path in folder.iterdir()}
    folders = {"columns", "words", "thumbs", PICTURES}
    parts = {CATALOG, f"{CATALOG}-journal", *folders, WITNESS, MANIFEST, LOCK}
    # One that has no lock yet is about to get it, while its process runs.
    return inside <= parts and (LOCK in inside or not _runs(int(name[1])))


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _finished(
    draft: Path, target: Path, read: Mapping[str, str | None], wrong: list[str]
) -> Copied:
    """Write the manifest, make every name last, and give the copy its own."""
    with _opened(draft) as copy:
        images, events = copy.catalog.count(), sum(copy.log.counts().values())
        copy.log.testify()
    listed = {name: digest for name, digest in read.items() if digest is not None}
    listed |= {name: files.digest_of(draft / name, cached=False) for name in (CATALOG, WITNESS)}
    size = sum((draft / name).stat().st_size for name in listed)
    files.write_text(draft / MANIFEST, json.dumps({"saccade-backup": FORMAT, "files": listed}))
    (draft / LOCK).unlink()
    for folder in (draft, *(path for path in draft.rglob("*") if path.is_dir())):
        files.sync_folder(folder)
    draft.rename(target)
    files.sync_folder(target.parent)
    return Copied(target, images, events, len(listed), size, tuple(wrong))


# -- verifying -----------------------------------------------------------------------------------


def _unlike(root: Path, read: Mapping[str, str | None]) -> Iterator[str]:
    """What a copy that is copied again does not have as its manifest lists it."""
    try:
        manifest: Any = json.loads((root / MANIFEST).read_bytes())
        if manifest["saccade-backup"] != FORMAT:
            return
        listed = dict(manifest["files"])
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError):
        yield f"{MANIFEST} is damaged"
        return
    listed.pop(WITNESS, None)  # it is made anew
    there = {name: digest for name, digest in read.items() if digest is not None}
    there[CATALOG] = files.digest_of(root / CATALOG)
    for name in sorted(listed.keys() | there.keys()):
        if name not in there:
            yield f"{MANIFEST} lists {name}, which the catalog does not name"
        elif listed.get(name) != there[name]:
            yield f"{name} is not what {MANIFEST} lists"


def _verified(draft: Path, read: Mapping[str, str | None]) -> Iterator[str]:
    """Whatever is wrong with a copy, by what is read back from its disk."""
    for name, digest in read.items():
        if digest is None:
            yield f"{name} is missing"
        elif files.digest_of(draft / name, cached=False) != digest:
            yield f"{name} cannot be read back as it was written"
    with _opened(draft) as copy:
        yield from (f"{flaw.place} {flaw.problem}" for flaw in copy.flaws() if flaw.damage)
        checksums = copy.columns.digests()
    for name, digest in read.items():
        kind, written = name.partition("/")[0], checksums.get(name, digest)
        if digest is not None and written != digest:
            yield f"{name} does not match its checksum"
        elif digest is not None and not _sound(draft / name, kind):
            yield f"{name} is damaged"


def _sound(file: Path, kind: str) -> bool:
    """Whether a file is whole by its own account."""
    if kind == "thumbs":
        return files.unsealed(file.read_bytes()) is not None
    if kind == "words":
        try:
            with zipfile.ZipFile(file) as archive:
                return archive.testzip() is None
        # Bytes that changed make readers of archives raise almost anything.
        except Exception:
            return False
    return True


@contextmanager
def _opened(draft: Path) -> Iterator[Store]:
    copy = Store(draft, create=False, to_read=True)
    try:
        yield copy
    finally:
        copy.close()


def _list(wrong: list[str]) -> str:
    more = f", and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    return "; ".join(wrong[:SHOWN]) + more

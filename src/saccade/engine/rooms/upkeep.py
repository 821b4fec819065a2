"""What a collection could do without, and what it takes: duplicates, lost files, the size."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from saccade.engine.indexing.run import above
from saccade.engine.opened import OpenStore
from saccade.engine.sources import copies
from saccade.store.store import CATALOG
from saccade.types import Duplicates, Skipped, StoreSize


def duplicates(opened: OpenStore) -> tuple[Duplicates, ...]:
    """Pictures that are there more than once, then those that are nearly the same.

    The first of a group is the largest, and of several as large the one indexed first.
    """
    collection, catalog = opened.collection(), opened.store.catalog
    many = Counter(row for _, row, _ in catalog.places())
    same = [row for row in collection.living.tolist() if many[row] > 1]
    sizes = collection.listing.sizes.prod(axis=1)
    largest = collection.living[(-sizes[collection.living]).argsort(kind="stable")]
    groups: dict[int, list[int]] = {}
    for row, first in copies.stacks(collection, largest).items():
        groups.setdefault(first, []).append(row)
    return (
        *(Duplicates((one,), same=True) for one in catalog.records(same)),
        *(Duplicates(catalog.records(rows)) for rows in groups.values()),
    )


def gone(opened: OpenStore, folders: Sequence[str]) -> tuple[Skipped, ...]:
    """Files of the collection that are not where they were; of a folder that is away, it alone."""
    away = [folder for folder in folders if not os.path.isdir(folder)]
    own = opened.store.arrivals.holds
    lost = [
        path
        for path in sorted(opened.store.catalog.path_rows())
        if not (above(path, away) or own(path) or os.path.exists(path))
    ]
    return (
        *(Skipped(folder, "the folder is away, or its disk is") for folder in away),
        *(Skipped(path, "the file is gone") for path in lost),
    )


def size(opened: OpenStore) -> StoreSize:
    """Bytes on disk of a store, by what they are for."""
    root = opened.store.root
    taken = {name: _bytes(root / name) for name in ("columns", "words", "thumbs", "uploads")}
    log = sum(file.stat().st_size for file in root.glob(f"{CATALOG}*"))
    return StoreSize(
        catalog=log, columns=taken["columns"] + taken["words"], thumbnails=taken["thumbs"],
        uploads=taken["uploads"],
    )  # fmt: skip


def _bytes(folder: Path) -> int:
    return sum(_sizes(os.fspath(folder)))


def _sizes(folder: str) -> Iterator[int]:
    """Of every file below a folder; what goes meanwhile counts for nothing."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _sizes(entry.path)
            else:
                yield entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue

"""What people wrote into their files, as a column: read once, when pictures are added.

    offsets   int64 [n + 1]     picture i has the letters offsets[i]:offsets[i + 1]
    letters   uint8             UTF-8

A store that was indexed before it existed has it after the next `add`, which reads the beginning of
each file for it and describes nothing again. A file that is away then counts as one without text.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from saccade import trace
from saccade.engine.progress import Progress, Watch
from saccade.engine.sources.source import Shelf, Source
from saccade.errors import NotAnImage, SaccadeError
from saccade.images.captions import HEAD, caption
from saccade.images.files import read_head
from saccade.kernels.ragged import offsets_of
from saccade.store.store import Store
from saccade.types import Arrays

log = logging.getLogger(__name__)

CAPTIONS = "captions"
VERSION = "1"
_ROWS = 8192


class CaptionSource(Source):
    """What is written into files, kept for every picture."""

    derived = (CAPTIONS,)

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Read what is missing."""
        total = store.catalog.total()
        covered = store.columns.coverage().get((CAPTIONS, VERSION), 0)
        if covered >= total:
            return
        paths: dict[int, list[str]] = {}
        for path, row in store.catalog.path_rows().items():
            if row >= covered:
                paths.setdefault(row, []).append(path)
        for first in range(covered, total, _ROWS):
            watch(Progress(CAPTIONS, first, total))
            rows = range(first, min(first + _ROWS, total))
            texts = [_written(sorted(paths.get(row, ()))).encode() for row in rows]
            letters = np.frombuffer(b"".join(texts), np.uint8)
            lengths = np.array([len(text) for text in texts], np.int64)
            arrays: Arrays = {"offsets": offsets_of(lengths), "letters": letters}
            draft = store.columns.draft(CAPTIONS, VERSION, first, arrays)
            store.commit(drafts=[draft])
        watch(Progress(CAPTIONS, total, total))

    def damage(self, arrays: Arrays, rows: int) -> str:
        """Letters for every picture, one after the other."""
        if set(arrays) != {"offsets", "letters"}:
            return "lacks its letters or their offsets"
        offsets, letters = arrays["offsets"], arrays["letters"]
        if len(offsets) != rows + 1:
            return "has another number of rows"
        fits = (
            offsets[0] == 0 and offsets[-1] == len(letters) and bool(np.all(np.diff(offsets) >= 0))
        )
        return "" if fits else "has offsets that do not fit its letters"


def captions_of(shelf: Shelf) -> Mapping[int, str]:
    """What is written into the files of those pictures that have anything, by row."""
    out: dict[int, str] = {}
    for segment in shelf.segments.get((CAPTIONS, VERSION), ()):
        try:
            arrays = shelf.store.columns.load(segment)
        except SaccadeError as error:  # damaged: the next check-up makes it again
            trace.swallowed(log, error, doing="reading what is written into files")
            continue
        offsets, letters = arrays["offsets"], arrays["letters"].tobytes()
        for place in np.flatnonzero(np.diff(offsets)).tolist():
            first, last = offsets[place], offsets[place + 1]
            if segment.first + place < shelf.total:
                out[segment.first + place] = letters[first:last].decode("utf-8", "replace")
    return out


def _written(paths: Sequence[str]) -> str:
    """What is written into a picture's file; the same picture at another place is the same file."""
    for path in paths:
        try:
            return caption(read_head(path, HEAD))
        except (OSError, NotAnImage) as error:
            trace.swallowed(log, error, doing="reading what is written into a file")
    return ""

"""When and with what pictures were taken, for those that were indexed before anybody asked.

Only the beginning of a file is read, where cameras write it down, a few hundred files at a time. A
file that is gone is looked for again the next time.
"""

from __future__ import annotations

from collections.abc import Sequence

from saccade.engine.progress import Progress, Watch
from saccade.errors import NotAnImage
from saccade.images.files import read_head
from saccade.scale.decoding import origin
from saccade.store.store import Store
from saccade.types import Origin

A_COMMIT = 500
HEAD = 2**20
"""Bytes of a file that are read: a JPEG says it in its first 64 KiB."""


class Origins:
    """Fills what a store does not know of its pictures. Hold `store.indexing()` around it."""

    def __init__(self, store: Store, watch: Watch) -> None:
        self._store, self._watch = store, watch

    def fill(self) -> int:
        """Look at every picture that was not looked at; returns how many were."""
        unseen = list(self._store.catalog.without_origin().items())
        seen = 0
        for start in range(0, len(unseen), A_COMMIT):
            self._watch(Progress("origins", start, len(unseen)))
            looked_at = {row: _read(paths) for row, paths in unseen[start : start + A_COMMIT]}
            read = {row: one for row, one in looked_at.items() if one is not None}
            if read:
                self._store.commit(origins=read)
            seen += len(read)
        return seen


def _read(paths: Sequence[str]) -> Origin | None:
    """What the first of some files that can be read says; None where none can."""
    for path in paths:
        try:
            return origin(read_head(path, HEAD))
        except (OSError, NotAnImage):
            continue
    return None

"""The files of a store's pictures: records, thumbnails, originals."""

from __future__ import annotations

import logging
from pathlib import Path

from saccade import trace
from saccade.engine.opened import OpenStore
from saccade.errors import NotFound, StoreError
from saccade.hints import Hint
from saccade.types import ImageRecord

log = logging.getLogger(__name__)


class Files:
    """What can be read of the pictures of an open store."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened, self._store = opened, opened.store

    def image(self, image_id: str) -> ImageRecord:
        """One image with all its paths."""
        return self._store.catalog.image(image_id)

    def thumbnail(self, image_id: str) -> bytes:
        """A small JPEG; made again where it was lost."""
        from saccade.images.thumbnails import thumbnail
        from saccade.scale.decoding import decode

        small = self._store.read_thumbnail(self.image(image_id).image_id)
        if small is None:
            small = thumbnail(decode(self.original(image_id)).picture)
            # A full disk is no reason not to show it.
            with trace.dropping(log, StoreError, doing="keeping a thumbnail"):
                self._store.write_thumbnail(image_id, small)
        return small

    def original(self, image_id: str) -> bytes:
        """The bytes of an image's file, from whichever path still holds them."""
        from saccade.images.identity import image_id as identity

        record = self.image(image_id)
        for path in record.paths:
            try:
                data = Path(path).read_bytes()
            except OSError:
                continue
            if identity(data) == image_id:
                return data
        where = record.paths[0] if record.paths else "nowhere"
        raise NotFound(
            f"the file of image {image_id!r} has vanished or changed: {where}",
            hint=Hint(
                "engine.add(FOLDER) finds moved files; with prune=True it drops lost ones",
                command="`saccade index` finds moved files; `--prune` drops lost ones",
            ),
        )

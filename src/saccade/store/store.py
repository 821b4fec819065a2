"""A store: one folder that holds a collection and everything learned about it.

    photos.saccade/
      catalog.sqlite     images, paths, segments, events: the truth
      columns/NAME/      descriptors, memory-mapped
      words/DIGEST.npz   the vocabulary
      thumbs/ab/ID.jpg   derived
      index.lock         held while one process indexes

Pictures stay where they are; the store knows their paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident

from saccade.errors import InvalidInput, NotFound, StoreBusy, StoreFormat
from saccade.store.catalog import Catalog
from saccade.store.columns import Columns
from saccade.store.database import Database, explained
from saccade.store.events import Log


class Store:
    """Opens a folder as a store; creates it when missing."""

    def __init__(self, root: str | os.PathLike[str], *, create: bool = True) -> None:
        self.root = Path(root).expanduser().absolute()
        file = self.root / "catalog.sqlite"
        with explained(self.root):
            self._check(file, create)
            self.root.mkdir(parents=True, exist_ok=True)
        self.database = Database(file)
        try:
            self.database.create()
        except BaseException:
            self.database.close()
            raise
        self.catalog = Catalog(self.database)
        self.columns = Columns(self.database, self.root)
        self.log = Log(self.database)

    def _check(self, file: Path, create: bool) -> None:
        if self.root.exists() and not self.root.is_dir():
            raise InvalidInput(f"{self.root} is a file; a store is a folder, say photos.saccade")
        if file.exists():
            return
        if not create:
            raise NotFound(
                f"no store at {self.root}", hint="`saccade index FOLDER --into PLACE` makes one"
            )
        if self.root.exists() and any(self.root.iterdir()):
            raise StoreFormat(
                f"{self.root} holds other files and is no store",
                hint="give the store a folder of its own, say photos.saccade",
            )

    def close(self) -> None:
        """Let go of the catalog."""
        self.database.close()

    @contextmanager
    def indexing(self) -> Iterator[None]:
        """Be the one process that changes images and columns."""
        from filelock import FileLock, Timeout

        with explained(self.root):
            lock = FileLock(self.root / "index.lock", timeout=0)
            try:
                lock.acquire()
            except Timeout as error:
                raise StoreBusy(
                    f"another process is indexing into {self.root}",
                    hint="wait until it has finished; searching and feedback go on meanwhile",
                ) from error
        try:
            yield
        finally:
            lock.release()

    # -- vocabularies --------------------------------------------------------------------------

    def vocabulary_file(self, digest: str) -> Path:
        """Where the vocabulary with this digest lies, or would."""
        return self.root / "words" / f"{digest}.npz"

    @property
    def training_folder(self) -> Path:
        """Where a training keeps its state."""
        return self.root / "words" / "training"

    def drop_vocabularies(self, *, keep: str) -> None:
        """Delete every vocabulary but one."""
        for file in (self.root / "words").glob("*.npz"):
            if file.stem != keep:
                file.unlink(missing_ok=True)

    # -- thumbnails ----------------------------------------------------------------------------

    def thumbnail_file(self, image_id: str) -> Path:
        """Where an image's thumbnail lies, or would."""
        return self.root / "thumbs" / image_id[:2] / f"{image_id}.jpg"

    def write_thumbnail(self, image_id: str, data: bytes) -> None:
        """Keep a thumbnail; a reader sees it whole or not at all."""
        file = self.thumbnail_file(image_id)
        with explained(self.root):
            file.parent.mkdir(parents=True, exist_ok=True)
            draft = file.with_suffix(f".{os.getpid()}-{get_ident()}.part")
            draft.write_bytes(data)
            draft.replace(file)

    def read_thumbnail(self, image_id: str) -> bytes | None:
        """A thumbnail's bytes, or None when it must be made again."""
        try:
            return self.thumbnail_file(image_id).read_bytes() or None
        except FileNotFoundError:
            return None

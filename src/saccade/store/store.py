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
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import Any

from saccade.errors import InvalidInput, NotFound, StoreBusy, StoreFormat
from saccade.hints import Hint
from saccade.store import catalog as entries
from saccade.store import columns as pieces
from saccade.store import files
from saccade.store.catalog import Catalog, NewImage, NewPath
from saccade.store.columns import Columns, Draft, Segment
from saccade.store.database import Database, explained
from saccade.store.events import Log
from saccade.types import Skipped

CATALOG = "catalog.sqlite"

_MAKE = Hint(
    "open it with create=True to make one",
    command="`saccade index FOLDER --into PLACE` makes one",
)

LeftOut = tuple[Skipped, int, int]  # with the size and time of change of its file
Column = tuple[str, str | None]  # name, version; every version when None


class Store:
    """Opens a folder as a store; creates it when missing."""

    def __init__(self, root: str | os.PathLike[str], *, create: bool = True) -> None:
        self.root = Path(root).expanduser().absolute()
        file = self.root / CATALOG
        with explained(self.root):
            self._check(file, create)
            files.make_folder(self.root)
        self._database = Database(file)
        try:
            self._database.create()
        except BaseException:
            self._database.close()
            raise
        self.catalog = Catalog(self._database)
        self.columns = Columns(self._database, self.root)
        self.log = Log(self._database)
        try:
            self.log.notice()
        except BaseException:
            self._database.close()
            raise

    def _check(self, file: Path, create: bool) -> None:
        if self.root.exists() and not self.root.is_dir():
            raise InvalidInput(f"{self.root} is a file; a store is a folder, say photos.saccade")
        if file.exists():
            return
        if not create:
            raise NotFound(f"no store at {self.root}", hint=_MAKE)
        if self.root.exists() and any(self.root.iterdir()):
            raise StoreFormat(
                f"{self.root} holds other files and is no store",
                hint="give the store a folder of its own, say photos.saccade",
            )

    @staticmethod
    def is_at(root: str | os.PathLike[str]) -> bool:
        """Whether there is a store at a place."""
        return (Path(root).expanduser() / CATALOG).exists()

    def close(self) -> None:
        """Let go of the catalog."""
        self._database.close()

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

    # -- one transaction -----------------------------------------------------------------------

    def commit(
        self,
        *,
        images: Sequence[NewImage] = (),
        paths: Sequence[NewPath] = (),
        skipped: Sequence[LeftOut] = (),
        drafts: Sequence[Draft] = (),
        retract: Sequence[Column] = (),
        drop: Sequence[Segment] = (),
        gone: Sequence[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        quiet: bool = False,
    ) -> int:
        """Change images and columns, all of it or nothing. Returns how many images left.

        New `images` take the rows after the last one, where their `drafts` must begin; `retract`
        takes back columns and `drop` single segments; `gone` are paths to forget, and given (even
        empty) it lets images without a path leave. Readers are told, unless it is `quiet`: a
        column no reader of the collection looks at.
        """
        left = 0
        with self._database.write() as connection:
            entries.add_images(connection, images)
            for name, version in retract:
                pieces.retract(connection, name, version)
            for segment in drop:
                pieces.drop(connection, segment)
            for draft in drafts:
                pieces.publish(connection, draft)
            entries.add_paths(connection, paths)
            entries.add_skipped(connection, skipped)
            if gone is not None:
                left = entries.remove_paths(connection, gone)
            for key, value in (settings or {}).items():
                entries.set_(connection, key, value)
            if not quiet:
                entries.changed(connection)
        return left

    def tidy(self) -> None:
        """Join small segments and delete files nobody names. Hold `indexing()` around it."""
        if self.columns.merge():
            self.commit()
        self.columns.sweep()

    def integrity(self) -> list[str]:
        """What the catalog finds wrong with itself; empty when all is well."""
        return self._database.integrity()

    def copy_catalog(self, file: Path) -> None:
        """The catalog as it is at this moment, in a new file."""
        self._database.copy(file)

    # -- vocabularies --------------------------------------------------------------------------

    def vocabulary_file(self, digest: str) -> Path:
        """Where the vocabulary with this digest lies, or would."""
        return self.root / "words" / f"{digest}.npz"

    @property
    def training_folder(self) -> Path:
        """Where a training keeps its state."""
        return self.root / "words" / "training"

    def keep_vocabulary(self) -> None:
        """Make the names of vocabularies last, and the name of their folder."""
        with explained(self.root):
            files.sync_folder(self.root / "words")
            files.sync_folder(self.root)

    def drop_vocabularies(self, *, keep: Collection[str]) -> None:
        """Delete every vocabulary but these."""
        for file in (self.root / "words").glob("*.npz"):
            if file.stem not in keep:
                file.unlink(missing_ok=True)

    # -- thumbnails ----------------------------------------------------------------------------

    def has_thumbnail(self, image_id: str) -> bool:
        """Whether there is a file for an image's thumbnail, and not an empty one."""
        file = self._thumbnail(image_id)
        return file.exists() and file.stat().st_size > 0

    def thumbnail_place(self, image_id: str) -> str:
        """Where an image's thumbnail lies, relative to the store."""
        return self._thumbnail(image_id).relative_to(self.root).as_posix()

    def _thumbnail(self, image_id: str) -> Path:
        return self.root / "thumbs" / image_id[:2] / f"{image_id}.jpg"

    def write_thumbnail(self, image_id: str, data: bytes) -> None:
        """Keep a thumbnail; a reader sees it whole or not at all."""
        file = self._thumbnail(image_id)
        with explained(self.root):
            file.parent.mkdir(parents=True, exist_ok=True)
            draft = file.with_suffix(f".{os.getpid()}-{get_ident()}.part")
            draft.write_bytes(files.sealed(data))
            draft.replace(file)

    def read_thumbnail(self, image_id: str) -> bytes | None:
        """A thumbnail's bytes, or None when it is lost or damaged and must be made again."""
        try:
            return files.unsealed(self._thumbnail(image_id).read_bytes())
        except OSError:
            return None

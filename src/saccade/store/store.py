"""A store: one folder that holds a collection and everything learned about it.

    photos.saccade/
      catalog.sqlite     images, paths, segments, events: the truth
      columns/NAME/      descriptors, memory-mapped
      words/DIGEST.npz   the vocabulary
      thumbs/ab/ID.webp  derived
      pictures/          those that others sent in
      uploads/           pictures that people brought to search with
      index.lock         held while one process indexes
      jobs.lock          held while one process does jobs
      database.json      where the catalog is, instead of catalog.sqlite: see `remembered`

Other pictures stay where they are; the store knows their paths.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING

from saccade import trace
from saccade.errors import (
    InvalidInput,
    NotFound,
    StoreBusy,
    StoreError,
    StoreFormat,
    StoreFull,
    StoreReadOnly,
)
from saccade.hints import Hint
from saccade.store import arrivals as coming
from saccade.store import catalog as entries
from saccade.store import columns as pieces
from saccade.store import files, formats, reading, remembered
from saccade.store.arrivals import FOLDER as PICTURES
from saccade.store.arrivals import Arrivals
from saccade.store.catalog import Catalog, ImageFields, NewImage, NewPath
from saccade.store.columns import Columns, Draft, Segment
from saccade.store.database import Database, explained
from saccade.store.events import WITNESS, Log
from saccade.store.flaws import RESTORE, Flaw
from saccade.store.jobs import LOCK as JOBS_LOCK
from saccade.store.jobs import JobLines
from saccade.store.remembered import DATABASE, Memory
from saccade.store.tokens import Tokens
from saccade.store.uploads import FOLDER as UPLOADS
from saccade.store.uploads import UploadFiles
from saccade.types import Origin, Skipped, Spec

if TYPE_CHECKING:
    from saccade.store.dialects import Place

log = logging.getLogger(__name__)

CATALOG = "catalog.sqlite"
LOCK = "index.lock"
MANIFEST = "manifest.json"
"""In a copy that nobody has used: its files and their checksums."""

_MAKE = Hint(
    "open it with create=True to make one",
    command="`saccade index FOLDER --into PLACE` makes one",
)

LeftOut = tuple[Skipped, int, int]  # with the size and time of change of its file
Column = tuple[str, str | None]  # name, version; every version when None


class Store:
    """Opens a folder as a store; creates it when missing. `to_read` changes nothing in it."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        create: bool = True,
        to_read: bool = False,
        database: str | None = None,
    ) -> None:
        self.root = Path(root).expanduser().absolute()
        file = self.root / CATALOG
        self._check(file, create)
        memory = remembered.recall(self.root)
        place = self._whereabouts(file, memory, database)
        self.new_folders: tuple[Path, ...] = ()  # folders that were not there before
        self.new = False  # whether it was this process that made it
        try:
            if to_read:
                raise StoreReadOnly(f"{self.root} was opened to be read")
            self._database = self._to_write(place, memory)
        except (StoreReadOnly, StoreFull) as refusal:
            if isinstance(place, Path) and (not file.exists() or not file.stat().st_size):
                raise
            self._database = reading.to_read(place, refusal)
        self.catalog = Catalog(self._database)
        self._identity = self._place()
        self.columns = Columns(self._database, self.root)
        self.log = Log(self._database, self.root / WITNESS)
        self.tokens = Tokens(self._database)
        self.jobs = JobLines(self._database, self.root)
        self.arrivals = Arrivals(self._database, self.root)
        self.uploads = UploadFiles(self._database, self.root)
        if not self.read_only:
            self._begin()

    @staticmethod
    def _whereabouts(file: Path, memory: Memory | None, database: str | None) -> Place:
        """Where the catalog is: as it is told, as the folder remembers, or in the folder."""
        if database is None:
            return file if memory is None else memory.server
        from saccade.store.postgresql import CatalogServer

        if memory is None and file.exists() and file.stat().st_size:
            raise InvalidInput(
                f"the catalog of {file.parent} is a file in it",
                hint=Hint(
                    "saccade.store.moving.move(path, address) brings it into a database",
                    command=f"`saccade move {file.parent} --to ADDRESS` brings it into a database",
                ),
            )
        return CatalogServer.of(database)

    def _to_write(self, place: Place, memory: Memory | None) -> Database:
        with explained(self.root):
            self.new_folders = files.make_folder(self.root)
        database = Database(place)
        try:
            self.new = formats.prepare(database, self.root)
            database.check_writable()
            if not isinstance(place, Path):
                remembered.agree(database, self.root, memory)
        except BaseException:
            database.close()
            raise
        return database

    def _begin(self) -> None:
        """Notice what became of the store since it was last open."""
        if (self.root / MANIFEST).exists():
            self.jobs.drop_all()  # they were the other store's, the copying itself among them
            (self.root / MANIFEST).unlink(missing_ok=True)  # a store in use is no copy of anything
        try:
            self.arrivals.follow()
            self.log.notice()
            # No room, or read by others: the next opening tries again.
            with trace.dropping(log, StoreError, doing="finishing a forgetting"):
                self.log.finish_forgetting()
        except BaseException:
            self._database.close()
            raise
        log.info("opened store=%s", self.root)

    @property
    def database(self) -> Database:
        """Connections to its tables."""
        return self._database

    @property
    def moved(self) -> bool:
        """Whether the catalog has left since for another database: `saccade.store.moving`."""
        with suppress(StoreError):
            memory = remembered.recall(self.root)
            here = self._database.file
            return str(memory.server) != str(here) if memory else not isinstance(here, Path)
        return False

    @property
    def read_only(self) -> str:
        """Why nothing can be written, in some words; empty where it can."""
        refusal = self._database.refusal
        return "" if refusal is None else refusal.short

    def check_writable(self) -> None:
        """Raise why nothing can be written: of a page that was not logged, that is the reason."""
        self._database.check_allowed()

    def _check(self, file: Path, create: bool) -> None:
        with explained(self.root):
            if self.root.exists() and not self.root.is_dir():
                raise InvalidInput(
                    f"{self.root} is a file; a store is a folder, say photos.saccade"
                )
            if self.is_at(self.root):
                return
            if not create:
                raise NotFound(f"no store at {self.root}", hint=_MAKE)
            there = self.root.iterdir() if self.root.exists() else ()
            if any(not other.name.startswith(CATALOG) for other in there):
                raise StoreFormat(
                    f"{self.root} holds other files and is no store",
                    hint="give the store a folder of its own, say photos.saccade",
                )

    @staticmethod
    def is_at(root: str | os.PathLike[str]) -> bool:
        """Whether there is a store at a place."""
        place = Path(root).expanduser()
        return (place / CATALOG).exists() or (place / DATABASE).exists()

    @contextmanager
    def anew(self) -> Iterator[Store]:
        """The same store, wherever its catalog is now."""
        store = Store(self.root, create=False)
        with closing(store):
            yield store

    def close(self) -> None:
        """Let go of the catalog."""
        self._database.close()

    @contextmanager
    def indexing(self, *, wait: float = 0.0) -> Iterator[None]:
        """Be the one that changes images and columns; `wait` so many seconds for one's turn."""
        self._database.check_allowed()
        self._check_that_it_is_here()
        with self._database.alone(self.root / LOCK, wait=wait) as mine:
            if not mine:
                raise StoreBusy(
                    f"another process is indexing into {self.root}",
                    hint="wait until it has finished; searching and feedback go on meanwhile",
                )
            self._check_that_it_is_here()
            with self.columns.all_verified():
                yield

    @contextmanager
    def unchanging(self, *, wait: float = 0.0) -> Iterator[None]:
        """Let no process change images and columns meanwhile; one that cannot write needs none."""
        if self.read_only:
            yield
        else:
            with self.indexing(wait=wait):
                yield

    def _check_that_it_is_here(self) -> None:
        """What is written into a catalog that was taken away would be acknowledged and lost."""
        if self._place() != self._identity:
            raise StoreError(
                f"{self.root} was taken away or replaced while it was open",
                hint="run the same command again",
            )

    def _place(self) -> tuple[int, int] | str | None:
        """Which file or whose catalog it is now; None where there is none."""
        if not isinstance(self._database.file, Path):
            return remembered.name_of(self._database)
        try:
            status = (self.root / CATALOG).stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def take_away(self) -> bool:
        """Delete the store, unless somebody fills it or something is in it; returns whether it did.

        The folder itself stays, and whatever else is in it.
        """
        try:
            with self.indexing():
                if not formats.destroy(self._database):
                    return False
                self.close()
                for name in ("columns", "words", "thumbs", PICTURES, UPLOADS):
                    shutil.rmtree(self.root / name, ignore_errors=True)
                names = (WITNESS, DATABASE)
                for file in (*self.root.glob(f"{CATALOG}*"), *(self.root / n for n in names)):
                    file.unlink(missing_ok=True)
                for lock in (LOCK, JOBS_LOCK):
                    (self.root / lock).unlink(missing_ok=True)
        except StoreBusy:
            return False
        return True

    # -- one transaction -----------------------------------------------------------------------

    def commit(
        self,
        *,
        images: Sequence[NewImage] = (),
        paths: Sequence[NewPath] = (),
        skipped: Sequence[LeftOut] = (),
        origins: Mapping[int, Origin] | None = None,
        fields: Mapping[int, ImageFields] | None = None,
        drafts: Sequence[Draft] = (),
        retract: Sequence[Column] = (),
        drop: Sequence[Segment] = (),
        gone: Sequence[str] | None = None,
        settings: Spec | None = None,
        took: Sequence[int] = (),
        quiet: bool = False,
    ) -> int:
        """Change images and columns, all of it or nothing. Returns how many images left.

        New `images` take the rows after the last one, where their `drafts` must begin; `retract`
        takes back columns and `drop` single segments; `origins` say by row where images come from,
        and rows that have them may be given others; `fields` what others know of them; `gone` are
        paths to forget, and given (even empty) it lets images without a path leave; `took` are the
        lines of arrivals that this makes true. Readers are told, unless it is `quiet`: a column no
        reader of the collection looks at.
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
            entries.add_origins(connection, origins or {})
            entries.set_fields(connection, fields or {})
            if gone is not None:
                left = entries.remove_paths(connection, gone)
            for key, value in (settings or {}).items():
                entries.set_(connection, key, value)
            coming.took(connection, took)
            if not quiet:
                entries.changed(connection)
        return left

    def tidy(self) -> None:
        """Join small segments and delete files nobody names. Hold `indexing()` around it."""
        if self.columns.merge():
            self.commit()
        self.columns.sweep()

    def flaws(self) -> Iterator[Flaw]:
        """What the store finds wrong with itself: tables, settings, paths, log, checksums."""
        for line in self._database.integrity():
            yield Flaw("catalog", line, RESTORE, mendable=False)
        yield from self.catalog.flaws()
        yield from self.log.flaws()
        damaged = len(self.columns.unreadable())
        if damaged:
            problem = f"{damaged} of its columns' parts are not what was written"
            yield Flaw("catalog", problem, "would be computed again from the pictures")
        for segment, lacking in self.columns.bare():
            place = f"column {segment.name}, rows {segment.first} to {segment.last}"
            yield Flaw(place, f"{len(lacking)} files without a checksum", "would get one")

    def mend(self) -> None:
        """Put right what the store can put right by itself. Hold `indexing()` around it."""
        self.catalog.mend()
        self.log.mend()
        self.columns.drop_unreadable()
        self.columns.mark(file for _, lacking in self.columns.bare() for file in lacking)

    def copy_catalog(self, file: Path) -> None:
        """The catalog as it is at this moment, in a new file."""
        if isinstance(self._database.file, Path):
            self._database.copy(file)
            return
        from saccade.store.moving import into_file

        into_file(self._database, file)

    # -- vocabularies --------------------------------------------------------------------------

    def vocabulary_file(self, digest: str, *, anew: bool = False) -> Path:
        """Where the vocabulary with this digest lies, or is to be written `anew`."""
        file = files.inside(self.root, f"words/{digest}.npz")
        if anew:
            files.make_way(file)
        return file

    @property
    def training_folder(self) -> Path:
        """Where a training keeps its state."""
        return files.inside(self.root, "words/training")

    def keep_vocabulary(self) -> None:
        """Make the names of vocabularies last, and the name of their folder."""
        with explained(self.root):
            files.sync_folder(self.root / "words")
            files.sync_folder(self.root)
        self.columns.mark(f"words/{file.name}" for file in (self.root / "words").glob("*.npz"))

    def drop_vocabularies(self, *, keep: Collection[str]) -> None:
        """Delete every vocabulary but these."""
        for file in files.inside(self.root, "words").glob("*.npz"):
            if file.stem not in keep:
                files.make_way(file)
                file.unlink(missing_ok=True)

    # -- thumbnails ----------------------------------------------------------------------------

    def has_thumbnail(self, image_id: str) -> bool:
        """Whether there is a file for an image's thumbnail, and not an empty one."""
        try:
            return self._thumbnail(image_id).stat().st_size > 0
        except (OSError, StoreFormat):
            return False

    def thumbnail_place(self, image_id: str) -> str:
        """Where an image's thumbnail lies, relative to the store."""
        return self._thumbnail(image_id).relative_to(self.root).as_posix()

    def _thumbnail(self, image_id: str) -> Path:
        """Where it is; where it belongs if there is none. Those made as JPEG stay what they are."""
        place = f"thumbs/{image_id[:2]}/{image_id}"
        file, before = (files.inside(self.root, place + kind) for kind in (".webp", ".jpg"))
        return before if before.exists() and not file.exists() else file

    def write_thumbnail(self, image_id: str, data: bytes) -> None:
        """Keep a thumbnail; a reader sees it whole or not at all."""
        before = self._thumbnail(image_id)
        file = before.with_suffix(".webp")
        with explained(self.root):
            file.parent.mkdir(parents=True, exist_ok=True)
            draft = file.with_suffix(f".{os.getpid()}-{get_ident()}.part")
            draft.write_bytes(files.sealed(data))
            files.make_way(file)
            draft.replace(file)
            if before != file:
                before.unlink(missing_ok=True)

    def read_thumbnail(self, image_id: str) -> bytes | None:
        """A thumbnail's bytes, or None when it is lost or damaged and must be made again."""
        try:
            return files.unsealed(self._thumbnail(image_id).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, StoreFormat) as error:
            trace.swallowed(log, error, doing="reading a thumbnail", image=image_id)
            return None

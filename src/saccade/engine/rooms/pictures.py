"""Pictures that others send in under ids of their own, and take out again.

    put      bytes, which the store keeps, or a path, where the picture stays
    remove   out of the collection: kept bytes are deleted, files elsewhere are left out from now on
    take_in  does what was asked for: a job, so that whoever sends waits for nothing

An id has one picture, and a picture one id. A put under an id that has another picture replaces it,
and what is known of it by fields goes over; the same put again does nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from saccade.engine.indexing.run import Indexer, above
from saccade.engine.names import check_name
from saccade.engine.opened import OpenStore
from saccade.engine.progress import Watch
from saccade.engine.rooms.fields import Fields
from saccade.errors import IdTaken, InvalidInput, NoSuchImage
from saccade.images.files import read_file
from saccade.images.formats import ending
from saccade.images.identity import image_id as identity
from saccade.store.arrivals import Arrival
from saccade.store.catalog import ImageFields
from saccade.store.store import LeftOut
from saccade.types import FieldValue, ImageRecord, Job, SentPicture, SentPictures, Skipped

Place = str | os.PathLike[str]
MOST = 1000
"""Pictures of one batch."""
PATIENCE = 60.0
"""Seconds that a job waits for another process to end its indexing."""
_STAYS = "it was taken out of the collection under the id {!r}; a put brings it back"


@dataclass(frozen=True, slots=True)
class PictureLine:
    """One picture of a batch: its bytes, or the path of its file; neither, and it goes."""

    external_id: str
    picture: bytes | Place | None = None
    fields: Mapping[str, FieldValue | None] = field(default_factory=dict)


@dataclass(slots=True)
class _Changes:
    """What lines come to: what is said of rows, paths that go, files to leave out."""

    fields: dict[int, ImageFields] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    refused: list[Skipped] = field(default_factory=list)


class PicturesById:
    """Pictures by ids of somebody's, of an open store.

    >>> from PIL import Image
    >>> from saccade.engine import PictureLine
    >>> Image.new("RGB", (64, 48), "red").save(folder / "red.png")
    >>> Image.new("RGB", (64, 48), "blue").save(folder / "blue.png")
    >>> sent = engine.pictures.put("sku-1", folder / "red.png")
    >>> sent.searchable, sent.job.kind  # a job takes it in, or `take_in` here and now
    (False, 'pictures')
    >>> taken = engine.pictures.take_in(workers=1)
    >>> engine.pictures.searchable("sku-1", sent.image_id), len(engine)
    (True, 37)
    >>> lines = [PictureLine("sku-1"), PictureLine("sku-2", folder / "blue.png")]
    >>> [one.external_id for one in engine.pictures.put_many(lines).pictures]
    ['sku-1', 'sku-2']
    >>> engine.pictures.remove("sku-2").external_id
    'sku-2'
    """

    def __init__(
        self,
        opened: OpenStore,
        fields: Fields,
        folders: Callable[[], tuple[str, ...]],
        ask: Callable[[], Job],
    ) -> None:
        """`folders` are the collection's own, `ask` asks for the job that takes pictures in."""
        self._opened, self._store, self._fields = opened, opened.store, fields
        self._folders, self._ask = folders, ask

    # -- asking --------------------------------------------------------------------------------

    def put(
        self,
        external_id: str,
        picture: bytes | Place,
        fields: Mapping[str, FieldValue | None] | None = None,
        *,
        within: Sequence[Place] | None = None,
    ) -> SentPicture:
        """Bring a picture in under an id of yours: the bytes of a file, or its path.

        With `within`, a path is relative to one of these folders, or below one; links are followed
        first. A job takes it in; the answer names it.

        Raises:
            NotAnImage: it cannot be decoded.
            InvalidInput: no id, or a path that is in none of the folders.
            IdTaken: the picture is here under another id.
        """
        return self._one(PictureLine(external_id, picture, fields or {}), within)

    def remove(self, name: str) -> SentPicture:
        """Take a picture out, by an id of yours or its own; what was said of it is kept."""
        return self._one(PictureLine(name))

    def put_many(
        self, lines: Sequence[PictureLine], *, within: Sequence[Place] | None = None
    ) -> SentPictures:
        """Bring in, or take out, several at once: all of them, or none with the line that is wrong.

        Of several lines with one id the last counts.
        """
        if len(lines) > MOST:
            raise InvalidInput(f"{len(lines):,} pictures are more than {MOST:,}", hint="send parts")
        read: list[tuple[PictureLine, Arrival, bool]] = []
        for number, line in enumerate(lines, 1):
            try:
                read.append((line, *self._read(line, within)))
            except (InvalidInput, NoSuchImage, IdTaken) as error:
                raise InvalidInput(f"line {number}: {error.message}", hint=error.hint) from error
        return self._asked(read)

    def _one(self, line: PictureLine, within: Sequence[Place] | None = None) -> SentPicture:
        sent = self._asked([(line, *self._read(line, within))])
        return replace(sent.pictures[0], job=sent.job)

    def _asked(self, read: Sequence[tuple[PictureLine, Arrival, bool]]) -> SentPictures:
        """Write down what is asked for, and ask for the job; of what is so already the fields."""
        new = [arrival for _, arrival, has in read if not has]
        for line, _, has in read:
            if has and line.fields:
                self._fields.set(line.external_id, line.fields)
        if new:
            self._store.arrivals.add(new)
        pictures = (SentPicture(one.external_id, a.image_id, has, None) for one, a, has in read)
        return SentPictures(tuple(pictures), self._ask() if new else None)

    def _read(self, line: PictureLine, within: Sequence[Place] | None) -> tuple[Arrival, bool]:
        """What a line asks for, with its bytes on disk; and whether it is so already."""
        name = check_name("external id", line.external_id, longest=200, without="/")
        if name in (".", ".."):
            raise InvalidInput(f"external id {name!r} is no part of an address")
        waiting = self._store.arrivals.last(name)
        if line.picture is None:
            if waiting is None or not waiting.path:
                self._fields.find(name)
            return Arrival(name), False
        self._fields.check(line.fields)
        data, path = self._bytes(line.picture, within)
        image_id = identity(data)
        has = self._has(name, image_id)
        if waiting is not None:
            has = False  # something else is to become of it, and this comes after
        if not has:
            from saccade.scale.decoding import decode

            decode(data)
            if path is None:
                path = str(self._store.arrivals.write(name, image_id, data, ending(data)))
        return Arrival(name, image_id, path or "", line.fields), has

    def _has(self, name: str, image_id: str) -> bool:
        """Whether this picture is the one of an id; one that is another's is refused."""
        collection = self._opened.collection()
        row = collection.find(image_id)
        if row < 0 or not collection.listing.alive[row]:
            return False
        theirs = self._store.catalog.records([row])[0].external_id
        if theirs and theirs != name:
            raise IdTaken(
                f"the picture of {name!r} is in the collection as {theirs!r}",
                hint=f"use that id, or take {theirs!r} out first: a picture has one id",
            )
        return theirs == name

    @staticmethod
    def _bytes(picture: bytes | Place, within: Sequence[Place] | None) -> tuple[bytes, str | None]:
        """The bytes of a picture, and where they lie unless they were sent."""
        if isinstance(picture, bytes):
            return picture, None
        place = os.path.abspath(Path(picture).expanduser())
        if within is not None:
            place = _path_within(os.fspath(picture), within)
        try:
            return read_file(place), place
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise InvalidInput(f"{os.fspath(picture)!r} cannot be read: {reason}") from error

    def searchable(self, external_id: str, image_id: str) -> bool:
        """Whether the collection has this picture now, under this id."""
        before = self._before(external_id)
        return before is not None and before.image_id == image_id

    # -- doing ---------------------------------------------------------------------------------

    def take_in(
        self, watch: Watch | None = None, *, workers: int | None = None
    ) -> dict[str, object]:
        """Do what was asked for: describe what came, take out what is to go; what became of it."""
        opened, store = self._opened, self._store
        with store.indexing(wait=PATIENCE):
            lines = store.arrivals.all()
            last = {line.external_id: line for line in lines}
            wanted = [line for line in last.values() if line.path]
            indexer = Indexer(
                store, opened.recipe, sources=opened.tables.sources, executor=opened.executor,
                workers=workers, watch=watch,
            )  # fmt: skip
            try:
                skipped = indexer.take([line.path for line in wanted]) if wanted else ()
            except BaseException:
                # Cancelled, say: what is in already gets its id, and the others wait.
                rows = store.catalog.path_rows()
                self._settle([line for line in wanted if line.path in rows])
                raise
            changes, left = self._settle(
                last.values(), {one.path: one.reason for one in skipped}, took=lines
            )
            if wanted:
                indexer.complete()
            rows = store.catalog.path_rows()
            replaced = {line.path for line in lines}
            store.arrivals.delete({*changes.gone, *replaced} - rows.keys())
            store.arrivals.sweep(rows)
        opened.collection()
        refused = [{"external_id": one.path, "reason": one.reason} for one in changes.refused]
        return {"pictures": len(changes.fields), "left": left, "refused": refused}

    def _settle(
        self,
        lines: Collection[Arrival],
        skipped: Mapping[str, str] | None = None,
        took: Iterable[Arrival] | None = None,
    ) -> tuple[_Changes, int]:
        """Give pictures that are described their ids, take out what is to go; they came, then."""
        changes = self._changes(lines, skipped or {})
        left = self._store.commit(
            fields=changes.fields,
            gone=changes.gone,
            skipped=changes.left_out,
            took=[line.number for line in (lines if took is None else took)],
        )
        return changes, left

    def _changes(self, lines: Iterable[Arrival], skipped: Mapping[str, str]) -> _Changes:
        """What lines come to, now that what came is described."""
        changes, rows = _Changes(), self._store.catalog.path_rows()
        for line in lines:
            before, row = self._before(line.external_id), rows.get(line.path)
            if not line.path and before is not None:
                self._take_out(line.external_id, before, changes)
            elif line.path:
                reason = self._not_for(line, row, changes, skipped)
                if reason or row is None:
                    changes.refused.append(Skipped(line.external_id, reason))
                else:
                    self._give(line, row, before, changes)
        return changes

    def _before(self, name: str) -> ImageRecord | None:
        """The picture of an id now; None where there is none."""
        try:
            return self._fields.find(name)
        except NoSuchImage:
            return None

    def _not_for(
        self, line: Arrival, row: int | None, changes: _Changes, skipped: Mapping[str, str]
    ) -> str:
        """Why a picture cannot be that of a line; empty where it can."""
        if row is None:
            return skipped.get(line.path, "its file is gone")
        theirs = self._store.catalog.records([row])[0].external_id
        theirs = changes.fields[row].external_id if row in changes.fields else theirs
        other = theirs not in ("", line.external_id)
        return f"the same picture is here as {theirs!r}" if other else ""

    def _give(self, line: Arrival, row: int, before: ImageRecord | None, changes: _Changes) -> None:
        """Give a row its id; the picture that had it before goes, unless a folder holds it."""
        replaces = before is not None and before.row != row
        fields = dict(before.fields) if before is not None and replaces else {}
        changes.fields[row] = ImageFields(line.external_id, {**fields, **(line.fields or {})})
        if before is not None and replaces:
            folders = self._folders()
            changes.gone += [path for path in before.paths if not above(path, folders)]

    def _take_out(self, name: str, record: ImageRecord, changes: _Changes) -> None:
        stats = self._store.catalog.known_paths()
        for path in record.paths:
            if self._store.arrivals.holds(path):
                changes.gone.append(path)
            else:
                changes.left_out.append((Skipped(path, _STAYS.format(name)), *stats[path]))


def _path_within(name: str, within: Sequence[Place]) -> str:
    """Where a path leads that may lead into some folders alone, links and all."""
    for folder in within:
        root = os.path.realpath(Path(folder).expanduser())
        try:
            place = os.path.realpath(os.path.join(root, name))
        except ValueError:  # a name that no file can have
            break
        if above(place, {root}) and os.path.isfile(place):
            return place
    # Of what lies elsewhere nobody is told whether it is there.
    raise InvalidInput(
        f"no file {name!r} in the folders that pictures may come from",
        hint="name a file below a folder of the collection, or send the picture itself",
    )

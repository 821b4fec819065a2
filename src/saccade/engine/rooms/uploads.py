"""Pictures of people's own that they search with: kept by id, so that a search can be gone back to.

A kept picture is named like every other, by its bytes, and is a query like every other; it is never
found. Each person has a few, the newest; whoever has the id can search with it; `forget` takes them
off the disk.
"""

from __future__ import annotations

from dataclasses import replace

from saccade.contracts import Picture
from saccade.engine.names import check_user
from saccade.engine.opened import OpenStore
from saccade.engine.request import GUEST, PictureLike, SearchRequest
from saccade.errors import InvalidInput, NoSuchImage
from saccade.store.uploads import MOST_BYTES
from saccade.types import ImageRecord, Upload


class Uploads:
    """What people of an open store brought to search with.

    >>> from PIL import Image
    >>> from saccade import SearchRequest
    >>> Image.new("RGB", (64, 48), "red").save(folder / "red.png")
    >>> uploads, brought = engine.uploads, (folder / "red.png").read_bytes()
    >>> upload = uploads.keep(brought, user="ana")
    >>> upload.known, uploads.list(user="ana") == (upload,)
    (False, True)
    >>> uploads.find(upload.image_id) == brought
    True
    >>> uploads.record(upload.image_id).width, uploads.thumbnail(upload.image_id)[8:12]
    (64, b'WEBP')
    >>> uploads.brought(SearchRequest(query=upload.image_id)).query == brought
    True
    >>> uploads.delete(upload.image_id, user="ana")
    >>> uploads.list(user="ana")
    ()
    """

    def __init__(self, opened: OpenStore) -> None:
        self._opened, self._uploads = opened, opened.store.uploads

    def keep(self, data: bytes, *, user: str = GUEST) -> Upload:
        """Keep a picture for a person; one of the collection is there already."""
        from saccade.images.identity import image_id
        from saccade.scale.decoding import decode

        check_user(user)
        if len(data) > MOST_BYTES:
            raise InvalidInput(
                f"a picture of {len(data):,} bytes cannot be kept; {MOST_BYTES:,} are the most",
                hint="make it smaller, or search with it without keeping it",
            )
        name = image_id(data)
        in_collection = self._opened.collection().find(name) >= 0
        if not in_collection:
            decode(data)  # what is no picture is not kept
            self._uploads.keep(user, name, data)
        return Upload(name, len(data), in_collection)

    def find(self, image_id: str) -> bytes | None:
        """The bytes of one that is kept; None where none is."""
        return self._uploads.find(image_id)

    def record(self, image_id: str) -> ImageRecord:
        """What is known of one; it has no path and no row."""
        height, width = self._decoded(image_id).rgb.shape[:2]
        return ImageRecord(image_id, -1, width, height, ())

    def thumbnail(self, image_id: str) -> bytes:
        """A small WebP of one."""
        from saccade.images.thumbnails import thumbnail

        return thumbnail(self._decoded(image_id))

    def _decoded(self, image_id: str) -> Picture:
        from saccade.scale.decoding import decode

        data = self.find(image_id)
        if data is None:
            raise NoSuchImage(image_id)
        return decode(data).picture

    def delete(self, image_id: str, *, user: str = GUEST) -> None:
        """Take one away; what was learned in searches with it stays."""
        if not self._uploads.drop(check_user(user), image_id):
            raise NoSuchImage(image_id)

    def brought(self, request: SearchRequest) -> SearchRequest:
        """A search with the bytes of each kept picture in the place of its id."""
        collection = self._opened.collection()

        def picture(one: PictureLike) -> PictureLike:
            named = isinstance(one, str) and collection.find(one) < 0
            data = self.find(one) if named and isinstance(one, str) else None
            return one if data is None else data

        if not any(isinstance(one, str) for one in (*request.pictures, *request.unlike)):
            return request
        return replace(
            request,
            query=None if request.query is None else picture(request.query),
            like=tuple(map(picture, request.like)),
            unlike=tuple(map(picture, request.unlike)),
        )

    # The last one: below it, `list` would mean this.
    def list(self, *, user: str = GUEST) -> tuple[Upload, ...]:
        """A person's own, the newest first."""
        return tuple(Upload(one.image_id, one.size) for one in self._uploads.of(check_user(user)))

"""Tags: names that people give to pictures.

    add, remove ─ events ─ fold ─ list, images, of;  where={"tag": …}

A tag is a person's own; where several gave a picture the same, it has it for everybody who did not
take it off.
"""

from __future__ import annotations

from collections.abc import Sequence

from saccade.engine.names import Named, check_user, id_of, ids_of
from saccade.engine.request import GUEST
from saccade.engine.tags.capability import TagCapability, called
from saccade.engine.tags.fold import TagFold
from saccade.engine.tags.records import MOST_TAGGED, PicturesTagged, check_tag
from saccade.errors import InvalidInput, UnknownName
from saccade.types import TagInfo


class Tags:
    """The tags of an open store.

    >>> tags, image_id = engine.tags, engine.images()[0].image_id
    >>> tags.add("summer", image_id, user="ana").images
    1
    >>> tags.of(image_id, user="ana"), tags.images("summer", user="ana") == (image_id,)
    (('summer',), True)
    >>> tags.seen("ana") == {"summer": (image_id,)}, [one.tag for one in tags.list(user="ana")]
    (True, ['summer'])
    >>> tags.remove("summer", image_id, user="ana").images
    0
    """

    def __init__(self, capability: TagCapability) -> None:
        self._capability, self._opened = capability, capability.opened

    def add(self, tag: str, images: Named | Sequence[Named], *, user: str = GUEST) -> TagInfo:
        """Give pictures a tag."""
        check_tag(tag)
        given = _ids(images)
        for image in given:
            self._opened.collection().row(image)
        return self._say(tag, user, given=given)

    def remove(
        self, tag: str, images: Named | Sequence[Named] | None = None, *, user: str = GUEST
    ) -> TagInfo:
        """Take a tag off pictures, or off all, for oneself: others keep it."""
        meant = self._called(tag, user)
        gone = self.images(meant, user=user) if images is None else _ids(images)
        return self._say(meant, user, gone=gone)

    def images(self, tag: str, *, user: str = GUEST) -> tuple[str, ...]:
        """The pictures that have a tag for a person."""
        return self.seen(user)[self._called(tag, user)]

    def of(self, image: Named, *, user: str = GUEST) -> tuple[str, ...]:
        """The tags that a picture has for a person."""
        image_id = id_of(image)
        self._opened.collection().row(image_id)
        return tuple(sorted(tag for tag, those in self.seen(user).items() if image_id in those))

    def seen(self, user: str = GUEST) -> dict[str, tuple[str, ...]]:
        """The tags that a person sees, with their pictures."""
        return self._capability.seen(check_user(user))

    def _called(self, tag: str, user: str) -> str:
        seen = self.seen(user)
        name = called(tag, seen) if isinstance(tag, str) else None
        if name is None:
            raise UnknownName("tag", str(tag), seen)
        return name

    def _say(
        self, tag: str, user: str, given: Sequence[str] = (), gone: Sequence[str] = ()
    ) -> TagInfo:
        if not given and not gone:
            raise InvalidInput("no picture to tag", hint="name images of the collection")
        if len(given) + len(gone) > MOST_TAGGED:
            raise InvalidInput(f"tag at most {MOST_TAGGED} pictures at once")
        record, opened = PicturesTagged(tag, tuple(given), tuple(gone)), self._opened
        check_user(user)
        opened.learning.append(lambda w: w.append(record, at=opened.clock(), user=user))
        return self._info(tag, user)

    def _info(self, tag: str, user: str) -> TagInfo:
        collection, models = self._opened.collection(), self._opened.learning.catch_up()
        rows = self._capability.rows(user, collection, models).get(tag, ())
        fold = models.of(TagFold)
        own = [image for image in fold.own(user).get(tag, ()) if collection.find(image) >= 0]
        return TagInfo(tag, images=len(rows), own=len(own), people=fold.people(tag))

    # The last one: below it, `list` would mean this.
    def list(self, *, user: str = GUEST) -> tuple[TagInfo, ...]:
        """Every tag that a person sees, by name."""
        return tuple(self._info(tag, user) for tag in sorted(self.seen(user)))


def _ids(images: Named | Sequence[Named]) -> tuple[str, ...]:
    """Ids, each once; one picture alone need not be in a list."""
    alone = isinstance(images, str) or hasattr(images, "image_id")
    return ids_of([images] if alone else images)

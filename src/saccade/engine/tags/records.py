"""What a person says when they tag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from saccade.engine.events import Feedback
from saccade.engine.names import check_name, check_text
from saccade.types import Arrays, Encoded, Spec

LONGEST, MOST_TAGGED = 200, 10_000


@dataclass(frozen=True, slots=True)
class PicturesTagged(Feedback):
    """Pictures given a tag, or freed of it."""

    kind: ClassVar[str] = "tagged"

    tag: str
    images: tuple[str, ...]
    gone: tuple[str, ...] = ()

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {"tag": self.tag, "images": list(self.images), "gone": list(self.gone)}, {}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(body["tag"], tuple(body["images"]), tuple(body["gone"]))

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        for name in (self.tag, *self.images, *self.gone):
            check_text(name, LONGEST, least=1)
        if len(self.images) + len(self.gone) > MOST_TAGGED:
            raise ValueError(f"more than {MOST_TAGGED} pictures at once")


def check_tag(name: object) -> str:
    """A tag that a person may give."""
    return check_name("tag", name, longest=LONGEST, without="/:")

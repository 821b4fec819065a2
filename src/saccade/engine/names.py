"""Names that people give: of themselves, an attribute, a tag, a saved search; and of pictures.

One rule for all of them, so that whatever is stored can be shown, typed and put into an address.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from saccade.errors import InvalidInput


class Pictured(Protocol):
    """What is shown of a picture: a hit, a record, a look-alike."""

    @property
    def image_id(self) -> str:
        """Which it is."""


Named = str | Pictured
"""A picture of the collection: its id, or what was shown of it."""

LONGEST = 100
"""Characters of a name, unless a kind of name may be longer."""
VISITOR = "visitor:"
"""How the name of somebody begins whom nobody knows: what they teach is theirs alone."""


def check_name(what: str, name: object, *, longest: int = LONGEST, without: str = "") -> str:
    """A name that can be kept; `without` are signs that mean something else where it is used.

    >>> check_name("tag", "sunset", without="/:")
    'sunset'
    """
    fits = isinstance(name, str) and name.strip() == name and 1 <= len(name) <= longest
    if isinstance(name, str) and fits and name.isprintable() and not set(without) & set(name):
        return name
    signs = f" and none of {' '.join(without)}" if without else ""
    raise InvalidInput(
        f"{what} {name!r} cannot be shown: a name has 1 to {longest} printable characters{signs}"
    )


def check_user(user: object) -> str:
    """The name of a person."""
    return check_name("user", user)


def visits(user: str) -> bool:
    """Whether somebody is a visitor, who moves nobody else's pages.

    >>> visits("visitor:4f1c"), visits("ana")
    (True, False)
    """
    return user.startswith(VISITOR)


def check_text(text: object, longest: int, *, least: int = 0) -> None:
    """Any text that came from outside and will be shown, whoever made it up."""
    if not isinstance(text, str) or not least <= len(text) <= longest or not text.isprintable():
        raise InvalidInput(f"{str(text)[:40]!r} is a name that cannot be shown")


def id_of(image: object) -> str:
    """The id of a picture that somebody names.

    >>> id_of("00ff")
    '00ff'
    """
    name = image if isinstance(image, str) else getattr(image, "image_id", None)
    if not isinstance(name, str):
        raise InvalidInput(f"{image!r:.40} names no picture", hint="give an image id, or a hit")
    return name


def ids_of(images: object) -> tuple[str, ...]:
    """The ids of pictures in order, each once; one text is no list of them.

    >>> ids_of(["00ff", "01ab", "00ff"])
    ('00ff', '01ab')
    """
    if isinstance(images, str) or not isinstance(images, Iterable):
        raise InvalidInput(f"{str(images)[:40]!r} is no list of pictures", hint="put it into one")
    return tuple(dict.fromkeys(map(id_of, images)))

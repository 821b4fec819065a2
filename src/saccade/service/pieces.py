"""An exported profile read in pieces: however long it is, no piece of it takes long to parse.

A document of some megabytes keeps the interpreter busy for seconds if it is parsed at once, and may
take a hundred times its size in memory. What is known of a profile is that it is an object whose
lists have short items. Each item is measured before it is parsed:

    {"saccade-profile": 1, "user": "ana", "events": [ITEM, ITEM, …], "attributes": [ITEM, …]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from saccade.errors import InvalidInput
from saccade.service.bodies import check_text

MOST_VALUES = 100_000
"""In one item; a page of feedback has some hundreds."""
MOST_IN_ALL = 4_000_000
MOST_ITEMS = 100_000
"""In one list."""
MOST_KEYS = 20

_SPACE = re.compile(r"[ \t\n\r]*")
# A string as a whole, or one sign of structure; nothing in a string is one.
_SIGN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]', re.DOTALL)
_NONE = "this is no JSON object"


def read(data: bytes) -> dict[str, Any]:
    """The object that a body holds, as `json.loads` would give it.

    >>> read(b'{"user": "ana", "events": [{"at": 1}, {"at": 2}]}')
    {'user': 'ana', 'events': [{'at': 1}, {'at': 2}]}

    Raises:
        InvalidInput: no such object, or an item that is too large.
    """
    try:
        return _Reader(data.decode()).object()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the body is no UTF-8 text from byte {error.start} on") from error
    except RecursionError as error:
        raise InvalidInput("the body has lists within lists without end") from error


class _Reader:
    """A place in a text."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._signs = text, 0, 0

    def object(self) -> dict[str, Any]:
        """The whole text as one object."""
        fields: dict[str, Any] = {}
        self._take("{", _NONE)
        if self._peek() == "}":
            self._at += 1
        else:
            while True:
                key = self._value()
                if not isinstance(key, str) or len(fields) >= MOST_KEYS:
                    raise InvalidInput("the body has too many fields, or one without a name")
                self._take(":", _NONE)
                fields[key] = list(self._items()) if self._peek() == "[" else self._value()
                if self._closed("}"):
                    break
        if self._peek():
            raise InvalidInput("the body goes on after its object")
        return fields

    def _items(self) -> Iterator[Any]:
        """The items of a list, one after the other."""
        self._take("[", _NONE)
        if self._peek() == "]":
            self._at += 1
            return
        for _ in range(MOST_ITEMS):
            yield self._value()
            if self._closed("]"):
                return
        raise InvalidInput(f"the body has a list of more than {MOST_ITEMS:,} items")

    def _value(self) -> Any:
        """One value, measured and then parsed."""
        self._peek()
        end = self._end()
        text = self._text[self._at : end]
        try:
            value = json.loads(text)
        except ValueError as error:
            raise InvalidInput(f"the body is not JSON at character {self._at}") from error
        if "\\u" in text:
            check_text(value)
        self._at = end
        return value

    def _end(self) -> int:
        """Where a value ends that starts here."""
        depth = 0
        for signs, sign in enumerate(_SIGN.finditer(self._text, self._at)):
            mark = sign[0]
            if not depth and mark in ",]}":
                return sign.start()
            if mark in "[{":
                depth += 1
            elif mark in "]}":
                depth -= 1
            if not depth and mark not in "[{":
                return sign.end()
            self._signs += 1
            if signs >= MOST_VALUES or self._signs > MOST_IN_ALL:
                raise InvalidInput(
                    "the body has too many values in one item, or in all",
                    hint="no profile has so many; import it in parts",
                )
        return len(self._text)

    def _closed(self, mark: str) -> bool:
        """Pass over a comma, or over the mark that ends what is being read."""
        if self._peek() == mark:
            self._at += 1
            return True
        self._take(",", f"the body is not JSON at character {self._at}")
        return False

    def _take(self, mark: str, otherwise: str) -> None:
        if self._peek() != mark:
            raise InvalidInput(otherwise)
        self._at += 1

    def _peek(self) -> str:
        """The next sign that is no space; empty at the end."""
        space = _SPACE.match(self._text, self._at)
        assert space is not None  # it matches nothing, too
        self._at = space.end()
        return self._text[self._at : self._at + 1]

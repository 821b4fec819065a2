"""Where things lie on the server's disk is its owner's to know: everybody else is told less.

a picture     its path below the folder of the collection that holds it, else its name
a sentence    the same, wherever it names a folder of the collection, or the store
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextvars import ContextVar

from saccade.engine import Engine
from saccade.service.askers import asking


class Places:
    """The folders of one engine, found once in a request."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._roots = engine, None

    _roots: tuple[str, ...] | None

    @property
    def roots(self) -> tuple[str, ...]:
        """The collection's folders and the store's own, the innermost first."""
        if self._roots is None:
            store = str(self._engine.path)
            places = (*self._engine.library.folders(), os.path.join(store, "pictures"), store)
            both = {place for one in places for place in (one, os.path.realpath(one))}
            self._roots = tuple(sorted(both, key=len, reverse=True))
        return self._roots

    def shown(self, path: str) -> str:
        """A path as everybody may see it."""
        for root in self.roots:
            if path.startswith(root + os.sep):
                return path[len(root) + 1 :]
        return os.path.basename(path)

    def hidden(self, text: str) -> str:
        """A sentence without the places in it."""
        for root in self.roots:
            text = text.replace(root + os.sep, "").replace(root, os.path.basename(root))
        return text


_PLACES: ContextVar[Places | None] = ContextVar("saccade-places", default=None)


def set_places(engine: Engine) -> None:
    """From here on, in this request, it is this engine's folders."""
    _PLACES.set(Places(engine))


def shown(path: str) -> str:
    """A path as whoever asks may see it; what is not a whole path is no secret."""
    if asking().owns or not os.path.isabs(path):
        return path
    places = _PLACES.get()
    return os.path.basename(path) if places is None else places.shown(path)


def shown_all(paths: Sequence[str]) -> tuple[str, ...]:
    """Several of them."""
    return tuple(map(shown, paths))


def hidden(text: str) -> str:
    """A sentence as whoever asks may read it."""
    places = _PLACES.get()
    return text if asking().owns or places is None else places.hidden(text)

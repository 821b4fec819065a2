"""What only those need who run a server around an engine; everybody else has `Engine`.

operations(engine).interrupt()
"""

from __future__ import annotations

from collections.abc import Iterable

from saccade.engine.engine import Engine
from saccade.engine.loop.loop import Loop
from saccade.engine.names import VISITOR
from saccade.engine.rooms.people import People


class Operations:
    """The back door of an engine."""

    def __init__(self, loop: Loop) -> None:
        self._loop, self._opened = loop, loop.opened

    def lost(self) -> int:
        """How many events at the end of the log were acknowledged and are not there any more."""
        return self._opened.store.log.lost()

    def failures(self) -> tuple[int, dict[str, int]]:
        """Pages shown that could not be logged; how often each expert failed and was left out."""
        return self._opened.unlogged, dict(self._opened.dropped)

    def interrupt(self) -> None:
        """Ask the long jobs under way to end; those that begin later do not hear of it."""
        self._opened.interrupt()

    def whose(self, page_id: str) -> str | None:
        """Whose page it is; None for one that the log does not have."""
        return self._opened.store.log.whose(page_id)

    def fade(self, days: float) -> int:
        """Forget the visitors who were not seen for so many days; returns how many.

        They come by a name that nobody else has, and do not come back by it.
        """
        before = self._opened.clock() - 86_400.0 * days
        gone = self._opened.store.log.silent_since(VISITOR, before)
        if gone:
            People(self._loop).forget(*gone)
        return len(gone)

    def check_known(self, image_ids: Iterable[str]) -> None:
        """Raise NotFound for the first that is no image of the collection."""
        collection = self._opened.collection()
        for image_id in image_ids:
            collection.row(image_id)


def operations(engine: Engine) -> Operations:
    """The back door of an engine."""
    return Operations(engine._loop)

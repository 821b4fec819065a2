"""How long the log keeps pages that nobody reacted to.

A reaction that comes later than that finds no page and says so; nothing else depends on them.
"""

from __future__ import annotations

import math
from dataclasses import replace

from saccade.engine.learning.log import retention
from saccade.engine.opened import OpenStore
from saccade.errors import InvalidInput
from saccade.types import KeptPages


class PageRetention:
    """The retention of an open store.

    >>> page = engine.search(text="harbour", k=5)
    >>> engine.retention.show().pages, engine.retention.show().days
    (1, 30)
    >>> engine.retention.change(days=7).days
    7
    """

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened

    def show(self) -> KeptPages:
        """What is kept, and for how long."""
        keep = self._opened.recipe.retention
        pages, size = self._opened.store.log.pages()
        return KeptPages(pages, size, keep["days"], keep["megabytes"], self._opened.unlogged)

    def change(self, *, days: float | None = None, megabytes: float | None = None) -> KeptPages:
        """Keep pages for so long from now on, and let go at once of what is older."""
        opened = self._opened
        new = {"days": days, "megabytes": megabytes}
        changes = {name: value for name, value in new.items() if value is not None}
        for name, value in changes.items():
            if not (math.isfinite(value) and value >= 0):
                raise InvalidInput(f"{name} to keep pages: {value!r} is not a number from 0 up")
        recipe = replace(opened.recipe, retention={**opened.recipe.retention, **changes})
        opened.store.commit(settings={"recipe": recipe.as_json()})
        opened.reload()
        opened.store.log.thin(retention(recipe), now=opened.clock())
        return self.show()

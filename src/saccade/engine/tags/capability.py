"""What the rest of the engine knows of tags: an event, a fold, the word `tag`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.engine.cache import Cache
from saccade.engine.collection import Collection
from saccade.engine.learning.fold import Models
from saccade.engine.loop.capability import Capability
from saccade.engine.opened import OpenStore
from saccade.engine.request import Clause, Tag
from saccade.engine.tags.fold import TagFold
from saccade.engine.tags.records import PicturesTagged
from saccade.errors import UnknownName
from saccade.types import Rows

PEOPLE = 16
"""Whose tags are kept in memory."""


class TagCapability(Capability):
    """Tags at work in one open store."""

    name = "tags"
    words = frozenset((Tag.word,))
    records = (PicturesTagged,)
    folds = {"tags": TagFold}  # noqa: RUF012

    def __init__(self, opened: OpenStore) -> None:
        super().__init__(opened)
        self._rows: Cache[tuple[int, int, str], Mapping[str, Rows]] = opened.keep(Cache(PEOPLE))

    def seen(self, user: str) -> dict[str, tuple[str, ...]]:
        """The tags that a person sees, with their pictures."""
        models = self.opened.learning.catch_up()
        return models.of(TagFold).seen(user, guests=self.opened.recipe.guests)

    def rows(self, user: str, collection: Collection, models: Models) -> Mapping[str, Rows]:
        """The rows of each tag that a person sees; without those that have left."""

        def look() -> dict[str, Rows]:
            tags = models.of(TagFold).seen(user, guests=self.opened.recipe.guests)
            every = {tag: map(collection.find, images) for tag, images in tags.items()}
            return {tag: np.array(sorted({*rows} - {-1}), np.int64) for tag, rows in every.items()}

        return self._rows.made((collection.generation, models.event_id, user), look)

    def check(self, where: Sequence[Clause], user: str) -> None:
        """Tags that somebody gave."""
        for clause in where:
            assert isinstance(clause, Tag)
            if called(clause.text, self.seen(user)) is None:
                raise UnknownName("tag", clause.text, self.seen(user))

    def narrow(
        self, clause: Clause, user: str, collection: Collection, models: Models
    ) -> NDArray[np.bool_] | None:
        """The rows that have a tag; none where everybody took it off since."""
        assert isinstance(clause, Tag)
        fits = np.zeros(collection.rows, np.bool_)
        by_tag = self.rows(user, collection, models)
        tag = called(clause.text, by_tag)
        if tag is not None:
            fits[by_tag[tag]] = True
        return fits

    def counts(
        self, fits: NDArray[np.bool_], user: str, collection: Collection, models: Models
    ) -> dict[str, int]:
        """How many of some rows have each tag."""
        every = self.rows(user, collection, models)
        return {tag: int(np.count_nonzero(fits[rows])) for tag, rows in every.items()}


def called(text: str, tags: Mapping[str, object]) -> str | None:
    """The tag that is spelled so; with other capital letters where none is."""
    if text in tags:
        return text
    return next((tag for tag in tags if tag.casefold() == text.casefold()), None)

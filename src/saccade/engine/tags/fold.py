"""Who gave which pictures which tag.

    own       the newest word of a person on a picture and a tag counts for them
    shared    a picture that several others gave a tag has it for all who did not take it off

What visitors gave stays theirs, and what guests gave, too, unless the recipe remembers what they
mark: they are many people under one name. What was said is the whole state.
"""

from __future__ import annotations

from collections import Counter

from saccade.engine.events import Entry
from saccade.engine.learning.axis import Axis
from saccade.engine.names import visits
from saccade.engine.recipe import Recipe
from saccade.engine.request import GUEST
from saccade.engine.tags.records import PicturesTagged
from saccade.types import Arrays, Encoded, Spec

Key = tuple[str, str]  # person, tag
Pictures = tuple[str, ...]

AGREEING = 2
"""People who must have given a picture a tag before it has it for anybody else."""


class TagFold:
    """Everything said about tags."""

    kinds = frozenset((PicturesTagged.kind,))

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._given: dict[Key, Pictures] = {}
        self._refused: dict[Key, Pictures] = {}

    def own(self, user: str) -> dict[str, Pictures]:
        """The tags that a person gave, and the pictures they gave them to."""
        return {tag: images for (who, tag), images in self._given.items() if who == user}

    def seen(self, user: str, *, guests: bool = False) -> dict[str, Pictures]:
        """The tags that a person sees: their own, and those that others agree on."""
        votes: dict[str, Counter[str]] = {}
        for (who, tag), images in self._given.items():
            if who == user or (not visits(who) and (who != GUEST or guests)):
                counts = votes.setdefault(tag, Counter())
                for image in images:
                    counts[image] += AGREEING if who == user else 1
        agreed = {}
        for tag, counts in votes.items():
            refused = set(self._refused.get((user, tag), ()))
            seen = (i for i, number in counts.items() if number >= AGREEING and i not in refused)
            agreed[tag] = tuple(seen)
        return {tag: images for tag, images in agreed.items() if images}

    def people(self, tag: str) -> int:
        """How many people gave a tag."""
        return sum(given == tag for _, given in self._given)

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Take in one more word."""
        event = entry.record
        assert isinstance(event, PicturesTagged)
        key = entry.user, event.tag
        before, off = self._given.get(key, ()), self._refused.get(key, ())
        still_given = (image for image in before if image not in event.gone)
        self._put(self._given, key, dict.fromkeys((*still_given, *event.images)))
        still = (image for image in (*off, *event.gone) if image not in event.images)
        self._put(self._refused, key, dict.fromkeys(still))

    @staticmethod
    def _put(table: dict[Key, Pictures], key: Key, images: dict[str, None]) -> None:
        if images:
            table[key] = tuple(images)
        else:
            table.pop(key, None)

    def copy(self) -> TagFold:
        """An independent copy; what is said is never changed in place."""
        twin = TagFold(self._recipe)
        twin._given, twin._refused = dict(self._given), dict(self._refused)
        return twin

    def dump(self) -> Encoded:
        """The whole state; nothing where nobody said anything."""
        tables = {"tags": self._given, "tags-off": self._refused}
        return {
            name: [[*key, list(images)] for key, images in sorted(table.items())]
            for name, table in tables.items()
            if table
        }, {}

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        self._given = {(u, tag): tuple(images) for u, tag, images in body.get("tags", ())}
        self._refused = {(u, tag): tuple(images) for u, tag, images in body.get("tags-off", ())}

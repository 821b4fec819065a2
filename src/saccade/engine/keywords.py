"""What a keyword means: the pictures of a folder, of a tag, or of a saved search.

    folder:NAME   pictures in a folder of that name, wherever it lies
    tag:NAME      pictures that a person gave the tag
    saved:NAME    pictures marked right in a person's saved search, and those it began with

A name without its kind is looked for as a tag, then as a folder, then as a saved search.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import PurePath

from saccade.engine.collection import Collection
from saccade.engine.opened import OpenStore
from saccade.engine.saving import SavedSessions
from saccade.errors import UnknownName

KINDS = ("tag", "folder", "saved")


@dataclass(frozen=True, slots=True)
class Keyword:
    """A name and the living rows it stands for, in their order."""

    kind: str
    title: str
    rows: tuple[int, ...]

    @property
    def name(self) -> str:
        """With its kind."""
        return f"{self.kind}:{self.title}"


@dataclass(slots=True)
class Keywords:
    """The keywords of an open store."""

    opened: OpenStore
    _folders: tuple[int, dict[str, tuple[int, ...]]] = field(default=(-1, {}))

    def of(self, user: str) -> dict[str, Keyword]:
        """Every keyword a person can use, by its full name."""
        collection = self.opened.collection()
        found = {"tag": self._tags(user, collection), "folder": self._by_folder(collection)}
        found["saved"] = self._saved(user, collection)
        every = [
            Keyword(kind, t, rows) for kind in KINDS for t, rows in sorted(found[kind].items())
        ]
        return {keyword.name: keyword for keyword in every}

    def find(self, name: str, user: str) -> Keyword:
        """The keyword with this name; an unknown one is an error that names the nearest."""
        known = self.of(user)
        for tried in (name, *(f"{kind}:{name}" for kind in KINDS)):
            if tried in known:
                return known[tried]
        raise UnknownName(
            "concept", name, known, hint="a concept is a folder's name, a tag or a saved search"
        )

    def _by_folder(self, collection: Collection) -> dict[str, tuple[int, ...]]:
        generation, known = self._folders
        if generation != collection.generation:
            rows: dict[str, set[int]] = defaultdict(set)
            for path, row in self.opened.store.catalog.path_rows().items():
                if row < collection.rows:  # others came since this collection was read
                    rows[PurePath(path).parent.name].add(row)
            known = {name: tuple(sorted(those)) for name, those in rows.items() if name}
            self._folders = collection.generation, known
        return known

    def _tags(self, user: str, collection: Collection) -> dict[str, tuple[int, ...]]:
        tags = self.opened.learning.catch_up().concepts.tags(user)
        return {tag: _alive(images, collection) for tag, images in tags.items()}

    def _saved(self, user: str, collection: Collection) -> dict[str, tuple[int, ...]]:
        saved = SavedSessions(self.opened).list(user)
        return {one.name: _alive((*one.like, *one.liked), collection) for one in saved}


def _alive(images: tuple[str, ...], collection: Collection) -> tuple[int, ...]:
    rows = {collection.find(image) for image in images}
    return tuple(sorted(rows - {-1}))

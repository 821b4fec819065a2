"""What a keyword means: the pictures of a folder, of a tag, or of a saved search.

    folder:NAME   pictures in a folder of that name, wherever it lies
    tag:NAME      pictures that have the tag for a person
    saved:NAME    pictures marked right in a person's saved search, and those it began with

A name without its kind is looked for as a tag, then as a folder, then as a saved search.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from saccade.engine.cache import Cache
from saccade.engine.collection import Collection
from saccade.engine.opened import OpenStore
from saccade.engine.rooms.sessions import SavedSessions
from saccade.errors import UnknownName

KINDS = ("tag", "folder", "saved")

Tagged = Callable[[str], Mapping[str, tuple[str, ...]]]
"""The tags that a person sees, with their pictures."""


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


class Keywords:
    """The keywords of an open store."""

    def __init__(self, opened: OpenStore, saved: SavedSessions, tagged: Tagged) -> None:
        self._opened, self._sessions, self._tagged = opened, saved, tagged
        self._folders: Cache[int, Mapping[str, tuple[int, ...]]] = opened.keep(Cache(1))

    def of(self, user: str) -> dict[str, Keyword]:
        """Every keyword a person can use, by its full name."""
        collection = self._opened.collection()
        rows_of = {
            "tag": self._tags(user, collection),
            "folder": self._by_folder(collection),
            "saved": self._saved(user, collection),
        }
        every = [
            Keyword(kind, title, rows)
            for kind in KINDS
            for title, rows in sorted(rows_of[kind].items())
        ]
        return {keyword.name: keyword for keyword in every}

    def find(self, name: str, user: str) -> Keyword:
        """The keyword with this name; an unknown one is an error that names the nearest."""
        keywords = self.of(user)
        for tried in (name, *(f"{kind}:{name}" for kind in KINDS)):
            if tried in keywords:
                return keywords[tried]
        raise UnknownName(
            "concept", name, keywords, hint="a concept is a folder's name, a tag or a saved search"
        )

    def _by_folder(self, collection: Collection) -> Mapping[str, tuple[int, ...]]:
        def look() -> dict[str, tuple[int, ...]]:
            rows: dict[str, set[int]] = defaultdict(set)
            for path, row in self._opened.store.catalog.path_rows().items():
                if row < collection.rows:  # others came since this collection was read
                    rows[os.path.basename(os.path.dirname(path))].add(row)
            return {name: tuple(sorted(those)) for name, those in rows.items() if name}

        return self._folders.made(collection.generation, look)

    def _tags(self, user: str, collection: Collection) -> dict[str, tuple[int, ...]]:
        return {tag: _alive(images, collection) for tag, images in self._tagged(user).items()}

    def _saved(self, user: str, collection: Collection) -> dict[str, tuple[int, ...]]:
        saved = self._sessions.list(user=user)
        return {one.name: _alive((*one.like, *one.liked), collection) for one in saved}


def _alive(images: tuple[str, ...], collection: Collection) -> tuple[int, ...]:
    rows = {collection.find(image) for image in images}
    return tuple(sorted(rows - {-1}))

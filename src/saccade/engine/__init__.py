"""The loop: the only package that knows every part. Start reading in `engine.py`.

What others may use is named here; the rooms behind it are the engine's own. Each part comes in when
it is first used: who only wants to know what a search can ask for does not load what answers it.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade.engine.engine import Engine
    from saccade.engine.operating import Operations, operations
    from saccade.engine.progress import Progress, Watch
    from saccade.engine.recipe import Recipe
    from saccade.engine.request import (
        CLAUSES,
        GUEST,
        After,
        Before,
        Box,
        Camera,
        Clause,
        Folder,
        HasField,
        Json,
        Less,
        More,
        Name,
        Part,
        PictureLike,
        Region,
        RequestField,
        SearchRequest,
        Shape,
        ShowRequest,
        Spot,
        Tag,
        Where,
        clauses_of,
        described,
        part_of,
        where_json,
    )
    from saccade.engine.reranker import Reranker
    from saccade.engine.rooms.pictures import PictureLine
    from saccade.engine.sources import About, about
    from saccade.engine.sources.vocabulary import VocabularyInfo

_PARTS = {
    "engine": ("Engine",),
    "operating": ("Operations", "operations"),
    "progress": ("Progress", "Watch"),
    "recipe": ("Recipe",),
    "request": (
        "CLAUSES", "GUEST", "After", "Before", "Box", "Camera", "Clause", "Folder", "HasField",
        "Json", "Less", "More", "Name", "Part", "PictureLike", "Region", "RequestField",
        "SearchRequest", "Shape", "ShowRequest", "Spot", "Tag", "Where", "clauses_of", "described",
        "part_of", "where_json",
    ),
    "reranker": ("Reranker",),
    "rooms.pictures": ("PictureLine",),
    "sources": ("About", "about"),
    "sources.vocabulary": ("VocabularyInfo",),
}  # fmt: skip
_HOME = {name: part for part, names in _PARTS.items() for name in names}

__all__ = [
    "CLAUSES",
    "GUEST",
    "About",
    "After",
    "Before",
    "Box",
    "Camera",
    "Clause",
    "Engine",
    "Folder",
    "HasField",
    "Json",
    "Less",
    "More",
    "Name",
    "Operations",
    "Part",
    "PictureLike",
    "PictureLine",
    "Progress",
    "Recipe",
    "Region",
    "RequestField",
    "Reranker",
    "SearchRequest",
    "Shape",
    "ShowRequest",
    "Spot",
    "Tag",
    "VocabularyInfo",
    "Watch",
    "Where",
    "about",
    "clauses_of",
    "described",
    "is_store",
    "open",
    "operations",
    "part_of",
    "where_json",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'saccade.engine' has no attribute {name!r}")
    return getattr(importlib.import_module(f"saccade.engine.{_HOME[name]}"), name)


def open(
    path: str | os.PathLike[str],
    *,
    create: bool = True,
    warm: bool = True,
    database: str | None = None,
    shards: int | None = None,
    on: str = "processes",
) -> Engine:
    """Open a store (a folder such as ``photos.saccade``), made when missing.

    Its catalog and log are a file in the folder, or in the `database` of a PostgreSQL server.
    Pictures are described, and with `shards` pieces of the collection searched, `on` other
    processes or a Ray cluster.

    >>> import saccade
    >>> with saccade.open(folder / "photos.saccade", warm=False) as photos:
    ...     len(photos)
    0
    """
    from saccade.engine.engine import Engine

    return Engine(path, create=create, warm=warm, database=database, shards=shards, on=on)


def is_store(path: str | os.PathLike[str]) -> bool:
    """Whether there is a store at a place.

    >>> is_store(engine.path), is_store(pictures)
    (True, False)
    """
    from saccade.store.store import Store

    return Store.is_at(path)

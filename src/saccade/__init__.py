"""Saccade: an image search engine that learns what you mean.

    import saccade
    engine = saccade.open("photos.saccade")
    engine.add("~/Pictures")
    page = engine.search("query.jpg")
    page = engine.react(page, liked=[page.hits[0].image_id])

Importing this package loads nothing heavy and changes nothing: the parts come in when first used.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade import choosers, rankers
    from saccade.engine import (
        After,
        Before,
        Box,
        Camera,
        Engine,
        Folder,
        HasField,
        Less,
        More,
        Name,
        Recipe,
        Region,
        Reranker,
        SearchRequest,
        Shape,
        ShowRequest,
        Spot,
        Tag,
        open,
    )
    from saccade.errors import (
        IdTaken,
        InvalidInput,
        KeyReused,
        MissingExtra,
        NoMap,
        NoSuchImage,
        NotAnImage,
        NotFound,
        NothingToUndo,
        NotShown,
        SaccadeError,
        Stopping,
        StoreBusy,
        StoreError,
        StoreFormat,
        StoreFull,
        StoreLocked,
        StoreReadOnly,
        TooFewAnswers,
        UnknownName,
    )
    from saccade.types import Candidate, CandidateHit, CandidatePage, Hit, Page

__version__ = "0.1.0"

_PARTS = {
    "saccade.engine": (
        "After", "Before", "Box", "Camera", "Engine", "Folder", "HasField", "Less", "More", "Name",
        "Recipe", "Region", "Reranker", "SearchRequest", "Shape", "ShowRequest", "Spot", "Tag",
        "open",
    ),
    "saccade.errors": (
        "IdTaken", "InvalidInput", "KeyReused", "MissingExtra", "NoMap", "NoSuchImage",
        "NotAnImage", "NotFound", "NotShown", "NothingToUndo", "SaccadeError", "Stopping",
        "StoreBusy", "StoreError", "StoreFormat", "StoreFull", "StoreLocked", "StoreReadOnly",
        "TooFewAnswers", "UnknownName",
    ),
    "saccade.types": ("Candidate", "CandidateHit", "CandidatePage", "Hit", "Page"),
}  # fmt: skip
_MODULES = ("choosers", "rankers")
_HOME = {name: part for part, names in _PARTS.items() for name in names}

__all__ = [
    "After", "Before", "Box", "Camera", "Candidate", "CandidateHit", "CandidatePage", "Engine",
    "Folder", "HasField", "Hit", "IdTaken", "InvalidInput", "KeyReused", "Less", "MissingExtra",
    "More", "Name", "NoMap", "NoSuchImage", "NotAnImage", "NotFound", "NotShown", "NothingToUndo",
    "Page", "Recipe", "Region", "Reranker", "SaccadeError", "SearchRequest", "Shape", "ShowRequest",
    "Spot", "Stopping", "StoreBusy", "StoreError", "StoreFormat", "StoreFull", "StoreLocked",
    "StoreReadOnly", "Tag", "TooFewAnswers", "UnknownName", "__version__", "choosers", "open",
    "rankers",
]  # fmt: skip

# Quiet until whoever uses this package sets up `logging`.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"saccade.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'saccade' has no attribute {name!r}")
    part: object = getattr(importlib.import_module(_HOME[name]), name)
    return part

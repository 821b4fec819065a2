"""The loop: the only package that knows every part. Start reading in `engine.py`.

What others may use is named here; the rooms behind it are the engine's own.
"""

from __future__ import annotations

import os

from saccade.engine.engine import Engine
from saccade.engine.progress import Progress, Watch
from saccade.engine.recipe import Recipe
from saccade.engine.sources import About, about
from saccade.engine.sources.vocabulary import VocabularyInfo
from saccade.store.store import Store

__all__ = ["About", "Engine", "Progress", "Recipe", "VocabularyInfo", "Watch", "about", "is_store",
           "open"]  # fmt: skip


def open(path: str | os.PathLike[str], *, create: bool = True, warm: bool = True) -> Engine:
    """Open a store (a folder such as ``photos.saccade``), made when missing."""
    return Engine(path, create=create, warm=warm)


def is_store(path: str | os.PathLike[str]) -> bool:
    """Whether there is a store at a place."""
    return Store.is_at(path)

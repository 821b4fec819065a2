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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saccade import rankers
    from saccade.engine import Engine, open

__version__ = "0.1.0"
__all__ = ["Engine", "__version__", "open", "rankers"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name in ("Engine", "open"):
        return getattr(importlib.import_module("saccade.engine"), name)
    if name == "rankers":
        return importlib.import_module("saccade.rankers")
    raise AttributeError(f"module 'saccade' has no attribute {name!r}")

"""The loop: the only package that knows every part. Start reading in `engine.py`."""

from __future__ import annotations

import os

from saccade.engine.engine import Engine

__all__ = ["Engine", "open"]


def open(path: str | os.PathLike[str], *, create: bool = True, warm: bool = True) -> Engine:
    """Open a store (a folder such as ``photos.saccade``), made when missing."""
    return Engine(path, create=create, warm=warm)

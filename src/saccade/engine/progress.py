"""How far a long job is, and who wants to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long job is; `total` is 0 while unknown."""

    stage: str
    done: int
    total: int


Watch = Callable[[Progress], None]


def unwatched(progress: Progress) -> None:
    """Nobody looks."""

"""What a store finds wrong with itself."""

from __future__ import annotations

from dataclasses import dataclass

RESTORE = "restore the store from a backup"


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that is not as it should be, what would be done about it, and whether it can."""

    place: str
    problem: str
    remedy: str
    mendable: bool = True
    damage: bool = True
    """Not something that was merely left undone."""

"""What a store computes and how it learns: its recipe, kept in its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from saccade.errors import InvalidInput
from saccade.features.similarities import SIMILARITIES
from saccade.types import Scheme


@dataclass(frozen=True, slots=True)
class Recipe:
    """Descriptors, similarities and learners of one store."""

    descriptors: tuple[str, ...]
    similarities: tuple[str, ...] = SIMILARITIES
    learner: str = "opar1"
    shared: Mapping[str, Any] = field(default_factory=lambda: {"C": 0.3, "average": True})
    own: Mapping[str, Any] = field(default_factory=lambda: {"C": 1.0, "average": True})
    """`shared` and `own` are the steps of the first version's rule."""
    lasting: Mapping[str, Any] | None = field(
        default_factory=lambda: {"C": 0.1, "scale": 100.0, "crowd": 39, "trust": 5}
    )
    """The rule of today (`learning.lasting`); a store of the first version has none."""
    retention: Mapping[str, float] = field(default_factory=lambda: {"days": 30, "megabytes": 256})
    """How long the log keeps a page that nobody reacted to; nothing is learned from those."""

    @classmethod
    def default(cls) -> Recipe:
        """What a new store computes."""
        from saccade.descriptors import DEFAULT

        return cls(descriptors=(*DEFAULT, "words"))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Recipe:
        """What `as_json` gave."""
        known = {"lasting": None, **data}
        known["descriptors"] = tuple(known["descriptors"])
        known["similarities"] = tuple(known["similarities"])
        return cls(**known)

    def as_json(self) -> dict[str, Any]:
        """Plain values for the store's settings."""
        return asdict(self)

    def schemes(self) -> tuple[Scheme, ...]:
        """Every descriptor with every similarity, in a fixed order."""
        return tuple(Scheme(d, s) for d in self.descriptors for s in self.similarities)

    def changed(self, text: str, *, named: Callable[[str], str]) -> Recipe:
        """The recipe after a change in text: `+gist-color`, `-lbp`, or a whole list `gist,lbp`.

        `named` gives a descriptor's full name and refuses an unknown one.

        >>> Recipe(("gist", "lbp")).changed("-lbp,+cortex", named=str).descriptors
        ('gist', 'cortex')
        """
        changes = [change.strip() for change in text.split(",") if change.strip()]
        if not changes:
            raise InvalidInput("empty recipe", hint="name descriptors, or +NAME and -NAME")
        descriptors = list(self.descriptors) if changes[0][0] in "+-" else []
        for change in changes:
            name = change.lstrip("+-")
            if not change.startswith("-"):
                # An unknown name is refused here, before anything is computed; a file's name is
                # made absolute, so that the store means the same from anywhere.
                name = named(name)
            if change.startswith("-"):
                if name not in descriptors:
                    raise InvalidInput(f"recipe: cannot drop {name!r}, it is not in the store")
                descriptors.remove(name)
            elif name not in descriptors:
                descriptors.append(name)
        if not descriptors:
            raise InvalidInput("recipe: at least one descriptor must stay")
        return replace(self, descriptors=tuple(descriptors))

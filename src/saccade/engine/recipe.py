"""What a store computes and how it learns: its recipe, kept in its settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from saccade.errors import InvalidInput, StoreFormat
from saccade.features.similarities import SIMILARITIES
from saccade.types import Scheme, Spec


@dataclass(frozen=True, slots=True)
class Recipe:
    """Descriptors, similarities and learners of one store.

    >>> recipe = Recipe(("gist", "lbp"), similarities=("l1", "cosine"))
    >>> [str(scheme) for scheme in recipe.schemes()]
    ['gist:l1', 'gist:cosine', 'lbp:l1', 'lbp:cosine']
    >>> Recipe.from_json(recipe.as_json()) == recipe, len(Recipe.default().descriptors)
    (True, 11)
    """

    descriptors: tuple[str, ...]
    similarities: tuple[str, ...] = SIMILARITIES
    learner: str = "opar1"
    lasting: Mapping[str, float] = field(
        default_factory=lambda: {"C": 0.1, "scale": 100.0, "crowd": 39, "trust": 5}
    )
    """How far and how fast weights over schemes are learned (`learning.weights`)."""
    retention: Mapping[str, float] = field(default_factory=lambda: {"days": 30, "megabytes": 256})
    """How long the log keeps a page that nobody reacted to; nothing is learned from those."""
    guests: bool = False
    """Whether what guests mark together is remembered: they are many people under one name."""

    @classmethod
    def default(cls) -> Recipe:
        """What a new store computes."""
        from saccade.descriptors import DEFAULT

        return cls(descriptors=(*DEFAULT, "words"))

    @classmethod
    def from_json(cls, data: Spec) -> Recipe:
        """What `as_json` gave, today or in an earlier version.

        Raises:
            StoreFormat: a newer version wrote it, or it is damaged.
        """
        try:
            values = dict(data)
            unknown = values.keys() - {part.name for part in fields(cls)}
            if not unknown:
                values["descriptors"] = tuple(values["descriptors"])
                values["similarities"] = tuple(values["similarities"])
                made = cls(**values)
                made._check()
                return made
        except (KeyError, TypeError, ValueError) as error:
            raise StoreFormat(
                "the recipe of the store is damaged", hint="restore the store from a backup"
            ) from error
        raise StoreFormat(
            f"made by a newer Saccade: the recipe of the store says {min(unknown)!r}, "
            "which this one does not know",
            hint="install a newer Saccade to open it",
        )

    def _check(self) -> None:
        """Raise a ValueError or TypeError for values that nobody wrote."""
        names = (*self.descriptors, *self.similarities, self.learner)
        if not self.descriptors or not all(isinstance(name, str) for name in names):
            raise ValueError("names that are none")
        for options in (self.lasting,):
            if not isinstance(options, Mapping):
                raise TypeError("options that are none")
        if not all(0 <= self.retention[name] < math.inf for name in ("days", "megabytes")):
            raise ValueError("bounds that are none")
        if not isinstance(self.guests, bool):
            raise TypeError("neither yes nor no")

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

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

    @classmethod
    def default(cls) -> Recipe:
        """What a new store computes."""
        from saccade.descriptors import DEFAULT

        return cls(descriptors=(*DEFAULT, "words"))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Recipe:
        """What `as_json` gave."""
        known = {**data}
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


def balanced(schemes: tuple[Scheme, ...], kinds: Mapping[str, str]) -> dict[str, float]:
    """Weights to start from: every kind of descriptor has the same say, and they average 1.

    Ten texture schemes are ten opinions on texture; they should not outvote one on the subject.
    Words count among the shapes here: alone they recognise things, but say little about scenes.

    >>> pair = (Scheme("lbp", "l1"), Scheme("gabor-texture", "l1"), Scheme("embedding", "l1"))
    >>> balanced(pair, {"lbp": "texture", "gabor-texture": "texture", "embedding": "embedding"})
    {'lbp:l1': 0.75, 'gabor-texture:l1': 0.75, 'embedding:l1': 1.5}
    """
    found = [kinds.get(scheme.descriptor, scheme.descriptor) for scheme in schemes]
    of = ["shape" if kind == "words" else kind for kind in found]
    share = len(schemes) / max(1, len(set(of)))
    return {str(s): share / of.count(kind) for s, kind in zip(schemes, of, strict=True)}

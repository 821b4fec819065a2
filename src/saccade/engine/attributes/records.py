"""What people say about attributes, as records of the log.

    AttributeCreated    a name, and the space its directions live in
    AttributeLabelled   a picture has it or has it not, or a grade of it
    AttributeCompared   one picture has more of it than another, or both have about as much
    AttributeHidden     somebody has put the name away, for themselves

An answer carries its pictures as vectors of the attribute's space, so that learning from it needs
neither the pictures nor the graph. Spaces are made when an attribute is: a blend of descriptors
around the centres of that day, the same for all its answers. Making is nobody's: who is forgotten
takes their answers with them, and not the name that others use, which never told who made it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from saccade.engine.events import Feedback, Record
from saccade.engine.names import check_name
from saccade.errors import InvalidInput
from saccade.indexes.blend import Blend
from saccade.types import Array, Arrays, Encoded, Spec, Vectors

MOST_PARTS = 50
"""Descriptors of one space."""
GRADES = 100
"""The largest grade, above and below 0."""
_RESERVED = "/:=<>"
MORE, ALIKE = "more", "alike"


def check_attribute(name: object) -> str:
    """A name that can be stored, shown, put into an address and described by."""
    return check_name("attribute", name, without=_RESERVED)


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Where an attribute's directions live: blended descriptors, and the version of each."""

    blend: Blend
    versions: Mapping[str, str]

    @property
    def width(self) -> int:
        """Number of columns."""
        return sum(len(part.centre) for part in self.blend.parts)

    @property
    def descriptors(self) -> tuple[str, ...]:
        """The names of what is blended."""
        return tuple(part.name for part in self.blend.parts)

    @property
    def digest(self) -> str:
        """Names the space: equal digests, equal vectors."""
        spec = json.dumps([self.blend.spec(), dict(self.versions)], sort_keys=True)
        mark = hashlib.sha256(spec.encode())
        for name, centre in sorted(self.blend.arrays().items()):
            mark.update(name.encode() + np.ascontiguousarray(centre).tobytes())
        return mark.hexdigest()[:32]

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {"blend": self.blend.spec(), "versions": dict(self.versions)}, self.blend.arrays()

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(Blend.load(body["blend"], arrays), dict(body["versions"]))


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Pictures of an answer as vectors of a space, alone and together with their like."""

    plain: Vectors  # [1 or 2, width]
    smooth: Vectors

    def arrays(self) -> dict[str, Array]:
        """As the log keeps it; half precision tells pictures apart as well."""
        return {"plain": self.plain.astype(np.float16), "smooth": self.smooth.astype(np.float16)}

    @classmethod
    def decode(cls, arrays: Arrays) -> Self:
        """What `arrays` gave; the live fold learns from the same rounded values."""
        return cls(*(np.asarray(arrays[name], np.float32) for name in ("plain", "smooth")))

    def rounded(self) -> Self:
        """The same as the log will give it back."""
        return self.decode(self.arrays())

    def check(self, pictures: int) -> None:
        """Raise a ValueError that says what is wrong with looks from outside."""
        for name, rows in (("plain", self.plain), ("smooth", self.smooth)):
            if rows.ndim != 2 or len(rows) != pictures or rows.shape != self.plain.shape:
                raise ValueError(f"{name} vectors do not fit the pictures")
            if not np.isfinite(rows).all() or np.linalg.norm(rows, axis=1).max(initial=0.0) > 1.01:
                raise ValueError(f"{name} vectors are longer than one")


@dataclass(frozen=True, slots=True, eq=False)
class AttributeCreated(Record):
    """A new name to teach."""

    kind: ClassVar[str] = "attribute-created"
    folded: ClassVar[bool] = True

    attribute: str
    space: Space

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body, arrays = self.space.encode()
        return {"attribute": self.attribute, **body}, arrays

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(body["attribute"], Space.decode(body, arrays))

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        check_attribute(self.attribute)
        names = set(self.space.descriptors)
        if not names or names != set(self.space.versions) or len(names) > MOST_PARTS:
            raise ValueError("its descriptors and their versions do not fit")
        if not all(isinstance(text, str) for pair in self.space.versions.items() for text in pair):
            raise ValueError("descriptors and versions must be text")


@dataclass(frozen=True, slots=True)
class AttributeHidden(Feedback):
    """Somebody does not want to see a name any more, until they take this back."""

    kind: ClassVar[str] = "attribute-hidden"

    attribute: str

    def subject(self) -> str:
        """The attribute."""
        return self.attribute

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {"attribute": self.attribute}, {}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(body["attribute"])

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        check_attribute(self.attribute)


@dataclass(frozen=True, slots=True, eq=False)
class Answer(Feedback):
    """What every answer has: whose attribute, seen how, and the answers it takes the place of."""

    attribute: str
    space: str  # digest of the space its looks are vectors of
    looks: Looks
    replaces: tuple[int, ...]

    def subject(self) -> str:
        """The attribute."""
        return self.attribute

    def voids(self) -> tuple[int, ...]:
        """The answers it takes the place of."""
        return self.replaces

    def _encoded(self, **own: Any) -> Encoded:
        body = {"attribute": self.attribute, "space": self.space, **own}
        if self.replaces:
            body["replaces"] = list(self.replaces)
        return body, self.looks.arrays()

    @staticmethod
    def _decoded(body: Spec, arrays: Arrays) -> dict[str, Any]:
        return {
            "attribute": body["attribute"],
            "space": body["space"],
            "looks": Looks.decode(arrays),
            "replaces": tuple(map(int, body.get("replaces", ()))),
        }

    def _check(self, *images: object) -> None:
        check_attribute(self.attribute)
        if not isinstance(self.space, str) or not all(isinstance(one, str) for one in images):
            raise ValueError("its space and its pictures must be named by text")
        self.looks.check(len(images))


@dataclass(frozen=True, slots=True, eq=False)
class AttributeLabelled(Answer):
    """A picture has an attribute (+1), has it not (-1), or has some grade of it."""

    kind: ClassVar[str] = "labelled"

    image: str
    grade: int

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return self._encoded(image=self.image, grade=self.grade)

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(**cls._decoded(body, arrays), image=body["image"], grade=body["grade"])

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        self._check(self.image)
        check_grade(self.grade)


@dataclass(frozen=True, slots=True, eq=False)
class AttributeCompared(Answer):
    """The first picture has more of an attribute than the second, or both have about as much."""

    kind: ClassVar[str] = "compared"

    first: str
    second: str
    order: str  # MORE or ALIKE

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return self._encoded(first=self.first, second=self.second, order=self.order)

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        pair = {name: body[name] for name in ("first", "second", "order")}
        return cls(**cls._decoded(body, arrays), **pair)

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        self._check(self.first, self.second)
        if self.first == self.second or self.order not in (MORE, ALIKE):
            raise ValueError("no comparison of two pictures")


def check_grade(grade: int) -> int:
    """A whole number that can be a grade; ±1 say that a picture has it or has it not."""
    whole = isinstance(grade, int) and not isinstance(grade, bool)
    if not whole or not -GRADES <= grade <= GRADES:
        raise InvalidInput(
            f"grade {grade!r}: +1 has it, -1 has it not, or a whole number up to {GRADES}"
        )
    return grade

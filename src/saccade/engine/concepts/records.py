"""What a person says about the pictures of a concept, as records that teach by themselves.

A record carries the regions of the pictures it speaks of, so that what was learned can be made
again on any machine, whatever became of the pictures. `features` names what the regions are
described by; lessons of different features never meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from saccade.engine.events import Feedback
from saccade.engine.names import check_text
from saccade.types import Array, Arrays, Encoded, Spec

GRADES: Mapping[str, int] = {"good": 3, "ok": 2, "junk": 1}
MOST_REGIONS, WIDEST, LONGEST = 64, 4096, 200

Bag = NDArray[np.float16]  # [regions, columns]


@dataclass(frozen=True, slots=True, eq=False)
class ConceptGraded(Feedback):
    """A picture called good, ok or junk for a concept."""

    kind: ClassVar[str] = "graded"

    concept: str
    image: str
    grade: int
    features: str
    bag: Bag

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body = {
            "concept": self.concept,
            "image": self.image,
            "grade": self.grade,
            "features": self.features,
        }
        return body, {"bag": self.bag}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        names = body["concept"], body["image"], body["grade"], body["features"]
        return cls(*names, arrays["bag"])

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        _check_names(self.concept, self.features, self.image)
        if isinstance(self.grade, bool) or self.grade not in GRADES.values():
            raise ValueError("a grade is 1, 2 or 3")
        _check_bag(self.bag)


@dataclass(frozen=True, slots=True, eq=False)
class ConceptPreferred(Feedback):
    """One picture of a concept before another."""

    kind: ClassVar[str] = "placed"

    concept: str
    better: str
    worse: str
    features: str
    winner: Bag
    loser: Bag

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body = {
            "concept": self.concept,
            "better": self.better,
            "worse": self.worse,
            "features": self.features,
        }
        return body, {"winner": self.winner, "loser": self.loser}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        names = body["concept"], body["better"], body["worse"], body["features"]
        return cls(*names, arrays["winner"], arrays["loser"])

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        _check_names(self.concept, self.features, self.better, self.worse)
        if self.better == self.worse:
            raise ValueError("a picture cannot be better than itself")
        _check_bag(self.winner)
        _check_bag(self.loser)
        if self.winner.shape[1] != self.loser.shape[1]:
            raise ValueError("its two pictures have other features")


def _check_names(*names: object) -> None:
    for name in names:
        check_text(name, LONGEST, least=1)


def _check_bag(bag: Array) -> None:
    if bag.dtype != np.float16 or bag.ndim != 2:
        raise ValueError("its regions are no table of numbers")
    if not (1 <= bag.shape[0] <= MOST_REGIONS and 1 <= bag.shape[1] <= WIDEST):
        raise ValueError("its regions are too many, too wide, or none")
    if not np.isfinite(bag).all() or np.abs(bag.astype(np.float64)).max() > 1000.0:
        raise ValueError("its regions have values that cannot be")

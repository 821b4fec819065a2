"""The schemes a log has seen, in the order it met them: the columns of everything learned on φ.

A scheme that joins later has a zero difference in all earlier events, and its prior weight comes
with the event that brings it; a scheme an event did not compute is zero there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saccade.engine.events import Entry, Lesson, Preferred, Reacted
from saccade.types import Arrays, Encoded, Phi, Spec


@dataclass(frozen=True, slots=True)
class Axis:
    """Schemes and their weights before any learning."""

    schemes: tuple[str, ...] = ()
    prior: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    def grown(self, entry: Entry) -> Axis:
        """The axis with the schemes an event brings."""
        lesson = lesson_of(entry)
        if lesson is None:
            return self
        known_schemes = set(self.schemes)  # a tuple would be looked through for every new one
        new = {
            scheme: weight
            for scheme, weight in zip(lesson.schemes, lesson.prior, strict=True)
            if scheme not in known_schemes
        }
        if not new:
            return self
        prior = np.concatenate([self.prior, np.array(list(new.values()), np.float32)])
        return Axis((*self.schemes, *new), prior)

    def pairs(self, lesson: Lesson) -> tuple[Phi, Phi]:
        """φ of the winners and of the losers of a lesson, in the order of the axis."""
        place = {scheme: i for i, scheme in enumerate(self.schemes)}
        phi = np.zeros((len(lesson.phi), len(self.schemes)), np.float32)
        phi[:, [place[scheme] for scheme in lesson.schemes]] = lesson.phi
        return phi[lesson.pairs[:, 0]], phi[lesson.pairs[:, 1]]

    def dump(self) -> Encoded:
        """As snapshots and digests have it."""
        return {"schemes": list(self.schemes)}, {"start": self.prior}

    @classmethod
    def load(cls, body: Spec, arrays: Arrays) -> Axis:
        """What `dump` gave."""
        return cls(tuple(body["schemes"]), arrays["start"])


def lesson_of(entry: Entry) -> Lesson | None:
    """What an event teaches about schemes; nothing without a pair."""
    if isinstance(entry.record, Reacted | Preferred) and len(entry.record.lesson.pairs):
        return entry.record.lesson
    return None


def padded(weights: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Weights over an axis that has grown since: new schemes have none."""
    return np.concatenate([weights, np.zeros(width - len(weights), np.float32)])

"""What several people agree on about an attribute: all that a stranger follows.

    agree(u, v)   (right − wrong) / (answers of both + DOUBT): how u's direction foretells what v
                  said, and v's what u said
    firm          the mean direction of the first two people who agree, in the order they came
    heard         everybody who agrees with the firm direction well enough, by how well
    shared        the firm direction, moved towards the mean of those who are heard, by LEASH of
                  its own length at most

Names cost nothing, so numbers decide nothing: whoever comes later, under however many names, is
heard as far as they agree with what was there, and all of them together move it only so far, as
others' marks do in searches. Who comes first and alone sets nothing either: it takes a second
person to agree. A person counts once, by at most MOST_HEARD answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saccade.kernels.hybrid import ORDERED, POINT
from saccade.types import Vectors

MOST_HEARD = 30
"""Answers of a person that are compared with what others said, the newest."""
MOST_PEOPLE = 100
"""People who are compared with each other, those who came first."""
DOUBT = 4.0
"""Answers' worth of doubt whether people agree."""
AGREED = 0.3
"""How well one must agree with the first two to be heard."""
LEASH = 0.5
"""How far all who are heard may move the firm direction, in lengths of it: 30° at most."""

Direction = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """One person's word: the direction they taught, and what they said, each as more − less."""

    user: str
    weights: Direction
    rows: Vectors  # [n, width]: more − less
    counts: NDArray[np.float64]  # [n]: how much of an answer each row is

    @classmethod
    def of(
        cls,
        user: str,
        weights: Direction,
        vectors: Vectors,
        kind: NDArray[np.int64],
        grade: NDArray[np.int64],
    ) -> Opinion:
        """From labels as a learner keeps them; of single pictures, those that were told apart."""
        newest = slice(-MOST_HEARD, None)
        vectors, kind, grade = vectors[newest], kind[newest], grade[newest]
        pairs = vectors[kind == ORDERED]
        points, grades = vectors[kind == POINT], grade[kind == POINT]
        more, less = np.nonzero(grades[:, None] > grades[None, :])
        apart = points[more] - points[less]
        share = len(points) / max(1, len(apart))
        counts = np.concatenate([np.ones(len(pairs)), np.full(len(apart), share)])
        rows = np.concatenate([pairs, apart]) if len(apart) else pairs
        return cls(user, _unit(weights), rows, counts)

    @property
    def answers(self) -> float:
        """How many answers it can be judged by."""
        return float(self.counts.sum())

    def foretold(self, weights: Direction) -> float:
        """Answers that a direction foretells, less those that it gets wrong."""
        return float(self.counts @ np.sign(self.rows @ weights.astype(np.float32)))


@dataclass(frozen=True, slots=True)
class Agreed:
    """Who agrees: nobody where no two do."""

    firm: Mapping[str, float] = field(default_factory=dict)  # the first two -> how sure they are
    heard: Mapping[str, float] = field(default_factory=dict)  # person -> how well they agree

    def direction(self, directions: Mapping[str, Direction]) -> Direction:
        """What those who are heard taught together, of length one at most."""
        firm, crowd = (
            _unit(np.sum([share * _unit(directions[user]) for user, share in some.items()], axis=0))
            for some in (self.firm, self.heard)
        )
        step = crowd - firm
        return firm + min(1.0, LEASH / max(float(np.linalg.norm(step)), LEASH)) * step


def agreed(opinions: Iterable[Opinion]) -> Agreed:
    """Who agrees; people are given in the order they came."""
    voices = [one for one in opinions if one.answers and one.weights.any()][:MOST_PEOPLE]
    pair = _first_pair(voices)
    if pair is None:
        return Agreed()
    sure = {one.user: one.answers / (one.answers + DOUBT) for one in pair}
    firm = _unit(np.sum([sure[one.user] * one.weights for one in pair], axis=0))
    heard = {}
    for one in voices:
        others = [other for other in pair if other is not one]
        well = _agreement(one, others, firm if len(others) > 1 else others[0].weights)
        if one in pair or well >= AGREED:
            heard[one.user] = well
    return Agreed(sure, heard)


def _first_pair(voices: Sequence[Opinion]) -> tuple[Opinion, Opinion] | None:
    for number, one in enumerate(voices):
        for earlier in voices[:number]:
            if _agreement(one, [earlier], earlier.weights) > 0.0:
                return earlier, one
    return None


def _agreement(one: Opinion, others: Sequence[Opinion], weights: Direction) -> float:
    """How well somebody and others, who taught `weights`, foretell each other, from -1 to 1."""
    right = one.foretold(weights) + sum(other.foretold(one.weights) for other in others)
    return right / (sum(each.answers for each in (one, *others)) + DOUBT)


def _unit(weights: Direction) -> Direction:
    length = float(np.linalg.norm(weights))
    return weights / length if length > 0.0 else weights

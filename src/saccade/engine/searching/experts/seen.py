"""The marks of a round as vectors around the collection's centre, and how far they are believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.engine.searching.experts.round import Round
from saccade.features.belief import belief
from saccade.indexes.blend import Part
from saccade.types import Vectors

MARGIN_MARKS = 50
"""Marks of each kind, the newest, that the margin learner looks at."""
_ALONE = 200_000
"""Products that one thread computes."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Unit vectors around the centre, of one descriptor of the graph's blend."""

    round: Round
    part: Part
    asked: Vectors
    refused: Vectors
    liked: Vectors
    disliked: Vectors
    compared: Vectors

    @property
    def none(self) -> Vectors:
        """No vectors at all."""
        return self.asked[:0]

    @property
    def pairs(self) -> tuple[Vectors, Vectors]:
        """The better and the worse of what was compared, the newest."""
        assert self.round.graph is not None
        take = self.round.graph.columns.columns[self.part.name].take
        better, worse = self.round.pairs[-MARGIN_MARKS:].T
        return self.part.seen(take(better)), self.part.seen(take(worse))

    def along(self, directions: Sequence[NDArray[np.float32]]) -> Vectors:
        """What each direction says of each candidate, [candidates, directions]."""
        assert self.round.graph is not None
        blocks = [b.vectors for b in self.round.graph.columns.columns[self.part.name].blocks]
        pool = self.round.session.pool
        return self.part.along(blocks, self.round.rows, np.stack(directions), pool)

    @classmethod
    def of(cls, round: Round, part: Part) -> Seen:
        """As a round sees them; what two voices look at is made once."""
        made: dict[str, Seen] = round.__dict__.setdefault("seen", {})
        if part.name not in made:
            made[part.name] = cls._of(round, part)
        return made[part.name]

    @classmethod
    def _of(cls, round: Round, part: Part) -> Seen:
        assert round.graph is not None
        take, query = round.graph.columns.columns[part.name].take, round.session.query
        given = [
            np.array([e.parts[part.name] for e in side if part.name in e.parts], np.float32)
            .reshape(-1, len(part.centre))
            for side in (query.like, query.unlike)
        ]  # fmt: skip
        vectors = [*given, *map(take, (round.liked, round.disliked, round.compared.rows))]
        return cls(round, part, *(part.seen(one) for one in vectors))


def believed(round: Round) -> float:
    """How far what was called wrong counts, 0..1; computed once a round."""
    made: dict[str, float] = round.__dict__.setdefault("believed", {})
    if "" not in made:
        made[""] = _believed(round)
    return made[""]


def found(round: Round) -> float:
    """The same as the experts found it; 1 where none of them asked."""
    made: dict[str, float] = round.__dict__.get("believed", {})
    return made.get("", 1.0)


def _believed(round: Round) -> float:
    if round.graph is None:
        return 1.0
    parts = round.graph.blend.parts
    count, total = len(round.liked) + len(round.disliked), sum(part.share for part in parts)
    asked, marks = np.zeros(count), np.zeros((count, count))
    for part in parts:
        seen = Seen.of(round, part)
        units = np.vstack([seen.liked, seen.disliked]).astype(np.float64)
        asked += part.share / total * (units @ seen.asked.mean(0) if len(seen.asked) else 0.0)
        marks += part.share / total * _products(units)
    return belief(np.maximum(asked, 0.0), np.maximum(marks, 0.0), len(round.liked))


def _products(units: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each vector with each, some columns at a time.

    So small that the linear algebra library does not share them between threads, whose waiting
    for each other costs more than the work.
    """
    step = max(8, _ALONE // max(1, len(units) ** 2))
    out = np.zeros((len(units), len(units)))
    for first in range(0, units.shape[1], step):
        some = units[:, first : first + step]
        out += some @ some.T
    return out

"""Which question about an attribute to ask next, and how sure its order is.

Both look at some random pictures. `saccade.rankers.suggestion` weighs what an answer about them
would tell; a pair that was answered is not asked about again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from saccade import rankers
from saccade.engine.collection import Collection
from saccade.engine.learning.attributes import (
    FORMS,
    LEARNER,
    OPTIONS,
    Attribute,
    Told,
    Whole,
    given,
)
from saccade.engine.searching.attributes import Standing
from saccade.errors import InvalidInput
from saccade.rankers.suggestion import suggest
from saccade.types import Rows, Vectors

CANDIDATES = 64
MARGIN = 4.0
"""ρ of the learner, the unit of its scores."""
_PLAIN = FORMS[0]


@dataclass(frozen=True, slots=True)
class Question:
    """Rows to ask about: two, or one."""

    rows: tuple[int, ...]
    bits: float


def question(
    collection: Collection,
    attribute: Attribute,
    standing: Standing | None,
    vectors: Vectors,
    *,
    user: str,
    seed: int,
    pictures: bool,
    without: Sequence[str] = (),
) -> Question:
    """The question about some random pictures whose answer would teach most."""
    shunned = [collection.find(image) for image in without]
    rows = drawn(collection, [seed, len(attribute.people.get(user, ())), 1], shunned)
    if len(rows) < 2:
        raise InvalidInput("there are not two pictures to compare")
    told = attribute.people.get(user, Told())
    place = {collection.listing.ids[row]: i for i, row in enumerate(rows.tolist())}
    avoid = [
        (place[one.first], place[one.second] if one.second else None)
        for one in told.said
        if one.first in place and (not one.second or one.second in place)
    ]
    scores = np.zeros(len(rows)) if standing is None else standing.scores[rows]
    edges = np.median(scores, keepdims=True) if pictures else None
    found = suggest(
        vectors[rows],
        scores,
        _labels(attribute, _PLAIN)[0],
        margin=MARGIN,
        thresholds=edges,
        avoid=avoid,
    )
    if not found:
        raise InvalidInput("every question about these pictures was answered", hint="try a seed")
    best = found[0]
    chosen = [best.first] if best.second is None else [best.first, best.second]
    return Question(tuple(int(rows[at]) for at in chosen), best.bits)


def sureness(attribute: Attribute, form: str, sample: Vectors) -> float | None:
    """How likely the order of two random pictures is right; None before there are four answers.

    Every other answer teaches one learner, the rest another. Two that are right with probability p
    and err apart agree on p² + (1 − p)² of the pairs, which gives p. That is what half the answers
    are worth, so it says rather too little.
    """
    vectors, kind, grade = _labels(attribute, form)
    if len(kind) < 4:
        return None
    halves = []
    for start in (0, 1):
        half = slice(start, None, 2)
        learner = rankers.make(LEARNER, **OPTIONS)
        learner.fit_labels(**given(vectors[half], kind[half], grade[half]))
        halves.append(learner.score(sample))
    first, second = np.triu_indices(len(sample), 1)
    one, other = (np.sign(scores[first] - scores[second]) for scores in halves)
    agree = float(np.mean(one == other))
    return 0.5 * (1.0 + math.sqrt(max(0.0, 2.0 * agree - 1.0)))


def drawn(collection: Collection, seed: Sequence[int], without: Sequence[int] = ()) -> Rows:
    """Some random pictures."""
    alive = np.setdiff1d(np.flatnonzero(collection.listing.alive), np.array(without, np.int64))
    rng = np.random.default_rng([abs(int(part)) for part in seed])
    found: Rows = rng.choice(alive, min(CANDIDATES, len(alive)), replace=False)
    return found


def _labels(attribute: Attribute, form: str) -> tuple[Vectors, Whole, Whole]:
    """Everybody's answers as one learner keeps them: vectors, kinds, grades."""
    each = [told.labels(form) for _, told in sorted(attribute.people.items()) if told.said]
    heard = [labels for labels in each if len(labels[1])]
    if not heard:
        empty = np.zeros((0, attribute.space.width), np.float32)
        return empty, np.zeros(0, np.int64), np.zeros(0, np.int64)
    vectors, kind, grade = (np.concatenate(part) for part in zip(*heard, strict=True))
    return vectors, kind, grade

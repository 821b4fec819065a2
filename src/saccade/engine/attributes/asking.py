"""Which question about an attribute to ask next, how sure its order is, and what is told of it.

The first two look at some random pictures. A `belief` weighs what an answer about them would tell:
much where the direction is open and two pictures differ by it, little where they look alike; a pair
that was answered is not asked about again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from saccade.engine.attributes.belief import Belief
from saccade.engine.attributes.fold import Attribute, PersonAnswers
from saccade.engine.attributes.scoring import Standing, chosen, needs
from saccade.engine.collection import Collection
from saccade.errors import InvalidInput
from saccade.types import AttributeHit, AttributeInfo, Rows, Vectors

CANDIDATES = 64
FEWEST = 4
"""Answers before anything is said of how sure an order is."""


@dataclass(frozen=True, slots=True)
class Question:
    """Rows to ask about: two, or one."""

    rows: tuple[int, ...]
    bits: float


def question(
    collection: Collection,
    attribute: Attribute,
    belief: Belief,
    vectors: Vectors,
    *,
    user: str,
    seed: int,
    pictures: bool,
    without: Sequence[str] = (),
) -> Question:
    """The question about some random pictures whose answer would teach most."""
    shunned = [collection.find(image) for image in without]
    person = attribute.people.get(user, PersonAnswers())
    rows = chosen(collection, CANDIDATES, [seed, len(person), 1], shunned)
    if len(rows) < 2:
        raise InvalidInput("there are not two pictures to compare")
    place = {collection.listing.ids[row]: i for i, row in enumerate(rows.tolist())}
    answered = {
        frozenset((place[one.first], place[one.second] if one.second else place[one.first]))
        for one in person.answers
        if one.first in place and (not one.second or one.second in place)
    }
    first, second = np.triu_indices(len(rows), 1)
    seen = belief.along(vectors[rows])
    bits = belief.bits(seen[first] - seen[second])
    if pictures:
        scores = vectors[rows] @ belief.weights
        usual = seen[np.argmin(np.abs(scores - np.median(scores)))]
        every = np.arange(len(rows))
        first, second = np.concatenate([first, every]), np.concatenate([second, every])
        # A picture is told from the middle one: half of what a pair would tell, at most.
        bits = np.concatenate([bits, 0.5 * belief.bits(seen - usual)])
    for at in np.argsort(-bits, kind="stable").tolist():
        pair = frozenset((int(first[at]), int(second[at])))
        if pair not in answered:
            asked = (int(first[at]), int(second[at])) if len(pair) == 2 else (int(first[at]),)
            return Question(tuple(int(rows[one]) for one in asked), float(bits[at]))
    raise InvalidInput("every question about these pictures was answered", hint="try a seed")


def sureness(belief: Belief, sample: Vectors) -> float | None:
    """How likely the order of two random pictures is right; None before there are four answers."""
    return belief.sure(sample) if len(belief.answers.rows) >= FEWEST else None


def info(name: str, attribute: Attribute, user: str, sure: float | None = None) -> AttributeInfo:
    """How far an attribute is taught, for a person."""
    own = attribute.people.get(user, PersonAnswers()).answers
    others = sum(len(one) for who, one in attribute.people.items() if who != user)
    points = sum(not one.second for one in own)
    return AttributeInfo(
        name=name,
        descriptors=attribute.space.descriptors,
        answers=len(own),
        points=points,
        pairs=len(own) - points,
        others=others,
        people=sum(bool(one.answers) for one in attribute.people.values()),
        needs=needs(attribute, user),
        ready=attribute.ready(user),
        smooth=attribute.form(user) == "smooth",
        sure=sure,
    )


def hits(
    collection: Collection, standing: Standing, rows: Rows, user: str
) -> tuple[AttributeHit, ...]:
    """Pictures with where they stand and what the person said of them."""
    answers = standing.attribute.people.get(user, PersonAnswers()).answers
    grades = {one.first: one.grade for one in answers if not one.second}
    compared = {image for one in answers if one.second for image in (one.first, one.second)}
    listing = collection.listing
    out = []
    for row in rows.tolist():
        image, (width, height) = listing.ids[row], listing.sizes[row].tolist()
        out.append(
            AttributeHit(
                image_id=image,
                path=listing.first_path.get(row, ""),
                width=width,
                height=height,
                score=float(standing.scores[row]),
                place=float(standing.places[row]),
                said=grades.get(image),
                compared=image in compared,
            )
        )
    return tuple(out)


def spread_out(collection: Collection, standing: Standing, rows: Rows, user: str, k: int) -> Rows:
    """Of rows in order, k at even distances, among them those the person spoke of last."""
    answers = standing.attribute.people.get(user, PersonAnswers()).answers
    images = dict.fromkeys(i for one in answers[::-1] for i in (one.first, one.second) if i)
    marked = [row for row in map(collection.find, images) if row >= 0][: k // 3]
    even = rows[np.unique(np.linspace(0, len(rows) - 1, k - len(marked)).round().astype(int))]
    chosen: Rows = rows[np.isin(rows, np.concatenate([even, np.array(marked, np.int64)]))]
    return chosen

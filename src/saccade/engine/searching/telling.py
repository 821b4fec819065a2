"""What is told of an attribute: how far it is taught, and pictures in its order."""

from __future__ import annotations

import numpy as np

from saccade.engine.collection import Collection
from saccade.engine.learning.attributes import Attribute, Told
from saccade.engine.searching.attributes import Standing, needs
from saccade.types import AttributeHit, AttributeInfo, Rows


def told(name: str, attribute: Attribute, user: str, sure: float | None = None) -> AttributeInfo:
    """How far an attribute is taught, for a person."""
    own = attribute.people.get(user, Told()).said
    others = sum(len(told) for who, told in attribute.people.items() if who != user)
    points = sum(not one.second for one in own)
    return AttributeInfo(
        name=name,
        descriptors=attribute.space.descriptors,
        answers=len(own),
        points=points,
        pairs=len(own) - points,
        others=others,
        people=sum(bool(told.said) for told in attribute.people.values()),
        needs=needs(attribute, user),
        ready=attribute.ready(user),
        smooth=attribute.form == "smooth",
        sure=sure,
    )


def hits(
    collection: Collection, standing: Standing, rows: Rows, user: str
) -> tuple[AttributeHit, ...]:
    """Pictures with where they stand and what the person said of them."""
    said = standing.attribute.people.get(user, Told()).said
    grades = {one.first: one.grade for one in said if not one.second}
    compared = {image for one in said if one.second for image in (one.first, one.second)}
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
    said = standing.attribute.people.get(user, Told()).said
    images = dict.fromkeys(i for one in said[::-1] for i in (one.first, one.second) if i)
    marked = [row for row in map(collection.find, images) if row >= 0][: k // 3]
    even = rows[np.unique(np.linspace(0, len(rows) - 1, k - len(marked)).round().astype(int))]
    chosen: Rows = rows[np.isin(rows, np.concatenate([even, np.array(marked, np.int64)]))]
    return chosen

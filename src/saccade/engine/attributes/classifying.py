"""Pictures told by categories that are only described: zero-shot learning over the collection.

The rules are those of `saccade.rankers.zero_shot`; here categories get their pictures, folders or
lists of ids, and every picture its most likely category.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as Names
from pathlib import PurePath

import numpy as np

from saccade.engine.collection import Collection
from saccade.errors import InvalidInput, UnknownName
from saccade.rankers.zero_shot import Relation, Seen
from saccade.types import Classified, Scores

Described = Mapping[str, Sequence[str | Relation]]


def classified(
    collection: Collection,
    scores_of: Callable[[str], Scores],
    described: Described,
    *,
    seen: Mapping[str, Sequence[str]] | None,
    images: Sequence[str] | None,
) -> tuple[Classified, ...]:
    """The category of each picture, among those seen and those described."""
    relations = _relations(described)
    rows_of = _seen(collection, seen, without=described.keys())
    for relation in (one for several in relations.values() for one in several):
        for name in (*relation.above, *relation.below, *relation.like):
            if name not in rows_of:
                raise UnknownName("category with pictures", name, rows_of)
    names = sorted({one.attribute for several in relations.values() for one in several})
    scores = np.stack([scores_of(name) for name in names], axis=1).astype(np.float64)
    own = np.array([row for rows in rows_of.values() for row in rows])
    labels = [name for name, rows in rows_of.items() for _ in rows]
    model = Seen.of(scores[own], labels, names)
    categories = model.with_unseen(relations)
    if images is None:
        wanted = np.setdiff1d(np.flatnonzero(collection.listing.alive), own)
    else:
        wanted = np.array([collection.row(image) for image in images], np.int64)
    likely = model.weighed(scores[wanted], categories)
    shares = np.exp(likely - likely.max(axis=1, keepdims=True, initial=-np.inf))
    shares /= shares.sum(axis=1, keepdims=True)
    listing = collection.listing
    return tuple(
        Classified(
            listing.ids[row],
            listing.first_path.get(row, ""),
            categories[int(share.argmax())].name,
            float(share.max()),
        )
        for row, share in zip(wanted.tolist(), shares, strict=True)
    )


def _relations(described: Described) -> dict[str, list[Relation]]:
    if not isinstance(described, Mapping) or not described:
        raise InvalidInput(
            "nothing is described", hint='for instance {"street": ["open: coast > street"]}'
        )
    out: dict[str, list[Relation]] = {}
    for category, sentences in described.items():
        if isinstance(sentences, str) or not sentences:
            raise InvalidInput(f"{category!r}: give a list of sentences, at least one")
        out[category] = [
            Relation.parse(one, category) if isinstance(one, str) else one for one in sentences
        ]
    return out


def _seen(
    collection: Collection, seen: Mapping[str, Sequence[str]] | None, *, without: Names[str]
) -> dict[str, list[int]]:
    """Rows of the categories that have pictures: as given, or by the names of folders."""
    if seen is not None:
        rows_of = {
            name: [collection.row(image) for image in images]
            for name, images in seen.items()
            if len(images)
        }
    else:
        folders: dict[str, list[int]] = defaultdict(list)
        for row, path in collection.listing.first_path.items():
            name = PurePath(path).parent.name
            if collection.listing.alive[row] and name not in without:
                folders[name].append(row)
        rows_of = dict(sorted(folders.items()))
    if not rows_of:
        raise InvalidInput("no category has pictures to compare with", hint="name some as `seen`")
    return rows_of

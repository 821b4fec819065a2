"""What the rest of the engine knows of attributes: events, a fold, `more` and `less`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.engine.attributes.fold import AttributeFold
from saccade.engine.attributes.records import (
    AttributeCompared,
    AttributeCreated,
    AttributeHidden,
    AttributeLabelled,
)
from saccade.engine.attributes.scoring import Scales, attribute_of
from saccade.engine.collection import Collection
from saccade.engine.events import Feedback, Record
from saccade.engine.learning.exchange import parse_along
from saccade.engine.learning.fold import Models
from saccade.engine.loop.capability import Capability
from saccade.engine.opened import OpenStore
from saccade.engine.request import Clause, Less, More
from saccade.types import Arrays, Spec


class AttributeCapability(Capability):
    """Attributes at work in one open store."""

    name = "attributes"
    words = frozenset((More.word, Less.word))
    records = (AttributeCreated, AttributeHidden, AttributeLabelled, AttributeCompared)
    folds = {"attributes": AttributeFold}  # noqa: RUF012

    def __init__(self, opened: OpenStore) -> None:
        super().__init__(opened)
        self.scales = Scales(opened)

    def check(self, where: Sequence[Clause], user: str) -> None:
        """Attributes that exist, and pictures to compare with that do."""
        collection, models = self.opened.collection(), self.opened.learning.catch_up()
        for clause in where:
            assert isinstance(clause, More | Less)
            attribute_of(models, clause.attribute)
            if isinstance(clause.than, str):
                collection.row(clause.than, why=f" to compare {clause.attribute!r} with")

    def narrow(
        self, clause: Clause, user: str, collection: Collection, models: Models
    ) -> NDArray[np.bool_] | None:
        """The rows that have more, or less, of an attribute; None where it was given up since."""
        assert isinstance(clause, More | Less)
        name = clause.attribute
        if name not in models.of(AttributeFold).by_name:
            return None
        standing = self.scales.standing(collection, models, name, user)
        if isinstance(clause.than, str):
            row = collection.find(clause.than)
            if row < 0:
                return None  # it was removed since: nothing to compare with
            values, bound = standing.scores, float(standing.scores[row])
        else:
            values, bound = standing.places, float(clause.than)
        with np.errstate(invalid="ignore"):
            return values > bound if isinstance(clause, More) else values < bound

    def along(self, feedback: Iterable[Feedback]) -> Sequence[Record]:
        """The attributes that somebody spoke of."""
        by_name = self.opened.learning.catch_up().of(AttributeFold).by_name
        spoken = {record.subject() for record in feedback} & by_name.keys()
        return [AttributeCreated(name, by_name[name].space) for name in sorted(spoken)]

    def arriving(self, data: Spec) -> Callable[[], Sequence[Record]]:
        """The attributes of an exported profile; one that is here already stays as it is."""
        attributes = parse_along(data, self.name, "attribute", _checked)

        def missing() -> list[AttributeCreated]:
            here = self.opened.learning.models.of(AttributeFold).by_name
            return [one for one in attributes if one.attribute not in here]

        return missing


def _checked(body: Spec, arrays: Arrays) -> AttributeCreated:
    record = AttributeCreated.decode(body, arrays)
    record.check()
    return record

"""Everything learned, as folds over the log.

    models = fold(events in order, void ones left out)        one Fold per learned thing, in FOLDS

An event carries all that learning from it needs, so the folds need nothing else: the same log gives
the same models, bit for bit, on any machine. Live learning applies one more event to the same
state; `replay` starts from nothing. Both run this code. Adding a fold touches one table.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from saccade.engine.events import Entry
from saccade.engine.learning.attributes import Attributes
from saccade.engine.learning.axis import Axis
from saccade.engine.learning.choosing import Choosers
from saccade.engine.learning.concepts import Concepts
from saccade.engine.learning.guard import Guards
from saccade.engine.learning.lasting import Lasting
from saccade.engine.learning.memory import Memory
from saccade.engine.learning.weights import Weights
from saccade.engine.learning.wins import Wins
from saccade.engine.recipe import Recipe

Dumped = tuple[dict[str, Any], dict[str, NDArray[Any]]]


class Fold(Protocol):
    """One learned thing as a function of the log.

    What `dump` gives has names of the fold's own, and a fold that learned nothing dumps nothing
    new: then a log that does not concern it keeps its digest when the fold is added.
    """

    kinds: frozenset[str]
    """The kinds of event it takes."""

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Learn from one event; the axis has its schemes already."""

    def copy(self) -> Self:
        """An independent copy."""

    def dump(self) -> Dumped:
        """The whole state as a JSON body and named arrays."""

    def load(self, body: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take on what `dump` gave."""


def _weights(recipe: Recipe) -> Weights | Lasting:
    """By the rule of the recipe: a log means what it meant when it was written."""
    return Weights(recipe) if recipe.lasting is None else Lasting(recipe)


FOLDS: Mapping[str, Callable[[Recipe], Fold]] = {
    "weights": _weights,
    "wins": Wins,
    "guard": Guards,
    "memory": Memory,
    "choosers": Choosers,
    "concepts": Concepts,
    "attributes": Attributes,
}


class Models:
    """The state of every fold after some event."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self.event_id = 0
        self.axis = Axis()
        self._folds: dict[str, Fold] = {name: make(recipe) for name, make in FOLDS.items()}

    @property
    def weights(self) -> Weights | Lasting:
        """Which schemes count, for everybody and for each person."""
        fold = self._folds["weights"]
        assert isinstance(fold, Weights | Lasting)
        return fold

    @property
    def wins(self) -> Wins:
        """How often each scheme alone was right."""
        fold = self._folds["wins"]
        assert isinstance(fold, Wins)
        return fold

    @property
    def guard(self) -> Guards:
        """How far what is learned may be served, to each person."""
        fold = self._folds["guard"]
        assert isinstance(fold, Guards)
        return fold

    @property
    def memory(self) -> Memory:
        """What each person called right together."""
        fold = self._folds["memory"]
        assert isinstance(fold, Memory)
        return fold

    @property
    def choosers(self) -> Choosers:
        """Which configuration ranks best."""
        fold = self._folds["choosers"]
        assert isinstance(fold, Choosers)
        return fold

    @property
    def concepts(self) -> Concepts:
        """What was said about pictures of concepts, and who gave which tag."""
        fold = self._folds["concepts"]
        assert isinstance(fold, Concepts)
        return fold

    @property
    def attributes(self) -> Attributes:
        """Directions that people named and taught."""
        fold = self._folds["attributes"]
        assert isinstance(fold, Attributes)
        return fold

    def apply(self, entry: Entry) -> None:
        """Learn from one event; kinds that no fold takes only move the clock."""
        self.event_id = entry.event_id
        self.axis = self.axis.grown(entry)
        for fold in self._folds.values():
            if entry.kind in fold.kinds:
                fold.apply(entry, self.axis)

    def copy(self) -> Models:
        """An independent copy; records are immutable, so it is cheap."""
        twin = Models(self._recipe)
        twin.event_id, twin.axis = self.event_id, self.axis
        twin._folds = {name: fold.copy() for name, fold in self._folds.items()}
        return twin

    def digest(self) -> str:
        """Names the learned state: equal digests, equal bits."""
        body, arrays = self.dump()
        body.pop("event")
        mark = hashlib.sha256(json.dumps(body, sort_keys=True).encode())
        for name in sorted(arrays):
            array = np.ascontiguousarray(arrays[name])
            mark.update(f"{name}{array.dtype}{array.shape}".encode())
            mark.update(array.tobytes())
        return mark.hexdigest()

    def dump(self) -> Dumped:
        """The whole state as a JSON body and named arrays."""
        body, arrays = self.axis.dump()
        body["event"] = self.event_id
        for fold in self._folds.values():
            more, further = fold.dump()
            body |= more
            arrays |= further
        return body, arrays

    @classmethod
    def load(
        cls, recipe: Recipe, body: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Models:
        """What `dump` gave."""
        models = cls(recipe)
        models.event_id = int(body["event"])
        models.axis = Axis.load(body, arrays)
        for fold in models._folds.values():
            fold.load(body, arrays)
        return models

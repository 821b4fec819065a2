"""Everything learned, as folds over the log.

    models = fold(events in order, void ones left out)        one Fold per learned thing

An event carries all that learning from it needs, so the folds need nothing else: the same log gives
the same models, bit for bit, on any machine. Live learning applies one more event to the same
state; `replay` starts from nothing. Both run this code. FOLDS is the table of what every store
learns; a capability brings rows of its own, and `Models` is given all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Protocol, Self, TypeVar

import numpy as np

from saccade.engine.events import Entry
from saccade.engine.learning.axis import Axis
from saccade.engine.learning.evidence import EvidenceFold
from saccade.engine.learning.guard import GuardFold
from saccade.engine.learning.weights import WeightFold
from saccade.engine.learning.wins import WinFold
from saccade.engine.recipe import Recipe
from saccade.types import Arrays, Encoded, Spec


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

    def dump(self) -> Encoded:
        """The whole state as a JSON body and named arrays."""

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""


FoldTable = Mapping[str, Callable[[Recipe], Fold]]
Kind = TypeVar("Kind")

FOLDS: FoldTable = {
    "weights": WeightFold,
    "wins": WinFold,
    "guard": GuardFold,
    "evidence": EvidenceFold,
}


VERSIONS: Mapping[str, int] = {"attributes": 4, "evidence": 2, "guard": 2}
"""Of folds that changed what they make of a log, or how they dump it, since they were new (1)."""


def versions_of(table: FoldTable) -> dict[str, int]:
    """What a snapshot holds, by name and version; of one written by other code, another value."""
    return {name: VERSIONS.get(name, 1) for name in table}


class Models:
    """The state of every fold after some event."""

    def __init__(self, recipe: Recipe, table: FoldTable = FOLDS) -> None:
        self._recipe, self._table = recipe, table
        self.event_id = 0
        self.axis = Axis()
        self._folds: dict[str, Fold] = {name: make(recipe) for name, make in table.items()}

    def of(self, kind: type[Kind]) -> Kind:
        """The fold of this class; it must be in the table."""
        return next(fold for fold in self._folds.values() if isinstance(fold, kind))

    @property
    def weights(self) -> WeightFold:
        """Which schemes count, for everybody and for each person."""
        return self.of(WeightFold)

    @property
    def wins(self) -> WinFold:
        """How often each scheme alone was right."""
        return self.of(WinFold)

    @property
    def guard(self) -> GuardFold:
        """How far what is learned may be served, to each person."""
        return self.of(GuardFold)

    @property
    def evidence(self) -> EvidenceFold:
        """What people marked together."""
        return self.of(EvidenceFold)

    def apply(self, entry: Entry) -> None:
        """Learn from one event; kinds that no fold takes only move the clock."""
        self.event_id = entry.event_id
        self.axis = self.axis.grown(entry)
        for fold in self._folds.values():
            if entry.kind in fold.kinds:
                fold.apply(entry, self.axis)

    def copy(self) -> Models:
        """An independent copy; records are immutable, so it is cheap."""
        twin = Models(self._recipe, {})
        twin._table, twin.event_id, twin.axis = self._table, self.event_id, self.axis
        twin._folds = {name: fold.copy() for name, fold in self._folds.items()}
        return twin

    def digest(self) -> str:
        """Names the learned state: equal digests, equal bits."""
        body, arrays = self.dump()
        del body["event"], body["folds"]
        mark = hashlib.sha256(json.dumps(body, sort_keys=True).encode())
        for name in sorted(arrays):
            array = np.ascontiguousarray(arrays[name])
            mark.update(f"{name}{array.dtype}{array.shape}".encode())
            mark.update(array.tobytes())
        return mark.hexdigest()

    def dump(self) -> Encoded:
        """The whole state as a JSON body and named arrays."""
        body, arrays = self.axis.dump()
        body["event"], body["folds"] = self.event_id, versions_of(self._table)
        for fold in self._folds.values():
            more, further = fold.dump()
            body |= more
            arrays |= further
        return body, arrays

    @classmethod
    def load(
        cls,
        recipe: Recipe,
        body: Spec,
        arrays: Arrays,
        table: FoldTable = FOLDS,
    ) -> Models:
        """What `dump` gave; a ValueError for what other code gave, which knew more or less."""
        if body.get("folds") != versions_of(table):
            raise ValueError("a snapshot of other folds")
        models = cls(recipe, table)
        models.event_id = int(body["event"])
        models.axis = Axis.load(body, arrays)
        for fold in models._folds.values():
            fold.load(body, arrays)
        return models

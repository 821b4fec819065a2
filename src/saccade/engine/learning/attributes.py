"""Directions that people named and taught: one learner a person and form, and everybody's mean.

    w_u        what person u taught: `hybrid-online` over their answers alone
    shared     Σ_u c_u w_u / Σ_u c_u           c_u = min(answers of u, MOST_HEARD)
    served_u   u's answers again, by a learner that starts from the shared direction without u

so a person starts from what others taught, their own word goes before it, and nobody's say in the
shared direction grows beyond a bound. Nobody's learner sees another's answers. Who has said much
(OWN_WAY) has no need of others.

There are two forms: pictures alone (*plain*) and seen with their like along the neighbour graph
(*smooth*). Each foretells every answer before it learns from it; *smooth* is served until *plain*
has been right so much more often, where they differ, that it is beyond doubt.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.engine.answers import (
    MORE,
    AttributeCreated,
    AttributeDeleted,
    Compared,
    Labelled,
    Space,
)
from saccade.engine.events import Entry
from saccade.engine.learning.axis import Axis
from saccade.engine.recipe import Recipe
from saccade.kernels.hybrid import ALIKE, ORDERED, POINT
from saccade.types import State, Vectors

FORMS = ("plain", "smooth")
LEARNER = "hybrid-online"
OPTIONS = {"C": 4.0}
"""More than a search's: careful labels; chosen on osr, judged on pubfig, see docs/concepts."""
MOST_HEARD = 30
OWN_WAY = 100

Learners = dict[str, Any]  # by form
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Said:
    """One answer: `second` is empty where it was about one picture."""

    event: int
    first: str
    second: str
    grade: int  # of a picture; of a pair 1 for more, 0 for alike


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What one person said, and their learners; never changed, only replaced."""

    said: tuple[Said, ...] = ()
    learners: Learners = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.said)

    def weights(self, form: str, width: int) -> NDArray[np.float64]:
        """The direction they taught; none where they only compared pictures that look the same."""
        learner = self.learners.get(form)
        if learner is None or learner.width is None:
            return np.zeros(width)
        weights: NDArray[np.float64] = learner.weights.astype(np.float64)
        return weights

    def orders(self, form: str) -> bool:
        """Whether what they said sets any picture above another."""
        return bool(self.weights(form, 1).any())

    def labels(self, form: str) -> tuple[Vectors, Whole, Whole]:
        """Their answers as a learner keeps them: vectors, kinds, grades."""
        learner = self.learners.get(form)
        if learner is None or not len(learner):
            return np.zeros((0, 1), np.float32), np.zeros(0, np.int64), np.zeros(0, np.int64)
        kept = learner.dump().arrays
        return kept["vectors"], kept["kind"], kept["grade"]


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One name: its space, what people taught, and which form was right where they differed."""

    space: Space
    digest: str
    people: Mapping[str, Told] = field(default_factory=dict)
    won: tuple[int, int] = (0, 0)  # plain, smooth

    @property
    def form(self) -> str:
        """The form that is served."""
        plain, smooth = self.won
        return "plain" if plain - smooth > 2.0 * math.sqrt(plain + smooth) else "smooth"

    def answers(self, user: str) -> int:
        """Answers that a person's direction rests on, others' as far as they are heard."""
        others = sum(_heard(told) for name, told in self.people.items() if name != user)
        return len(self.people.get(user, ())) + others

    def ready(self, user: str) -> bool:
        """Whether anything is known that orders pictures for a person."""
        own = self.people.get(user, Told())
        return own.orders(self.form) or bool(self._shared(without=user).any())

    def direction(self, user: str) -> NDArray[np.float32]:
        """The weights that order pictures for a person; zeros where nothing does."""
        own, shared = self.people.get(user, Told()), self._shared(without=user)
        if not own.orders(self.form) and not own.said:
            return shared.astype(np.float32)
        if len(own) > OWN_WAY or not shared.any():
            return own.weights(self.form, self.space.width).astype(np.float32)
        learner = rankers.make(LEARNER, **OPTIONS, start=shared)
        learner.fit_labels(**given(*own.labels(self.form)))
        weights: NDArray[np.float32] = learner.weights
        return weights

    def _shared(self, without: str) -> NDArray[np.float64]:
        total, heard = np.zeros(self.space.width), 0
        for name in sorted(self.people):
            told = self.people[name]
            if name != without and told.said:
                total += _heard(told) * told.weights(self.form, self.space.width)
                heard += _heard(told)
        return total / max(1, heard)

    def taught(self, entry: Entry, answer: Labelled | Compared) -> Attribute:
        """The attribute after one more answer."""
        told = self.people.get(entry.user, Told())
        learners = {form: _twin(told.learners.get(form)) for form in FORMS}
        right = [_foretold(learners[form], answer, form) for form in FORMS]
        won = self.won
        if None not in right and right[0] != right[1]:
            won = (won[0] + bool(right[0]), won[1] + bool(right[1]))
        for form, learner in learners.items():
            learner.learn_labels(**_label(answer, form))
        said = (*told.said, _said(entry.event_id, answer))
        return replace(self, people={**self.people, entry.user: Told(said, learners)}, won=won)


class Attributes:
    """Every attribute of a store, by name."""

    kinds = frozenset(
        kind.kind for kind in (AttributeCreated, AttributeDeleted, Labelled, Compared)
    )

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self.known: dict[str, Attribute] = {}

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Learn from one event; an answer about what is not there, or seen otherwise, says nothing.

        That happens to answers from before a deletion, and to those from another store.
        """
        record = entry.record
        if isinstance(record, AttributeCreated):
            self.known.setdefault(record.attribute, Attribute(record.space, record.space.digest))
        elif isinstance(record, AttributeDeleted):
            self.known.pop(record.attribute, None)
        elif isinstance(record, Labelled | Compared):
            found = self.known.get(record.attribute)
            fits = found is not None and record.looks.plain.shape[1] == found.space.width
            if found is not None and fits and record.space == found.digest:
                self.known[record.attribute] = found.taught(entry, record)

    def copy(self) -> Attributes:
        """An independent copy; what people said is immutable, so it is cheap."""
        twin = Attributes(self._recipe)
        twin.known = dict(self.known)
        return twin

    def dump(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The whole state; nothing where no attribute was made."""
        lines: dict[str, Any] = {}
        arrays: dict[str, NDArray[Any]] = {}
        for number, (name, one) in enumerate(sorted(self.known.items())):
            spec, centres = one.space.encode()
            people: dict[str, Any] = {}
            lines[name] = {"space": spec, "won": list(one.won), "people": people}
            arrays |= {f"attributes/{number}/{key}": array for key, array in centres.items()}
            for place, (user, told) in enumerate(sorted(one.people.items())):
                specs = {}
                for form, learner in told.learners.items():
                    state = learner.dump()
                    specs[form] = dict(state.spec)
                    start = f"attributes/{number}/{place}/{form}/"
                    arrays |= {start + key: array for key, array in state.arrays.items()}
                said = [[s.event, s.first, s.second, s.grade] for s in told.said]
                people[user] = {"said": said, "learners": specs}
        return ({"attributes": lines} if lines else {}), arrays

    def load(self, body: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take on what `dump` gave."""
        for number, (name, line) in enumerate(sorted(body.get("attributes", {}).items())):
            space = Space.decode(line["space"], _under(arrays, f"attributes/{number}/"))
            people = {}
            for place, (user, told) in enumerate(sorted(line["people"].items())):
                learners = {}
                for form, spec in told["learners"].items():
                    mine = _under(arrays, f"attributes/{number}/{place}/{form}/")
                    learners[form] = rankers.load(State(LEARNER, spec, mine))
                people[user] = Told(tuple(Said(*one) for one in told["said"]), learners)
            plain, smooth = line["won"]
            self.known[name] = Attribute(space, space.digest, people, (plain, smooth))


def given(vectors: Vectors, kind: Whole, grade: Whole) -> dict[str, Any]:
    """Labels as a learner takes them; of pairs only the difference is kept, and it is enough."""
    found: dict[str, Any] = {}
    if (kind == POINT).any():
        found["points"] = (vectors[kind == POINT], grade[kind == POINT])
    for name, number in (("ordered", ORDERED), ("similar", ALIKE)):
        rows = vectors[kind == number]
        if len(rows):
            found[name] = (rows, np.zeros_like(rows))
    return found


def _heard(told: Told) -> int:
    return min(len(told), MOST_HEARD)


def _twin(learner: Any) -> Any:
    """A learner that may learn: labels and weights are replaced in it, never changed."""
    return rankers.make(LEARNER, **OPTIONS) if learner is None else copy.copy(learner)


def _said(event: int, answer: Labelled | Compared) -> Said:
    if isinstance(answer, Labelled):
        return Said(event, answer.image, "", answer.grade)
    return Said(event, answer.first, answer.second, int(answer.order == MORE))


def _label(answer: Labelled | Compared, form: str) -> dict[str, Any]:
    rows = getattr(answer.looks, form)
    if isinstance(answer, Labelled):
        return {"points": (rows, np.array([answer.grade]))}
    return {"ordered" if answer.order == MORE else "similar": (rows[:1], rows[1:])}


def _foretold(learner: Any, answer: Labelled | Compared, form: str) -> bool | None:
    """Whether a learner would have said so; None where it has no opinion on such a question."""
    rows = getattr(answer.looks, form)
    if not len(learner):
        return None
    scores = learner.score(rows)
    if isinstance(answer, Labelled):
        edges = learner.thresholds
        two = len(edges) == 1 and answer.grade in (-1, 1)
        return bool((scores[0] > edges[0]) == (answer.grade > 0)) if two else None
    return bool(scores[0] > scores[1]) if answer.order == MORE else None


def _under(arrays: Mapping[str, NDArray[Any]], start: str) -> dict[str, NDArray[Any]]:
    return {n.removeprefix(start): array for n, array in arrays.items() if n.startswith(start)}

"""Directions that people named and taught: one learner a person and form, and what they agree on.

    w_u        what person u taught: `hybrid-online` over their answers alone
    shared     what several of the others agree on (`agreement`); nothing where no two do
    served_u   what u's answers make of the shared direction (`belief`)

so a person starts from what others agree on, and their own word goes before it. Nobody's learner
sees another's answers. Who has said much (OWN_WAY) has no need of others.

Who puts an attribute away does so for themselves: it stays for everybody else, and comes back by
taking that word back. A name that nobody who taught it keeps may be made anew.

There are two forms: pictures alone (*plain*) and seen with their like along the neighbour graph
(*smooth*). Each foretells every answer before it learns from it; *smooth* is served until *plain*
has been right so much more often, where they differ, that it is beyond doubt: in the answers that a
person's direction rests on. Whether people agree is judged by *smooth*, which foretells more.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.engine.attributes.agreement import Agreed, Opinion, agreed
from saccade.engine.attributes.records import (
    MORE,
    AttributeCompared,
    AttributeCreated,
    AttributeHidden,
    AttributeLabelled,
    Space,
)
from saccade.engine.events import Entry
from saccade.engine.learning.axis import Axis
from saccade.engine.names import visits
from saccade.engine.recipe import Recipe
from saccade.types import Array, Arrays, Encoded, Spec, State, Vectors

if TYPE_CHECKING:
    from saccade.rankers.hybrid_online import HybridOnline

FORMS = ("plain", "smooth")
JUDGED = "smooth"
LEARNER: Final = "hybrid-online"
OPTIONS = {"C": 4.0}
"""More than a search's: careful labels; chosen on osr, judged on pubfig, see docs/concepts."""
OWN_WAY = 100

Learners = dict[str, "HybridOnline"]  # by form
OneAnswer = AttributeLabelled | AttributeCompared
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer: `second` is empty where it was about one picture."""

    event: int
    first: str
    second: str
    grade: int  # of a picture; of a pair 1 for more, 0 for alike


@dataclass(frozen=True, slots=True, eq=False)
class PersonAnswers:
    """What one person said, and their learners; never changed, only replaced."""

    answers: tuple[GivenAnswer, ...] = ()
    learners: Learners = field(default_factory=dict)
    won: tuple[int, int] = (0, 0)  # which form was right where they differed: plain, smooth

    def __len__(self) -> int:
        return len(self.answers)

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
        arrays = learner.dump().arrays
        return arrays["vectors"], arrays["kind"], arrays["grade"]


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One name: its space, what people taught, and who has put it away."""

    space: Space
    digest: str
    people: Mapping[str, PersonAnswers] = field(default_factory=dict)
    hidden: Mapping[str, int] = field(default_factory=dict)  # who put it away -> by which event
    _agreed: dict[str, Agreed] = field(default_factory=dict, init=False)  # computed when asked for

    def form(self, user: str) -> str:
        """The form that is served to a person."""
        won = [self.people[name].won for name in self.heard(user)]
        plain, smooth = (sum(one[form] for one in won) for form in (0, 1))
        return "plain" if plain - smooth > 2.0 * math.sqrt(plain + smooth) else "smooth"

    @property
    def abandoned(self) -> bool:
        """Whether somebody put it away and nobody who taught it keeps it."""
        teachers = {user for user, one in self.people.items() if one.answers}
        return bool(self.hidden) and teachers <= self.hidden.keys()

    def answers(self, user: str) -> int:
        """Answers that a person's direction rests on: theirs, and of others those that agree."""
        return sum(len(self.people[name]) for name in self.heard(user))

    def heard(self, user: str) -> tuple[str, ...]:
        """Whose answers a person's direction rests on."""
        own = {user} & self.people.keys()
        return tuple(sorted(own.union(self._shared(without=user).heard)))

    def ready(self, user: str) -> bool:
        """Whether anything is known that orders pictures for a person."""
        own = self.people.get(user, PersonAnswers())
        return own.orders(self.form(user)) or bool(self._shared(without=user).heard)

    def shared(self, user: str) -> NDArray[np.float64]:
        """What others agree on, as long as their own directions are; zeros where nothing is."""
        return self._start(user, self.form(user))

    def start_direction(self, user: str) -> NDArray[np.float64]:
        """The direction that a person starts from: who has said much has no need of others."""
        own = self.people.get(user, PersonAnswers())
        return np.zeros(self.space.width) if len(own) > OWN_WAY else self.shared(user)

    def part(self, descriptor: str) -> slice:
        """Where a descriptor's weights lie; nowhere where it has no part."""
        start = 0
        for part in self.space.blend.parts:
            if part.name == descriptor:
                return slice(start, start + len(part.centre))
            start += len(part.centre)
        return slice(0, 0)

    def labels(self, names: Iterable[str], form: str) -> tuple[Vectors, Whole, Whole]:
        """What some people said, as one learner keeps it."""
        each = [self.people[name].labels(form) for name in names if name in self.people]
        heard = [labels for labels in each if len(labels[1])]
        if not heard:
            empty = np.zeros((0, self.space.width), np.float32)
            return empty, np.zeros(0, np.int64), np.zeros(0, np.int64)
        vectors, kind, grade = (np.concatenate(part) for part in zip(*heard, strict=True))
        return vectors, kind, grade

    def _start(self, user: str, form: str) -> NDArray[np.float64]:
        """What others agree on, as long as their own directions are."""
        shared = self._shared(without=user)
        if not shared.heard:
            return np.zeros(self.space.width)
        each = {name: self.people[name].weights(form, self.space.width) for name in shared.heard}
        return shared.direction(each) * float(np.mean([np.linalg.norm(w) for w in each.values()]))

    def _shared(self, without: str) -> Agreed:
        key = without if without in self.people else ""
        if key not in self._agreed:
            came = sorted(
                (person.answers[0].event, name)
                for name, person in self.people.items()
                if person.answers and name != key and not visits(name)
            )
            self._agreed[key] = agreed(self._opinion(name) for _, name in came)
        return self._agreed[key]

    def _opinion(self, user: str) -> Opinion:
        person = self.people[user]
        weights = person.weights(JUDGED, self.space.width)
        return Opinion.of(user, weights, *person.labels(JUDGED))

    def with_answer(self, entry: Entry, answer: OneAnswer) -> Attribute:
        """The attribute after one more answer."""
        person = self.people.get(entry.user, PersonAnswers())
        learners = {form: _twin(person.learners.get(form)) for form in FORMS}
        right = [_foretold(learners[form], answer, form) for form in FORMS]
        won = person.won
        if None not in right and right[0] != right[1]:
            won = (won[0] + bool(right[0]), won[1] + bool(right[1]))
        for form, learner in learners.items():
            learner.learn_labels(**_label(answer, form))
        answers = (*person.answers, _line(entry.event_id, answer))
        people = {**self.people, entry.user: PersonAnswers(answers, learners, won)}
        return replace(self, people=people)


class AttributeFold:
    """Every attribute of a store, by name."""

    kinds = frozenset(
        kind.kind
        for kind in (AttributeCreated, AttributeHidden, AttributeLabelled, AttributeCompared)
    )

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self.by_name: dict[str, Attribute] = {}

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Learn from one event; an answer about what is not there, or seen otherwise, says nothing.

        That happens to answers from before it was made anew, and to those from another store.
        """
        record = entry.record
        assert isinstance(record, AttributeCreated | AttributeHidden | OneAnswer)
        attribute = self.by_name.get(record.attribute)
        if isinstance(record, AttributeCreated):
            if attribute is None or attribute.abandoned:
                self.by_name[record.attribute] = Attribute(record.space, record.space.digest)
        elif attribute is None:
            return
        elif isinstance(record, AttributeHidden):
            hidden = {**attribute.hidden, entry.user: entry.event_id}
            self.by_name[record.attribute] = replace(attribute, hidden=hidden)
        elif (record.space, record.looks.plain.shape[1]) == (
            attribute.digest,
            attribute.space.width,
        ):
            self.by_name[record.attribute] = attribute.with_answer(entry, record)

    def copy(self) -> AttributeFold:
        """An independent copy; what people said is immutable, so it is cheap."""
        twin = AttributeFold(self._recipe)
        twin.by_name = dict(self.by_name)
        return twin

    def dump(self) -> Encoded:
        """The whole state; nothing where no attribute was made."""
        lines: dict[str, Any] = {}
        arrays: dict[str, Array] = {}
        for number, (name, one) in enumerate(sorted(self.by_name.items())):
            spec, centres = one.space.encode()
            people: dict[str, Any] = {}
            lines[name] = {"space": spec, "people": people}
            if one.hidden:
                lines[name]["hidden"] = dict(sorted(one.hidden.items()))
            arrays |= {f"attributes/{number}/{key}": array for key, array in centres.items()}
            for place, (user, person) in enumerate(sorted(one.people.items())):
                specs = {}
                for form, learner in person.learners.items():
                    state = learner.dump()
                    specs[form] = dict(state.spec)
                    start = f"attributes/{number}/{place}/{form}/"
                    arrays |= {start + key: array for key, array in state.arrays.items()}
                answers = [[a.event, a.first, a.second, a.grade] for a in person.answers]
                people[user] = {"said": answers, "learners": specs, "won": list(person.won)}
        return ({"attributes": lines} if lines else {}), arrays

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        from saccade.rankers.hybrid_online import HybridOnline

        for number, (name, line) in enumerate(sorted(body.get("attributes", {}).items())):
            space = Space.decode(line["space"], _under(arrays, f"attributes/{number}/"))
            people = {}
            for place, (user, person) in enumerate(sorted(line["people"].items())):
                learners = {}
                for form, spec in person["learners"].items():
                    mine = _under(arrays, f"attributes/{number}/{place}/{form}/")
                    learners[form] = HybridOnline.load(State(LEARNER, spec, mine))
                answers = tuple(GivenAnswer(*one) for one in person["said"])
                plain, smooth = person["won"]
                people[user] = PersonAnswers(answers, learners, (plain, smooth))
            self.by_name[name] = Attribute(space, space.digest, people, line.get("hidden", {}))


def _twin(learner: HybridOnline | None) -> HybridOnline:
    """A learner that may learn: labels and weights are replaced in it, never changed."""
    return rankers.make(LEARNER, **OPTIONS) if learner is None else copy.copy(learner)


def _line(event: int, answer: OneAnswer) -> GivenAnswer:
    if isinstance(answer, AttributeLabelled):
        return GivenAnswer(event, answer.image, "", answer.grade)
    return GivenAnswer(event, answer.first, answer.second, int(answer.order == MORE))


def _label(answer: OneAnswer, form: str) -> dict[str, Any]:
    rows = getattr(answer.looks, form)
    if isinstance(answer, AttributeLabelled):
        return {"points": (rows, np.array([answer.grade]))}
    return {"ordered" if answer.order == MORE else "similar": (rows[:1], rows[1:])}


def _foretold(learner: HybridOnline, answer: OneAnswer, form: str) -> bool | None:
    """Whether a learner would have said so; None where it has no opinion on such a question."""
    rows = getattr(answer.looks, form)
    if not len(learner):
        return None
    scores = learner.score(rows)
    if isinstance(answer, AttributeLabelled):
        edges = learner.thresholds
        two = len(edges) == 1 and answer.grade in (-1, 1)
        return bool((scores[0] > edges[0]) == (answer.grade > 0)) if two else None
    return bool(scores[0] > scores[1]) if answer.order == MORE else None


def _under(arrays: Arrays, start: str) -> dict[str, Array]:
    return {n.removeprefix(start): array for n, array in arrays.items() if n.startswith(start)}

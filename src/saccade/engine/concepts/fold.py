"""What people said about the pictures of their concepts, and the model that follows from it.

    model = mi-online( preferences said ∪ pairs of different grade ), solved anew at each of them

The newest word counts: a picture has the grade it was given last, "b before a" takes back "a before
b", and so does a grade that says so; a preference goes before what follows from older grades. What
was said is the whole state; the model is a function of it, in arithmetic that every machine does
alike, and is made when a ranking first asks for it. Each person has their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.engine.concepts.records import Bag, ConceptGraded, ConceptPreferred
from saccade.engine.events import Entry
from saccade.engine.learning.axis import Axis
from saccade.engine.recipe import Recipe
from saccade.engine.sources.parts import PARTS
from saccade.engine.sources.regions import PAPER
from saccade.kernels.ragged import offsets_of
from saccade.rankers.bag_online import MIOnline
from saccade.types import Array, Arrays, Encoded, Phi, Spec

MEMORY = 400
"""Preferences and grades that count, the latest ones."""
MOST_PAIRS = 600
"""Pairs that follow from grades, those of the newest first."""
COST = 100.0
GAMMA, PAPER_GAMMA = 0.23, 0.085
"""Of whole embeddings, which have length 1, and of the paper's regions. Both are .3 over the mean
squared distance of two of them, chosen with C on drawn worlds."""
PARTS_COST, PARTS_ETA = 10.0, 0.01
"""Of positions, which are on a scale of their own. So flat a softmax is the average, the linear
model on the embedding: it ranks better than any that prefers the best positions, and points at the
thing rather than at the one place of it that sets it apart most (`benchmarks/parts.py`)."""

Key = tuple[str, str, str]  # person, concept, features and their number
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class ConceptLessons:
    """What one person said about one concept, in one kind of features."""

    preferences: tuple[Pair, ...] = ()  # better, worse; newest last
    grades: Mapping[str, int] = field(default_factory=dict)  # newest last
    bags: Mapping[str, Bag] = field(default_factory=dict)
    earlier: Mapping[str, MIOnline] = field(default_factory=dict, repr=False)
    """Models of before, whose features of the same bags need not be computed again."""

    def preferred(self, event: ConceptPreferred) -> ConceptLessons:
        """With one more preference; the opposite one is taken back by it."""
        new = event.better, event.worse
        others = [pair for pair in self.preferences if pair not in (new, new[::-1])]
        bags = {**self.bags, event.better: event.winner, event.worse: event.loser}
        return self._with((*others, new)[-MEMORY:], self.grades, bags)

    def graded(self, event: ConceptGraded) -> ConceptLessons:
        """With one more grade; a picture has one, and preferences that it contradicts are gone."""
        image, grade = event.image, event.grade
        others = {other: earlier for other, earlier in self.grades.items() if other != image}
        grades = dict(list({**others, image: grade}.items())[-MEMORY:])
        preferences = tuple(
            (better, worse)
            for better, worse in self.preferences
            if image not in (better, worse) or grades.get(better, grade) >= grades.get(worse, grade)
        )
        return self._with(preferences, grades, {**self.bags, image: event.bag})

    def _with(
        self, preferences: tuple[Pair, ...], grades: Mapping[str, int], bags: Mapping[str, Bag]
    ) -> ConceptLessons:
        """Without the regions of pictures that nothing is said about any more."""
        named = {image for pair in preferences for image in pair} | set(grades)
        bags = {image: bag for image, bag in bags.items() if image in named}
        return ConceptLessons(preferences, grades, bags, dict(self._models) or self.earlier)

    def pairs(self, most: int = MOST_PAIRS) -> tuple[Pair, ...]:
        """Every preference: those said, and those that follow from grades."""
        graded, newest = [], list(self.grades.items())[::-1]
        for i, (image, grade) in enumerate(newest):
            for other, lower in newest[:i]:
                if lower != grade:
                    graded.append((image, other) if grade > lower else (other, image))
        stated = {pair for one in self.preferences for pair in (one, one[::-1])}
        follow = [pair for pair in graded[:most] if pair not in stated]
        return (*self.preferences, *follow)

    def lesson(self, most: int = MOST_PAIRS) -> tuple[list[Phi], NDArray[np.int64]]:
        """The bags and the pairs between them, as rankers take them."""
        place = {image: i for i, image in enumerate(self.bags)}
        order = [(place[a], place[b]) for a, b in self.pairs(most)]
        bags = [np.asarray(bag, np.float32) for bag in self.bags.values()]
        return bags, np.array(order, np.int64).reshape(-1, 2)

    def model(self, features: str) -> MIOnline | None:
        """What follows, or None while nothing is said to be better than anything."""
        return self._models.get(features) or self._solved(features)

    @cached_property
    def _models(self) -> dict[str, MIOnline]:
        return {}

    def _solved(self, features: str) -> MIOnline | None:
        bags, pairs = self.lesson()
        if not len(pairs):
            return None
        before = self.earlier.get(features)
        model = copy(before) if before is not None else learner(features)
        self._models[features] = model.fit_bags(bags, pairs)
        return model


def learner(features: str) -> MIOnline:
    """An untaught ranker of pictures seen as this."""
    if features.startswith(PARTS):
        return MIOnline(C=PARTS_COST, kernel="linear", eta=PARTS_ETA)
    return MIOnline(C=COST, gamma=PAPER_GAMMA if features == PAPER else GAMMA)


class ConceptFold:
    """Everything said about concepts."""

    kinds = frozenset((ConceptGraded.kind, ConceptPreferred.kind))

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._lessons: dict[Key, ConceptLessons] = {}

    def of(self, user: str, concept: str, features: str, width: int) -> ConceptLessons:
        """What a person said about a concept; nothing is fine."""
        return self._lessons.get((user, concept, f"{features}/{width}"), ConceptLessons())

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Take in one more word."""
        match entry.record:
            case ConceptGraded() as event:
                key = _key(entry.user, event.concept, event.features, event.bag)
                self._lessons[key] = self._lessons.get(key, ConceptLessons()).graded(event)
            case ConceptPreferred() as event:
                key = _key(entry.user, event.concept, event.features, event.winner)
                self._lessons[key] = self._lessons.get(key, ConceptLessons()).preferred(event)

    def copy(self) -> ConceptFold:
        """An independent copy; what is said is never changed in place."""
        twin = ConceptFold(self._recipe)
        twin._lessons = dict(self._lessons)
        return twin

    def dump(self) -> Encoded:
        """The whole state; nothing where nobody said anything."""
        body: dict[str, Any] = {}
        arrays: dict[str, Array] = {}
        lines = []
        for number, (key, lessons) in enumerate(sorted(self._lessons.items())):
            grades = [[image, grade] for image, grade in lessons.grades.items()]
            pairs = [list(pair) for pair in lessons.preferences]
            lines.append([*key, pairs, grades, list(lessons.bags)])
            arrays[f"concept/{number}/rows"] = np.concatenate(list(lessons.bags.values()))
            arrays[f"concept/{number}/starts"] = offsets_of([len(b) for b in lessons.bags.values()])
        if lines:
            body["concepts"] = lines
        return body, arrays

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        self._lessons = {}
        for number, line in enumerate(body.get("concepts", ())):
            user, concept, features, pairs, grades, images = line
            rows = np.array(arrays[f"concept/{number}/rows"], np.float16)
            starts = arrays[f"concept/{number}/starts"].tolist()
            bags = {im: rows[starts[i] : starts[i + 1]] for i, im in enumerate(images)}
            stated = tuple((better, worse) for better, worse in pairs)
            self._lessons[user, concept, features] = ConceptLessons(stated, dict(grades), bags)


def _key(user: str, concept: str, features: str, bag: Bag) -> Key:
    return user, concept, f"{features}/{bag.shape[1]}"

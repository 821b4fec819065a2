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

from saccade.engine.events import Entry
from saccade.engine.graded import Bag, Graded, Placed, Tagged
from saccade.engine.learning.axis import Axis
from saccade.engine.recipe import Recipe
from saccade.kernels.ragged import offsets_of
from saccade.rankers.bag_online import MIOnline
from saccade.types import Phi

MEMORY = 400
"""Preferences and grades that count, the latest ones."""
MOST_PAIRS = 600
"""Pairs that follow from grades, those of the newest first."""
PAPER = "paper"
GAMMAS = {PAPER: 0.085}
GAMMA = 0.23
"""Of embeddings, which have length 1. Both are .3 over the mean squared distance of two regions,
chosen with C on drawn worlds; `docs/concepts/concepts.md` says what that gave on photographs."""
COST = 100.0

Key = tuple[str, str, str]  # person, concept, features and their number
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Taught:
    """What one person said about one concept, in one kind of features."""

    preferences: tuple[Pair, ...] = ()  # better, worse; newest last
    grades: Mapping[str, int] = field(default_factory=dict)  # newest last
    bags: Mapping[str, Bag] = field(default_factory=dict)
    earlier: Mapping[str, MIOnline] = field(default_factory=dict, repr=False)
    """Models of before, whose features of the same bags need not be computed again."""

    def placed(self, said: Placed) -> Taught:
        """With one more preference; the opposite one is taken back by it."""
        new = said.better, said.worse
        kept = [pair for pair in self.preferences if pair not in (new, new[::-1])]
        bags = {**self.bags, said.better: said.winner, said.worse: said.loser}
        return self._with((*kept, new)[-MEMORY:], self.grades, bags)

    def graded(self, said: Graded) -> Taught:
        """With one more grade; a picture has one, and preferences that it contradicts are gone."""
        others = {image: grade for image, grade in self.grades.items() if image != said.image}
        grades = dict(list({**others, said.image: said.grade}.items())[-MEMORY:])
        kept = tuple(
            (better, worse)
            for better, worse in self.preferences
            if said.image not in (better, worse)
            or grades.get(better, said.grade) >= grades.get(worse, said.grade)
        )
        return self._with(kept, grades, {**self.bags, said.image: said.bag})

    def _with(
        self, preferences: tuple[Pair, ...], grades: Mapping[str, int], bags: Mapping[str, Bag]
    ) -> Taught:
        """Without the regions of pictures that nothing is said about any more."""
        named = {image for pair in preferences for image in pair} | set(grades)
        kept = {image: bag for image, bag in bags.items() if image in named}
        return Taught(preferences, grades, kept, dict(self._models) or self.earlier)

    def pairs(self, most: int = MOST_PAIRS) -> tuple[Pair, ...]:
        """Every preference: those said, and those that follow from grades."""
        graded, newest = [], list(self.grades.items())[::-1]
        for i, (image, grade) in enumerate(newest):
            for other, lower in newest[:i]:
                if lower != grade:
                    graded.append((image, other) if grade > lower else (other, image))
        said = {pair for one in self.preferences for pair in (one, one[::-1])}
        follow = [pair for pair in graded[:most] if pair not in said]
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
        fresh = MIOnline(C=COST, gamma=GAMMAS.get(features, GAMMA))
        model = copy(before) if before is not None else fresh
        self._models[features] = model.fit_bags(bags, pairs)
        return model


class Concepts:
    """Everything said about concepts, and who gave which tag."""

    kinds = frozenset((Graded.kind, Placed.kind, Tagged.kind))

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._taught: dict[Key, Taught] = {}
        self._tags: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, user: str, concept: str, features: str, width: int) -> Taught:
        """What a person said about a concept; nothing is fine."""
        return self._taught.get((user, concept, f"{features}/{width}"), Taught())

    def tags(self, user: str) -> dict[str, tuple[str, ...]]:
        """A person's tags and the images that have them."""
        return {tag: images for (who, tag), images in self._tags.items() if who == user}

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Take in one more word."""
        match entry.record:
            case Tagged(tag, images, gone):
                kept = self._tags.get((entry.user, tag), ())
                every = dict.fromkeys((*(i for i in kept if i not in gone), *images))
                self._tags[entry.user, tag] = tuple(every)
                if not every:
                    del self._tags[entry.user, tag]
            case Graded() as said:
                key = _key(entry.user, said.concept, said.features, said.bag)
                self._taught[key] = self._taught.get(key, Taught()).graded(said)
            case Placed() as said:
                key = _key(entry.user, said.concept, said.features, said.winner)
                self._taught[key] = self._taught.get(key, Taught()).placed(said)

    def copy(self) -> Concepts:
        """An independent copy; what is said is never changed in place."""
        twin = Concepts(self._recipe)
        twin._taught, twin._tags = dict(self._taught), dict(self._tags)
        return twin

    def dump(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The whole state; nothing where nobody said anything."""
        body: dict[str, Any] = {}
        arrays: dict[str, NDArray[Any]] = {}
        if self._tags:
            body["tags"] = [[*key, list(images)] for key, images in sorted(self._tags.items())]
        lines = []
        for number, (key, taught) in enumerate(sorted(self._taught.items())):
            grades = [[image, grade] for image, grade in taught.grades.items()]
            pairs = [list(pair) for pair in taught.preferences]
            lines.append([*key, pairs, grades, list(taught.bags)])
            arrays[f"concept/{number}/rows"] = np.concatenate(list(taught.bags.values()))
            arrays[f"concept/{number}/starts"] = offsets_of([len(b) for b in taught.bags.values()])
        if lines:
            body["concepts"] = lines
        return body, arrays

    def load(self, body: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take on what `dump` gave."""
        self._tags = {(u, tag): tuple(images) for u, tag, images in body.get("tags", ())}
        self._taught = {}
        for number, line in enumerate(body.get("concepts", ())):
            user, concept, features, pairs, grades, images = line
            rows = np.array(arrays[f"concept/{number}/rows"], np.float16)
            starts = arrays[f"concept/{number}/starts"].tolist()
            bags = {im: rows[starts[i] : starts[i + 1]] for i, im in enumerate(images)}
            said = tuple((better, worse) for better, worse in pairs)
            self._taught[user, concept, features] = Taught(said, dict(grades), bags)


def _key(user: str, concept: str, features: str, bag: Bag) -> Key:
    return user, concept, f"{features}/{bag.shape[1]}"

"""Which kinds of things are near a word: what a picture of it is likely to show, without labels.

A classifier knows a thousand kinds. What it would say of another thing is estimated from words
alone, by kernel ridge regression (a Gaussian process with the kinds as its examples):

    a(u) = (K + λ I)^-1 (k(u) − k̄)           one weight a kind; k̄ the mean of the kinds' own k
    k(u, v) = .30 tree² + .25 name + .45 definition + .15 shared words
              .20       + .45      + .45            + .15   of a scene: a place, a time, an act

    tree         Lin's similarity: how specific the lowest common ancestor is; parts and wholes
                 count as near as their own relatives, a person as near as what people wear
    name         exp(−2 |x − y|²) of the names' vectors
    definition   the same of the definitions' vectors (`vectors.Vectors.definition`)
    shared       cosine of the definitions' words, weighed by how rare they are

A kind with a large weight stands for the word; two kinds that are near to each other share one
weight instead of being counted twice, which is what averaging over near words gets wrong. The
shares were chosen so that each of the thousand kinds, left out with its relatives, is predicted
best from the others: the prediction is compared with the classifier's own weights for it. A scene
looks like what is found there and less like its relatives: its name, by the company that it keeps,
says more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from vectors import Vectors
from wordnet import WordNet, below, words


@dataclass(frozen=True, slots=True)
class Shares:
    """What each kernel counts for."""

    tree: float
    name: float
    definition: float
    shared: float


THING = Shares(0.30, 0.25, 0.45, 0.15)
SCENE = Shares(0.20, 0.45, 0.45, 0.15)
PLACES = (27167, 4341686, 9287968)  # locations, structures, geological formations
HAPPENING = (4, 11, 19, 28)  # lexicographers' files: acts, events, phenomena, times
BREEDS = (2084071, 2121808)  # of dogs and cats
WIDTH = 2.0
RIDGE = 0.3
RELATED = 0.7
WEARS = 0.6
PERSON, PEOPLE, ANIMAL = 7846, 7942152, 15388
PERSONS = (PERSON, PEOPLE)
BODIES = (8,)  # lexicographers' files: parts of the body
CLOTHING = 3051540
_DEPTH, _FROM_ABOVE, _OF_NAME = 2, 0.5, 0.5

Array = NDArray[np.float64]


class Near:
    """Kinds near any word, by its meanings."""

    def __init__(self, net: WordNet, vectors: Vectors, kinds: Sequence[int]) -> None:
        self.net, self.vectors, self.kinds = net, vectors, list(kinds)
        self.below = below(net, self.kinds)
        self.names = np.array([self._name(offset) for offset in kinds])
        self.definitions = np.array([vectors.definition(offset) for offset in kinds])
        self.vocabulary: dict[str, int] = {}
        bags = [self._bag(offset) for offset in kinds]
        for bag in bags:
            for word in bag:
                self.vocabulary.setdefault(word, len(self.vocabulary))
        self.bags = np.zeros((len(self.vocabulary), len(self.kinds)))
        for kind, bag in enumerate(bags):
            places, values = self._weighed(bag)
            self.bags[places, kind] = values
        self.information = np.array([net.information[offset] for offset in kinds])
        self.trees = np.array([self._tree(offset) for offset in kinds])
        own = (
            THING.tree * self.trees**2
            + THING.name * _close(self.names, self.names)
            + THING.definition * _close(self.definitions, self.definitions)
            + THING.shared * self.bags.T @ self.bags
        )
        self.middle = own.mean(0)
        people = set(self.below[PERSON])
        self.breeds = [kind for above in BREEDS for kind in self.below[above]]
        self.beasts = [kind for kind in self.below[ANIMAL] if kind not in people]
        self.inverse = np.linalg.inv(own + RIDGE * np.eye(len(self.kinds)))

    def weights(self, lemma: str, meanings: dict[int, float]) -> Array:
        """a(u) of a lemma whose meanings have these shares, [kinds]."""
        out, by_name = -self.middle, 0.0
        for offset, share in meanings.items():
            kernels = SCENE if self._scene(offset) else THING
            out = out + share * self._meant(offset, kernels)
            by_name += share * kernels.name
        name = self.vectors.name(lemma)
        if name.any():
            out = out + by_name * _close(name[None], self.names)[0]
        weights = self.inverse @ out
        if sum(share for offset, share in meanings.items() if self._place(offset)) > 0.5:
            # Breeds are called after places, and are not what is seen there.
            weights[self.breeds] = 0.0
        if sum(share for offset, share in meanings.items() if self._human(offset)) > 0.5:
            # Definitions say "female" of women and of hens; they do not look alike.
            weights[self.beasts] = 0.0
        return np.asarray(weights)

    def _human(self, offset: int) -> bool:
        of_people = not self.net.ancestors(offset).isdisjoint(PERSONS)
        return of_people or self.net.synsets[offset].category in BODIES

    def _place(self, offset: int) -> bool:
        return not self.net.ancestors(offset).isdisjoint(PLACES)

    def _scene(self, offset: int) -> bool:
        return self._place(offset) or self.net.synsets[offset].category in HAPPENING

    def _meant(self, offset: int, kernels: Shares) -> Array:
        tree = self._tree(offset)
        for other in self.net.synsets[offset].beside:
            tree = np.maximum(tree, RELATED * self._tree(other))
        if not self.net.ancestors(offset).isdisjoint(PERSONS):
            # No kind is a person, or hardly one; what people wear shows where they are.
            tree = np.maximum(tree, WEARS * self._tree(CLOTHING))
        definition = _close(self.vectors.definition(offset)[None], self.definitions)[0]
        places, values = self._weighed(self._bag(offset))
        shared = values @ self.bags[places]
        return np.asarray(
            kernels.tree * tree**2 + kernels.definition * definition + kernels.shared * shared
        )

    def _tree(self, offset: int) -> Array:
        """Lin's similarity to each kind: 2 IC(common ancestor) / (IC + IC)."""
        information, out = self.net.information, np.zeros(len(self.kinds))
        own = self.information + information[offset]
        for above in sorted(self.net.ancestors(offset)):
            if above in self.below:
                under = list(self.below[above])
                out[under] = np.maximum(out[under], 2.0 * information[above] / own[under])
        return out

    def _name(self, offset: int) -> Array:
        """Of a kind: its first name most."""
        lemmas = self.net.synsets[offset].lemmas
        names = [self.vectors.name(lemma) for lemma in lemmas]
        total = names[0] + 0.5 * np.sum(names[1:], axis=0)
        return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9))

    def _bag(self, offset: int, depth: int = _DEPTH) -> Counter[str]:
        """Words of a definition, and of those above it a little."""
        synset, found = self.net.synsets[offset], Counter[str]()
        for word in words(synset.definition):
            found[self.net.singular(word) or word] += 1.0  # type: ignore[assignment]
        for lemma in synset.lemmas:
            for part in lemma.replace("-", "_").split("_"):
                found[part] += _OF_NAME  # type: ignore[assignment]
        for above in synset.above if depth else ():
            for word, count in self._bag(above, depth - 1).items():
                found[word] += _FROM_ABOVE * count  # type: ignore[assignment]
        return found

    def _weighed(self, bag: Counter[str]) -> tuple[list[int], Array]:
        """A bag as a vector of length 1 over all words: places and values of those of kinds."""
        total = len(self.net.synsets)
        values = {
            word: count * math.log(total / (1 + self.net.mentions[word]))
            for word, count in bag.items()
        }
        length = max(math.sqrt(sum(value**2 for value in values.values())), 1e-9)
        found = {self.vocabulary[w]: v / length for w, v in values.items() if w in self.vocabulary}
        return list(found), np.array(list(found.values()))


def _close(one: Array, other: Array) -> Array:
    """exp(−2 |x − y|²) of unit vectors."""
    return np.exp(-WIDTH * np.maximum(0.0, 2.0 - 2.0 * one @ other.T))

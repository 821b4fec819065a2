"""The retrieval configurations of Aly (2011), declared once: how words are made × how compared.

    {AKM small, medium, large, HKM large} × {tf-idf,l2,cos  binary,l2,l2  binary,l1,l1  none,l1,l1
    none,l2,l2}

The paper's vocabularies have 10,000, 100,000 and 1,000,000 words for 100,000 pictures and more.
Here the large one has a word for every four descriptors of the collection, up to a million
(`saccade.words.sizing`), and the others a tenth and a hundredth of it, as in the paper.

A `Bank` holds a collection under all vocabularies. Its configurations share a query's features, its
words under each vocabulary, and the walk over each file's postings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, UnknownName
from saccade.kernels.ragged import offsets_of
from saccade.types import Array, Rows, Scores
from saccade.words import akm, hkm, sizing
from saccade.words.five_ways import WAYS, FiveWays
from saccade.words.inverted import InvertedFile
from saccade.words.local_features import DIMENSION, Descriptors
from saccade.words.training import Report, checked
from saccade.words.vocabulary import Vocabulary, bag
from saccade.words.weighting import Comparison

VOCABULARIES = ("akm-small", "akm-medium", "akm-large", "hkm-large")
PER_WORD = 4
"""Descriptors a word of the large one: finer than a store's own, which serves for all alike."""
_SHARE = {"akm-small": 100, "akm-medium": 10, "akm-large": 1, "hkm-large": 1}

Bags = Mapping[str, tuple[NDArray[np.int32], NDArray[np.int32]]]
"""A picture's words and counts under each vocabulary."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A vocabulary and a way to compare.

    >>> Configuration.parse("akm-large:binary,l1,l1").way.weighting
    'binary'
    >>> str(FAMILY[0])
    'akm-small:tf-idf,l2,cos'
    """

    vocabulary: str
    way: Comparison

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """Read ``vocabulary:weighting,normalisation,distance``."""
        vocabulary, colon, way = text.partition(":")
        if not (vocabulary and colon and way):
            raise InvalidInput(
                f"configuration {text!r}: expected 'vocabulary:weighting,normalisation,distance',"
                " for instance 'akm-large:binary,l1,l1'"
            )
        return cls(vocabulary, Comparison.parse(way))

    def __str__(self) -> str:
        return f"{self.vocabulary}:{self.way}"


def family(vocabularies: Sequence[str] = VOCABULARIES) -> tuple[Configuration, ...]:
    """Every way with each vocabulary, vocabulary by vocabulary."""
    return tuple(Configuration(name, way) for name in vocabularies for way in WAYS)


FAMILY = family()
"""The twenty of the paper."""


def sizes_for(descriptors: int) -> dict[str, int]:
    """How many words each vocabulary should have for so many descriptors.

    >>> sizes_for(280_000)
    {'akm-small': 700, 'akm-medium': 7000, 'akm-large': 70000, 'hkm-large': 70000}
    """
    large = sizing.rounded(descriptors // PER_WORD)
    return {name: max(1, large // share) for name, share in _SHARE.items()}


def tree_for(size: int) -> tuple[int, int]:
    """Branching and depth of a tree with about `size` leaves and about ten branches a node.

    >>> tree_for(1_000_000), tree_for(70_000), tree_for(3)
    ((10, 6), (9, 5), (3, 1))
    """
    depth = max(1, round(np.log10(max(size, 1))))
    branching = max(2, round(size ** (1 / depth)))
    while branching**depth > akm.MAXIMUM:
        branching -= 1
    return branching, depth


def train(
    name: str,
    descriptors: Array,
    *,
    size: int | None = None,
    seed: int = 0,
    work: Path | None = None,
    report: Report | None = None,
) -> Vocabulary:
    """The vocabulary called `name`, sized to the descriptors [n, 128] unless `size` is given.

    With a folder `work`, a killed training goes on where it was.
    """
    if name not in _SHARE:
        raise UnknownName("vocabulary", name, _SHARE)
    wanted = size or sizes_for(len(checked(descriptors)))[name]
    if name.startswith("hkm"):
        branching, depth = tree_for(wanted)
        return hkm.train(
            descriptors, branching=branching, depth=depth, seed=seed, work=work, report=report
        )
    iterations = sizing.ITERATIONS if _SHARE[name] == 1 else akm.ITERATIONS
    return akm.train(
        descriptors, wanted, iterations=iterations, seed=seed, work=work, report=report
    )


class Bank:
    """A collection under several vocabularies, searched by all configurations together."""

    def __init__(self, vocabularies: Mapping[str, Vocabulary]) -> None:
        if not vocabularies:
            raise InvalidInput("a bank needs at least one vocabulary")
        self.vocabularies = dict(vocabularies)
        self.configurations = family(tuple(vocabularies))
        self._ways = {
            name: FiveWays(InvertedFile(vocabulary.size))
            for name, vocabulary in vocabularies.items()
        }

    @property
    def files(self) -> dict[str, InvertedFile]:
        """The inverted file of each vocabulary; counts are raw."""
        return {name: ways.file for name, ways in self._ways.items()}

    def __len__(self) -> int:
        return len(next(iter(self._ways.values())).file)

    def bags(self, descriptors: Array) -> Bags:
        """One picture's descriptors [n, 128] as a bag under each vocabulary."""
        return {name: bag(one.assign(descriptors)) for name, one in self.vocabularies.items()}

    def add(self, rows: Sequence[int] | Rows, pictures: Sequence[Descriptors]) -> None:
        """Make pictures findable: `pictures[i]`, its descriptors [n, 128], as `rows[i]`."""
        if len(rows) != len(pictures):
            raise InvalidInput(f"{len(rows)} rows and {len(pictures)} pictures do not agree")
        lengths = [len(one) for one in pictures]
        every = np.concatenate([np.zeros((0, DIMENSION), np.uint8), *pictures])
        for name, vocabulary in self.vocabularies.items():
            words = np.split(vocabulary.assign(every), np.cumsum(lengths)[:-1])
            bags = [bag(one) for one in words[: len(pictures)]]
            offsets = offsets_of([len(words) for words, _ in bags])
            none = np.empty(0, np.int32)
            self._ways[name].file.add(
                rows,
                offsets,
                np.concatenate([none, *(words for words, _ in bags)]),
                np.concatenate([none, *(counts for _, counts in bags)]),
            )

    def scores(self, bags: Bags) -> Scores:
        """The score of every row by each configuration, [configurations, rows]."""
        parts = [ways.scores(*bags[name]) for name, ways in self._ways.items()]
        return np.concatenate(parts)

    def search(self, bags: Bags, k: int) -> list[tuple[Rows, Scores]]:
        """The ranked list of each configuration: at most `k` rows that share a word, best first."""
        return [one for name, ways in self._ways.items() for one in ways.search(*bags[name], k)]

    def ranks(self, bags: Bags, row: int) -> NDArray[np.int64]:
        """At which place each configuration ranks `row`, from 1 on, [configurations].

        Ties go to the lower row; a row that shares no word with the query comes after all.
        """
        return rank_of(self.scores(bags), row)


def rank_of(scores: Scores, row: int) -> NDArray[np.int64]:
    """The place of column `row` in each row of scores [ways, n], from 1 on; ties to the lower.

    >>> rank_of(np.array([[0.5, 0.9, 0.5], [0.1, 0.2, -np.inf]]), 2)
    array([3, 4])
    """
    own = scores[:, row : row + 1]
    before = (scores > own).sum(axis=1) + (scores[:, :row] == own).sum(axis=1)
    last = np.isneginf(own[:, 0])
    return np.asarray(np.where(last, scores.shape[1], before) + 1, np.int64)

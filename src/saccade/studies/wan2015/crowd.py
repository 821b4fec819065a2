"""Figure 2 along the number of distractors: mAP of one fold among 0 … 100,000 of them.

    pictures of other folders, drawn ones  →  perturbed ones (`saccade.testbed.crowds`)

Models learn from the set alone; distractors come in at the test. First those that are pictures, in
a random order, then columns made of these. A block of columns is made, compared with every test
query and let go, so that memory does not grow with their number: all that is kept is how many
distractors stand before each relevant image.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.features.phi import Block, Column, phi
from saccade.kernels.ragged import offsets_of
from saccade.studies.collection import Images, opened
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.protocol import Sizes, Split, split
from saccade.studies.said import DISTRACTOR, kinds_of
from saccade.studies.wan2015.printed import HEURISTICS, ONLINE
from saccade.studies.wan2015.table2 import MEASURE, fitted, sizes_of
from saccade.testbed.crowds import Parents, blocks
from saccade.types import Phi, Rows, Scheme
from saccade.words.inverted import InvertedFile

SYSTEMS = (*HEURISTICS, "ranksvm*", *ONLINE)
LANDMARKS = (0, 1_000, 10_000, 100_000)
QUICK = 3_000
WORDS = "words"


def amounts(pictures: int, perturbed: int) -> tuple[int, ...]:
    """Where the curve is measured: round numbers, the last picture, the last of all.

    >>> amounts(1800, 98_200), amounts(54, 0)
    ((0, 1000, 1800, 10000, 100000), (0, 54))
    """
    whole = pictures + perturbed
    return tuple(sorted({n for n in (*LANDMARKS, pictures, whole) if n <= whole}))


def perturbed_of(data: Data, options: Options, pictures: int) -> int:
    """How many are made: as many as asked for, or up to a hundred thousand in all.

    They have vectors and words, but no anchors and no neighbours: raw φ and classical descriptors.
    """
    if data.perturbed or options.phi != "raw" or options.descriptors == "all" or pictures < 2:
        return data.perturbed
    return max(0, (QUICK if options.quick else LANDMARKS[-1]) - pictures)


def measure(task: Task) -> Outcome:
    """One system on one fold, at every amount."""
    number = int(task.part.removeprefix("fold "))
    sizes = sizes_of(task.options, task.system)
    fold, own = _split(task.data, task.options, sizes, task.seed, number)
    settings, model, _ = fitted(task.system, fold)
    with opened(task.data, task.options) as images:
        rest = np.flatnonzero(images.rows == DISTRACTOR)
        pictures = np.random.default_rng(task.seed).permutation(rest)
        perturbed = perturbed_of(task.data, task.options, len(pictures))
        at = amounts(len(pictures), perturbed)
        found = Ranks(model, fold)
        stops = _stops(found, images, own[fold.queries], pictures, perturbed, task)
        # Nothing has been let in at nought; from there on it is measured at each place.
        values = [found.precision(), *(found.precision() for stop in stops if stop in at)]
        kinds = kinds_of(task.data, [images.files[row] for row in pictures.tolist()])
    if perturbed:
        kinds["perturbed columns"] = perturbed
    notes = {"settings": settings, "distractors": kinds, "sizes": fold.sizes()}
    return Outcome([Series(MEASURE, np.round(values, 6).tolist(), at=at)], notes)


def _stops(
    found: Ranks, images: Images, queries: Rows, pictures: Rows, perturbed: int, task: Task
) -> Iterator[int]:
    """Let distractors in, as far as each place where the curve is measured."""
    at = amounts(len(pictures), perturbed)
    edges = [n for n in at if n <= len(pictures)]
    for first, last in pairwise(edges):
        for place, query in enumerate(queries.tolist()):
            found.admit(place, images.phi_of(query)[pictures[first:last]])
        yield last
    if not perturbed:
        return
    asked = Asking(images, queries)
    done = len(pictures)
    for block in blocks(asked.parents(pictures), perturbed, seed=task.seed):
        size, start = len(block), 0
        inside = [n - done for n in at if done < n < done + size]
        for stop in [*inside, size]:
            compared = asked.compared(_cut(block, start, stop))
            for place in range(len(queries)):
                found.admit(place, compared(place))
            start = stop
            yield done + stop
        done += size


def _cut(block: Parents, start: int, stop: int) -> Parents:
    vectors = {name: one[start:stop] for name, one in block.vectors.items()}
    return Parents(vectors, block.bags[start:stop])


class Ranks:
    """Where the relevant images of each test query stand among its own set, and who comes before.

    An image of the set goes before a distractor of the same score.
    """

    def __init__(self, model: Any, fold: Split) -> None:
        self.model = model
        features, grades, groups = fold.test
        scores = np.asarray(model.score(features), np.float64)
        self.relevant: list[NDArray[np.float64]] = []
        self.places: list[NDArray[np.int64]] = []
        for query in dict.fromkeys(groups.tolist()):
            mine, right = scores[groups == query], grades[groups == query] > 0
            order = np.argsort(-mine, kind="stable")
            places = np.flatnonzero(right[order]) + 1
            self.relevant.append(mine[order][places - 1])
            self.places.append(places)

    def admit(self, place: int, features: Phi) -> None:
        """Let distractors with these φ stand before the relevant images of a query they beat."""
        scores = np.sort(np.asarray(self.model.score(features), np.float64))
        before = len(scores) - np.searchsorted(scores, self.relevant[place], side="right")
        self.places[place] = self.places[place] + before

    def precision(self) -> float:
        """Mean average precision as it stands."""
        each = [np.mean(np.arange(1, len(p) + 1) / p) for p in self.places if len(p)]
        return float(np.mean(each))


class Asking:
    """Test queries, their vectors and words, and what compares them with columns that are made."""

    def __init__(self, images: Images, queries: Rows) -> None:
        self._images = images
        self._schemes = [Scheme.parse(text) for text in images.schemes]
        names = dict.fromkeys(scheme.descriptor for scheme in self._schemes)
        self._columns = {name: images.vectors_of(name) for name in names if name != WORDS}
        self._bags = images.bags_of() if WORDS in names else None
        self._queries = queries.tolist()

    def parents(self, rows: Rows) -> Parents:
        """The pictures that others are made of."""
        vectors = {name: column[rows] for name, column in self._columns.items()}
        bags = [] if self._bags is None else [self._bags.bags[row] for row in rows.tolist()]
        return Parents(vectors, bags)

    def compared(self, block: Parents) -> Any:
        """A function of a query's place: its φ to every one of a block, [n, m]."""
        columns = {name: Column(name, (Block.of(one),)) for name, one in block.vectors.items()}
        file = self._file(block.bags) if self._bags is not None else None

        def of(place: int) -> Phi:
            query = self._queries[place]
            mine = {name: column[query] for name, column in self._columns.items()}
            out = np.zeros((len(block), len(self._schemes)), np.float32)
            phi(mine, columns, self._schemes, out=out)
            if file is not None and self._bags is not None and len(self._bags.bags[query][0]):
                for number, scheme in enumerate(self._schemes):
                    if scheme.descriptor == WORDS:
                        words, counts = self._bags.bags[query]
                        args = words, counts, scheme.similarity
                        out[:, number] = file.scores_all(*args, size=len(block))
            return out

        return of

    def _file(self, bags: Sequence[Any]) -> InvertedFile:
        """An inverted file of a block, with the rarity that words have in the collection."""
        assert self._bags is not None
        file = InvertedFile(len(self._bags.idf), idf=self._bags.idf)
        none = np.empty(0, np.int32)
        file.add(
            np.arange(len(bags)),
            offsets_of([len(words) for words, _ in bags]),
            np.concatenate([none, *(words for words, _ in bags)]),
            np.concatenate([none, *(counts for _, counts in bags)]),
        )
        return file


@lru_cache(maxsize=1)
def _split(data: Data, options: Options, sizes: Sizes, seed: int, fold: int) -> tuple[Split, Rows]:
    """A fold of the set without its distractors, and which images the set's are."""
    with opened(data, options) as images:
        own = np.flatnonzero(images.rows != DISTRACTOR)
        found = split(
            images.labels[own],
            lambda query: images.phi_of(int(own[query]))[own],
            sizes,
            seed=seed,
            fold=fold,
        )
        return found, own

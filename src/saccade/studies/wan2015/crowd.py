"""Figure 2 along the number of distractors: mAP of each fold among 0 … 100,000 of them.

    pictures of other folders, drawn ones  →  perturbed ones (`saccade.testbed.crowds`)

A third of the distractors that are pictures teaches, the others come in at the test, in a random
order, and after them columns made of them. At each place of the curve stands a model that learned
among as many of the teaching ones as there are in the test, or all. A block of columns is made,
compared with every test query and let go, so that memory does not grow with their number: all that
is kept is how many distractors stand before each relevant image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Ranker
from saccade.features.phi import Block, Column, phi
from saccade.kernels.ragged import offsets_of
from saccade.studies.collection import Images, opened
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.edges import EDGE
from saccade.studies.protocol import Graded, Sizes, Split, split
from saccade.studies.remarks import DISTRACTOR, kinds_of
from saccade.studies.wan2015.printed import HEURISTICS, ONLINE
from saccade.studies.wan2015.table2 import MEASURE, fitted, sizes_of
from saccade.testbed.crowds import Bag, Parents, blocks
from saccade.types import Phi, Rows, Scheme, Spec
from saccade.words.inverted import InvertedFile

SYSTEMS = ("ranksvm*", *HEURISTICS, *ONLINE)
TEACHING = 3  # one in so many distractors teaches
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
    with opened(task.data, task.options) as images:
        teaching, pictures = sides(images.rows, task.seed)
        perturbed = perturbed_of(task.data, task.options, len(pictures))
        at = amounts(len(pictures), perturbed)
        among = {amount: min(amount, len(teaching)) for amount in at}
        ranks, settings = {}, {}
        edges: Spec = {}
        for amount, taught in among.items():
            fold, own = _split(task.data, task.options, sizes, task.seed, number, taught)
            model, learned = fitted(task.system, fold)
            settings[str(amount)] = learned["settings"]
            edges |= learned.get(EDGE, {})
            ranks[amount] = Ranks(model, fold)
        queries = own[fold.queries]
        # Nothing has been let in at nought; from there on it is measured at each place.
        values = {0: ranks[0].precisions()}
        for stop in _stops(ranks, images, queries, pictures, perturbed, task):
            if stop in ranks:
                values[stop] = ranks[stop].precisions()
        kinds = kinds_of(task.data, [images.files[row] for row in pictures.tolist()])
        names = [images.paths[row] for row in queries]
    if perturbed:
        kinds["perturbed columns"] = perturbed
    notes = {
        "settings": settings, "distractors": kinds, "sizes": fold.sizes(),
        "trained among": {str(amount): taught for amount, taught in among.items()},
        **({EDGE: edges} if edges else {}),
    }  # fmt: skip
    series = Series(
        MEASURE,
        np.round(np.concatenate([values[amount] for amount in at]), 6).tolist(),
        queries=names * len(at),
        at=np.repeat(at, len(names)).astype(float).tolist(),
    )
    return Outcome([series], notes)


def sides(rows: Rows, seed: int) -> tuple[Rows, Rows]:
    """Distractors that teach, and those that come in at the test."""
    rest = np.random.default_rng(seed).permutation(np.flatnonzero(rows == DISTRACTOR))
    cut = len(rest) // TEACHING
    return rest[:cut], rest[cut:]


def _stops(
    ranks: Mapping[int, Ranks], images: Images, queries: Rows, pictures: Rows, perturbed: int,
    task: Task,
) -> Iterator[int]:  # fmt: skip
    """Let distractors in, as far as each place where the curve is measured."""
    at = amounts(len(pictures), perturbed)
    edges = [n for n in at if n <= len(pictures)]

    def admit(place: int, features: Phi, inside: int) -> None:
        for amount, one in ranks.items():
            if amount > inside:
                one.admit(place, features)

    for first, last in pairwise(edges):
        for place, query in enumerate(queries.tolist()):
            admit(place, images.phi_of(query)[pictures[first:last]], first)
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
                admit(place, compared(place), done + start)
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

    def __init__(self, model: Ranker, fold: Split) -> None:
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

    def precisions(self) -> NDArray[np.float64]:
        """Average precision of each query as it stands."""
        return np.array(
            [np.mean(np.arange(1, len(p) + 1) / p) if len(p) else np.nan for p in self.places]
        )


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

    def compared(self, block: Parents) -> Callable[[int], Phi]:
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

    def _file(self, bags: Sequence[Bag]) -> InvertedFile:
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


@lru_cache(maxsize=6)
def _split(
    data: Data, options: Options, sizes: Sizes, seed: int, fold: int, taught: int
) -> tuple[Split, Rows]:
    """A fold of the set with so many distractors to learn among, and which images the set's are.

    Its test lists are of the set alone: other distractors come in later.
    """
    with opened(data, options) as images:
        own = np.flatnonzero(images.rows != DISTRACTOR)
        teaching, _ = sides(images.rows, seed)
        here = np.concatenate([own, teaching[:taught]])
        parts = split(
            images.labels[here],
            lambda query: images.phi_of(int(here[query]))[here],
            sizes,
            seed=seed,
            fold=fold,
        )
        return replace(parts, test=_without(parts.test, len(own), len(here))), own


def _without(test: Graded, own: int, every: int) -> Graded:
    """Lists of all other images, cut to those of the set, which come first."""
    phi, grades, groups = test
    keep = np.empty(len(groups), np.bool_)
    for query in dict.fromkeys(groups.tolist()):
        others = np.flatnonzero(np.arange(every) != query)
        keep[groups == query] = others < own
    return phi[keep], grades[keep], groups[keep]

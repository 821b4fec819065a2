"""The 224 visual ranking features of li2012 (table 1), for one query and every image.

Twelve measures of two bags of words, over the words w that both have; c is a count in the image,
c_q in the query, L the image's number of words, u of different ones, p(w|C) a word's share of all:

     1 vsm            cosine of the tf-idf weights c·idf(w)                        [0, 1]
     2 bm25           Σ c_q · idf(w) · c / (c + k1·(1 − b + b·L / mean L))         ≥ 0
     3 lm-jm          Σ c_q · ln(p(w|d) / p(w|C)), p(w|d) = (1 − λ)·c/L + λ·p(w|C)
     4 lm-dirichlet   the same with p(w|d) = (c + μ·p(w|C)) / (L + μ)
     5 lm-absolute    the same with p(w|d) = max(c − δ, 0)/L + δ·u/L·p(w|C)
     6 common-words   how many words both have
     7 sum-tf  8 sum-idf  9 sum-tf-idf      Σ c, Σ idf(w), Σ c·idf(w)
    10 max-tf  11 max-idf                   the highest c and idf(w), 0 when nothing is shared
    12 words          L, the image's number of visual words

with idf(w) = ln((N + 1) / (df(w) + 1/2)). The language models sum over all words of the query that
the collection has, also over those that the image lacks.

They are taken on 18 fields: the whole image; the salient half and the rest; three rows, three
columns, and the cells of the 3 × 3 grid, row by row. Then come six scores by hashing (the 200
images nearest in each global descriptor get a score falling from 1 to 0 with their similarity, all
others 0) and two visual PageRanks.

The paper is silent on three things. We compare a field with the same field of the other image, as
its figure suggests. We take df, mean L and p(w|C) within the field, as text retrieval does for
title and body. And tf is the plain count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.types import Phi, Rows, Scores

MEASURES = (
    "vsm",
    "bm25",
    "lm-jm",
    "lm-dirichlet",
    "lm-absolute",
    "common-words",
    "sum-tf",
    "sum-idf",
    "sum-tf-idf",
    "max-tf",
    "max-idf",
    "words",
)
FIELDS = (
    "whole",
    "salient",
    "rest",
    *(f"row-{row}" for row in (1, 2, 3)),
    *(f"column-{column}" for column in (1, 2, 3)),
    *(f"cell-{row}-{column}" for row in (1, 2, 3) for column in (1, 2, 3)),
)
GLOBAL = (
    "color-moments",
    "edge-directions",
    "wavelet-texture",
    "color-correlogram",
    "color-histogram",
    "cortex",
)
NAMES = (
    *(f"{field}:{measure}" for field in FIELDS for measure in MEASURES),
    *(f"{descriptor}:lsh" for descriptor in GLOBAL),
    "pagerank:embedding",
    "pagerank:words",
)
NEAREST = 200


@dataclass(frozen=True, slots=True)
class Parameters:
    """Constants of the retrieval models; the defaults suit long queries, which pictures are."""

    k1: float = 1.2
    b: float = 0.75
    weight: float = 0.7  # λ of Jelinek-Mercer, the collection's share
    mass: float = 2000.0  # μ of Dirichlet
    discount: float = 0.7  # δ of absolute discounting


@dataclass(frozen=True, slots=True)
class LocalWords:
    """The visual words of some images, with their places: those of image i are `starts[i]` on.

    `x` and `y` run from 0 to 1 across the image; `salient` says whether a place is in the half of
    the image that draws the eye.
    """

    starts: NDArray[np.int64]  # [n + 1]
    words: NDArray[np.int32]  # [p]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    salient: NDArray[np.bool_]

    def __post_init__(self) -> None:
        sizes = {len(self.words), len(self.x), len(self.y), len(self.salient)}
        if sizes != {int(self.starts[-1])}:
            raise InvalidInput(
                f"ranking features: words, x, y, salient and the last start disagree: {sizes}"
            )


def fields_of(local: LocalWords) -> NDArray[np.int64]:
    """The five fields that each word is in, [p, 5]: whole, half, row, column, cell.

    >>> one = LocalWords(*map(np.array, ([0, 1], [7], [0.9], [0.1], [True])))
    >>> [FIELDS[field] for field in fields_of(one)[0]]
    ['whole', 'salient', 'row-1', 'column-3', 'cell-1-3']
    """
    row = np.clip(3 * local.y, 0, 2).astype(np.int64)
    column = np.clip(3 * local.x, 0, 2).astype(np.int64)
    half = np.where(local.salient, 1, 2)
    return np.stack([np.zeros_like(row), half, 3 + row, 6 + column, 9 + 3 * row + column], axis=1)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of every image: postings by word, and what the measures need of each image."""

    words: NDArray[np.int32]  # [u] ascending
    offsets: NDArray[np.int64]  # [u + 1]
    images: NDArray[np.int32]  # [postings]
    counts: NDArray[np.int32]  # [postings]
    idf: NDArray[np.float64]  # [u]
    share: NDArray[np.float64]  # [u] p(w|C)
    lengths: NDArray[np.float64]  # [n]
    distinct: NDArray[np.float64]  # [n]
    norms: NDArray[np.float64]  # [n]
    unseen_idf: float

    @classmethod
    def of(cls, images: NDArray[np.integer], words: NDArray[np.integer], size: int) -> Field:
        """Image `images[j]` has the word `words[j]`; they come by word, then by image."""
        starts = _starts(words) | _starts(images)
        first_of = np.flatnonzero(starts)
        counts = np.diff(np.append(first_of, len(words)))
        word_of, image_of = words[first_of], images[first_of]
        first = np.flatnonzero(_starts(word_of))
        used, offsets = word_of[first], np.append(first, len(word_of))
        frequency = np.diff(offsets)
        idf = np.log((size + 1.0) / (frequency + 0.5))
        occurrences = np.add.reduceat(counts, first) if len(first) else np.empty(0)
        weights = counts * np.repeat(idf, frequency)
        return cls(
            used.astype(np.int32),
            offsets,
            image_of.astype(np.int32),
            counts.astype(np.int32),
            idf,
            occurrences / max(len(words), 1),
            np.bincount(images, minlength=size).astype(np.float64),
            np.bincount(image_of, minlength=size).astype(np.float64),
            np.sqrt(np.bincount(image_of, np.square(weights), minlength=size)),
            float(np.log((size + 1.0) / 0.5)),
        )

    def measure(self, words: NDArray[np.int32], settings: Parameters) -> NDArray[np.float64]:
        """The twelve measures of a query with these words (repeated as they occur), [n, 12]."""
        from saccade.kernels.li2012 import add_shared_words, finish

        out = np.zeros((len(self.lengths), len(MEASURES)))
        asked, times = np.unique(words, return_counts=True)
        places = np.searchsorted(self.words, asked)
        occurring = np.append(self.words, -1)[places] == asked
        rarity = np.where(occurring, np.append(self.idf, 0.0)[places], self.unseen_idf)
        norm = float(np.sqrt(np.square(times * rarity).sum()))
        places, query = places[occurring], times[occurring].astype(np.float64)
        mean = self.lengths.mean() if self.lengths.any() else 1.0
        saturation = settings.k1 * (1.0 - settings.b + settings.b * self.lengths / mean)
        models = (settings.weight, settings.mass, settings.discount)
        add_shared_words(
            self.offsets[places],
            self.offsets[places + 1],
            self.images,
            self.counts,
            query,
            self.idf[places],
            self.share[places],
            saturation,
            self.lengths,
            self.distinct,
            *models,
            out,
        )
        finish(norm, query.sum(), self.norms, self.lengths, self.distinct, *models, out)
        return out


def _starts(values: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Where a value differs from the one before it; the first does."""
    return np.append([True], values[1:] != values[:-1])[: len(values)]


class RankingFields:
    """The 18 fields of a collection, ready for queries.

    >>> rng = np.random.default_rng(0)
    >>> words, places = rng.integers(0, 9, 40), rng.random((2, 40))
    >>> local = LocalWords(np.arange(0, 50, 10), words, *places, places[0] < 0.5)
    >>> query = LocalWords(np.array([0, 40]), words, *places, places[0] < 0.5)
    >>> RankingFields(local).measure(query).shape
    (4, 216)
    """

    def __init__(self, local: LocalWords, settings: Parameters | None = None) -> None:
        self.settings = settings or Parameters()
        self.size = len(local.starts) - 1
        images = np.repeat(np.arange(self.size, dtype=np.int32), np.diff(local.starts))
        # Sorted once: every field is a selection of it and needs no sorting of its own.
        order = np.lexsort((images, local.words))
        images, words, member = images[order], local.words[order], fields_of(local)[order]
        self.fields: list[Field] = []
        for number in range(len(FIELDS)):
            inside = (member == number).any(axis=1)
            self.fields.append(Field.of(images[inside], words[inside], self.size))

    def measure(self, query: LocalWords) -> Phi:
        """Features 1 to 216 of every image for a query of one image, [n, 216]."""
        if len(query.starts) != 2:
            raise InvalidInput(
                f"ranking features: a query is one image, not {len(query.starts) - 1}"
            )
        member = fields_of(query)
        out = np.empty((self.size, len(FIELDS) * len(MEASURES)), np.float32)
        for number, field in enumerate(self.fields):
            inside = (member == number).any(axis=1)
            part = slice(number * len(MEASURES), (number + 1) * len(MEASURES))
            out[:, part] = field.measure(query.words[inside], self.settings)
        return out


def nearest_scores(rows: Rows, similarities: Scores, size: int) -> Scores:
    """Scores of all images when `rows` are the nearest, best first: from 1 down to 0, others 0.

    >>> nearest_scores(np.array([2, 0, 3]), np.array([1, .875, .5], np.float32), 4).tolist()
    [0.75, 0.0, 1.0, 0.0]

    Equally near images all get 1.
    """
    scores = np.zeros(size, np.float32)
    if len(rows):
        span = similarities[0] - similarities[-1]
        scores[rows] = (similarities - similarities[-1]) / span if span > 0 else 1.0
    return scores


def assemble(
    measured: Phi,
    neighbours: Sequence[tuple[Rows, Scores]],
    pageranks: Sequence[ArrayLike],
) -> Phi:
    """All 224 features, [n, 224], in the order of `NAMES`.

    `neighbours` are the nearest images in each of the `GLOBAL` descriptors, of which 200 count;
    `pageranks` those of the embedding and of the words.
    """
    size = len(measured)
    if len(neighbours) != len(GLOBAL) or len(pageranks) != 2:
        raise InvalidInput(
            f"ranking features: {len(GLOBAL)} lists of neighbours and 2 PageRanks are needed,"
            f" not {len(neighbours)} and {len(pageranks)}"
        )
    near = [
        nearest_scores(rows[:NEAREST], similarities[:NEAREST], size)
        for rows, similarities in neighbours
    ]
    return np.column_stack([measured, *near, *pageranks]).astype(np.float32)

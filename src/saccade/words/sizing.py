"""Which vocabulary suits a collection.

    size = descriptors / 14, and of few descriptors a fourth, up to 8,000;
           kept between 1 and a million, rounded down to two digits

Recognition asks for words so fine that few features share one, and no finer. On 540 book covers
words alone put the right cover first for all of 95 photos with a tenth or a fourteenth as many
words as descriptors, for 99% with a twentieth. Of pairs of photographs of one building, geometry
confirms as many with a twentieth as with a tenth, and fewer with a quarter: a spot seen twice then
often gets two words (results/indexing.md). Four descriptors a word are enough to train on.
"""

from __future__ import annotations

from pathlib import Path

from saccade.errors import InvalidInput
from saccade.types import Array
from saccade.words import akm
from saccade.words.training import Report, checked
from saccade.words.vocabulary import Vocabulary

DESCRIPTORS_PER_WORD = 14
AT_LEAST_PER_WORD, LEAST = 4, 8000
"""A small collection has finer words: so few that training them costs nothing."""
TRAINED_PER_WORD = 4
"""Descriptors a word in the sample that it is trained on."""
ITERATIONS = 2
"""Rounds of k-means: with so few descriptors a word, more of them recognise nothing more."""


def fitting_size(descriptors: int) -> int:
    """How many words suit a collection with so many descriptors.

    >>> [fitting_size(n) for n in (3, 1_000, 50_000, 280_000, 10**9)]
    [1, 250, 8000, 20000, 1000000]
    """
    few = min(descriptors // AT_LEAST_PER_WORD, LEAST)
    return rounded(max(descriptors // DESCRIPTORS_PER_WORD, few))


def rounded(size: int) -> int:
    """A number of words that a vocabulary can have, of two digits."""
    size = min(akm.MAXIMUM, max(1, size))
    unit: int = 10 ** max(0, len(str(size)) - 2)
    return size // unit * unit


def train_for(
    descriptors: Array,
    *,
    seed: int = 0,
    work: Path | None = None,
    report: Report | None = None,
) -> Vocabulary:
    """The vocabulary a collection gets by default: flat, and sized to its descriptors [n, 128]."""
    if not len(checked(descriptors)):
        raise InvalidInput(
            "no image has a local feature, so there is nothing to make words of",
            hint="blank images are found by their other descriptors",
        )
    size = fitting_size(len(descriptors))
    return akm.train(
        descriptors, size, iterations=ITERATIONS, limit=TRAINED_PER_WORD * size,
        seed=seed, work=work, report=report,
    )  # fmt: skip

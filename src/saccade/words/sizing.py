"""Which vocabulary suits a collection.

    size = descriptors / 4, kept between 1 and a million, rounded down to two digits

Recognition asks for words so fine that few features share one. On 540 book covers with 278,900
descriptors, words alone put the right cover first for 91% of 95 photos with a fiftieth as many
words, and for all of them from a fourteenth on; with raw counts it is 82, 91, 96 and 98% with a
fiftieth, a fourteenth, a sixth and a quarter (`benchmarks/covers.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.words import akm
from saccade.words.training import Report, checked
from saccade.words.vocabulary import Vocabulary

DESCRIPTORS_PER_WORD = 4
ITERATIONS = 2
"""Rounds of k-means: with so few descriptors a word, more of them recognise nothing more."""


def fitting_size(descriptors: int) -> int:
    """How many words suit a collection with so many descriptors.

    >>> [fitting_size(n) for n in (3, 1_000, 280_000, 10**9)]
    [1, 250, 70000, 1000000]
    """
    size = min(akm.MAXIMUM, max(1, descriptors // DESCRIPTORS_PER_WORD))
    unit: int = 10 ** max(0, len(str(size)) - 2)
    return size // unit * unit


def train_for(
    descriptors: NDArray[Any],
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
    return akm.train(descriptors, size, iterations=ITERATIONS, seed=seed, work=work, report=report)

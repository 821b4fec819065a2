"""Ways to compare two bags of words: weighting, normalisation, distance (aly2011, section 3).

    weighting       none: the count;  binary: 1;  tf-idf: count · idf
    idf(w)          ln((N + 1) / (df(w) + 1/2)), N images of which df(w) hold the word
    normalisation   l1: Σ h = 1;  l2: Σ h² = 1
    distance        l1: Σ|q − d|;  l2: √Σ(q − d)²;  chi2: Σ(q − d)² / (q + d);
                    cos: 1 − q·d / (‖q‖₂‖d‖₂)

Weights are never negative, so every distance needs the words that both bags have and no others:

    Σ|q − d|             = ‖q‖₁ + ‖d‖₁ − 2 Σ_common min(q, d)
    Σ(q − d)²            = ‖q‖₂² + ‖d‖₂² − 2 Σ_common q·d
    Σ(q − d)² / (q + d)  = ‖q‖₁ + ‖d‖₁ − 4 Σ_common q·d / (q + d)

Similarities are those of every other descriptor, in [0, 1] and 1 for equal bags: 1 − distance over
the sum of the norms (1-norms for l1 and chi2, 2-norms for l2), and the plain cosine, which is never
negative here. An empty bag has similarity 0 to everything.

The idf is positive for every word, also for one that all images have or none has: an image stays
similar to itself in a collection of one. For rare words it approaches the usual ln(N / df).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from saccade.words.postings import PostingsView

Floats = NDArray[np.float64]
Words = NDArray[np.int32]
Counts = NDArray[np.int32]

WEIGHTINGS = ("none", "binary", "tf-idf")
NORMALISATIONS = ("l1", "l2")
DISTANCES = ("l1", "l2", "cos", "chi2")

# How one shared word adds to a score, and how the sum is finished: `saccade.kernels.inverted` has
# the formulas. The numbers are repeated here because that module loads numba.
PRODUCT, MINIMUM, HARMONIC = 0, 1, 2
SCALED, RATIO, DISTANCE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class SlotColumn:
    """A number for every slot, with the extremes that let a search turn images away early."""

    values: Floats  # [slots]
    single: NDArray[np.float32]  # the same, half as wide: what is read for every posting
    lowest: float  # above zero; 0 when there is none
    highest: float

    @classmethod
    def of(cls, values: Floats) -> SlotColumn:
        """The column of these values."""
        lowest = values.min(initial=np.inf, where=values > 0.0)
        return cls(
            values,
            values.astype(np.float32),
            float(lowest) if np.isfinite(lowest) else 0.0,
            float(values.max(initial=-np.inf)) if values.size else 0.0,
        )


class ScoringPlan(NamedTuple):
    """What the kernels need to score one query: numbers per query word and per image.

    A tuple because one is made for every query, and making a frozen record takes longer.
    """

    term: int
    query: Floats  # [u]
    gain: Floats  # [u]
    factor: SlotColumn
    finish: int
    level: float
    scale: SlotColumn
    prior: SlotColumn
    binary: bool = False

    @property
    def kindest_prior(self) -> float:
        """The prior with which an image needs the least total; see the kernels."""
        if self.finish == DISTANCE and self.prior.lowest != self.prior.highest:
            return 0.0
        return self.prior.lowest


def inverse_frequency(frequency: NDArray[np.int64], images: int) -> Floats:
    """The idf of words that `frequency` of `images` images hold; positive, and finite at zero.

    >>> inverse_frequency(np.array([0, 1, 7]), 7).round(3).tolist()
    [2.773, 1.674, 0.065]
    """
    rarity: Floats = np.log((images + 1.0) / (frequency + 0.5))
    return rarity


@dataclass(frozen=True, slots=True)
class Comparison:
    """One of the ways above, written as aly2011 writes them.

    >>> Comparison.parse("tf-idf,l2,cos")
    Comparison(weighting='tf-idf', normalisation='l2', distance='cos')
    >>> str(Comparison.parse("binary,l1,l1"))
    'binary,l1,l1'
    """

    weighting: str = "tf-idf"
    normalisation: str = "l2"
    distance: str = "cos"

    def __post_init__(self) -> None:
        for kind, name, names in (
            ("weighting", self.weighting, WEIGHTINGS),
            ("normalisation", self.normalisation, NORMALISATIONS),
            ("distance", self.distance, DISTANCES),
        ):
            if name not in names:
                raise UnknownName(kind, name, names)

    @classmethod
    def parse(cls, text: str) -> Comparison:
        """Read ``weighting,normalisation,distance``."""
        parts = text.split(",")
        if len(parts) != 3:
            raise InvalidInput(
                f"comparison {text!r}: expected 'weighting,normalisation,distance',"
                " for instance 'tf-idf,l2,cos'"
            )
        return cls(*(part.strip() for part in parts))

    def __str__(self) -> str:
        return f"{self.weighting},{self.normalisation},{self.distance}"

    def plan(self, view: PostingsView, words: Words, counts: Counts) -> ScoringPlan:
        """How to score a query of these words against the images of `view`."""
        gain = view.idf[words] if self.weighting == "tf-idf" else np.ones(len(words))
        query = gain if self.weighting == "binary" else gain * counts
        # The cosine divides by the 2-norm whatever the normalisation was.
        norm = "l2" if self.distance == "cos" else self.normalisation
        size = query.sum() if norm == "l1" else np.sqrt(query @ query)
        if size > 0.0:
            query = query / size
        norms = view.norms(self.weighting)
        unit = norms.inverse(self.normalisation)
        binary = self.weighting == "binary"
        if self.distance == "cos":
            scale = norms.inverse("l2")
            return ScoringPlan(PRODUCT, query, gain, unit, SCALED, 0.0, scale, scale, binary)
        if self.distance == "l2":
            level = float(np.sqrt(query @ query))
            left = norms.normalised("l2", by=self.normalisation)
            return ScoringPlan(PRODUCT, query, gain, unit, DISTANCE, level, unit, left, binary)
        term = MINIMUM if self.distance == "l1" else HARMONIC
        left = norms.normalised("l1", by=self.normalisation)
        return ScoringPlan(term, query, gain, unit, RATIO, float(query.sum()), unit, left, binary)


# The schemes words:l1 … words:chi2: counts weighed by rarity, each with the norm its distance uses.
SIMILARITIES = {
    "l1": Comparison("tf-idf", "l1", "l1"),
    "l2": Comparison("tf-idf", "l2", "l2"),
    "cosine": Comparison("tf-idf", "l2", "cos"),
    "chi2": Comparison("tf-idf", "l1", "chi2"),
}

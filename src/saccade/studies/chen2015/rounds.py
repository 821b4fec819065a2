"""One round: labels drawn from some pictures, a learner, and pairs of other pictures to judge it.

A point is +1 where its strength is above the middle of the attribute's levels, else −1. A pair is
ordered where its strengths differ and alike where they do not. Accuracy is the share of unseen
pairs of different strength that the scores put in the right order; equal scores are half right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.contracts import LabelRanker
from saccade.studies.edges import ChosenSettings, Grid, further
from saccade.types import Array, Rows, Scores, Vectors

Whole = NDArray[np.int64]

POOL = 300  # pictures that labels are drawn from
JUDGED = 10_000  # pairs that a round is judged by
TUNING = 0.25  # share of the pictures that settings are chosen on, and no round sees

RANKERS = {"pointwise": "ordinal-svm"}  # the paper's baseline is Shashua and Levin's
GRIDS: dict[str, dict[str, tuple[float, ...]]] = {
    "hybrid": {"C": (0.25, 1.0, 4.0, 16.0), "c2": (0.5, 1.5, 4.5), "rho": (1.0, 3.0, 9.0)},
    "hybrid-kernel": {"C": (1.0, 4.0, 16.0), "rho": (1.0, 3.0, 9.0)},
    "relative-attributes": {"C": (0.03, 0.1, 0.3, 1.0, 3.0)},
    "pointwise": {"C": (0.1, 0.3, 1.0, 3.0, 10.0)},
    "crr": {"C": (3.0, 10.0, 30.0, 100.0, 300.0), "alpha": (0.1, 0.3, 0.5, 0.7, 0.9)},
}
GRIDS["hybrid-online"] = GRIDS["hybrid"]


@dataclass(frozen=True, slots=True)
class RoundLabels:
    """Rows of labelled pictures, and of those to judge by."""

    points: Rows
    signs: Whole
    more: Rows
    less: Rows
    alike: tuple[Rows, Rows]
    unseen: Rows

    def by_kind(self, vectors: Vectors) -> dict[str, tuple[Array, Array]]:
        """The labels as a ranker takes them; a kind without labels is left out."""
        kinds: dict[str, tuple[Array, Array]] = {
            "points": (vectors[self.points], self.signs),
            "ordered": (vectors[self.more], vectors[self.less]),
            "similar": (vectors[self.alike[0]], vectors[self.alike[1]]),
        }
        return {name: pair for name, pair in kinds.items() if len(pair[0])}


def reserved(count: int, *, seed: int) -> tuple[Rows, Rows]:
    """Pictures to choose settings on, and the others."""
    order = np.random.default_rng([seed, 2015]).permutation(count)
    cut = int(TUNING * count)
    return order[:cut], order[cut:]


def draw(
    strengths: Whole, rows: Rows, *, points: int, pairs: int, rng: np.random.Generator
) -> RoundLabels:
    """Labels of pictures among `rows`; the pictures that no label may touch are to judge by."""
    order = rng.permutation(rows)
    pool = order[: min(POOL, len(order) // 2)]
    middle = np.median(np.unique(strengths[rows]))
    chosen = rng.choice(pool, points, replace=points > len(pool))
    first, second = _pairs(pool, pairs, rng)
    gap = strengths[first] - strengths[second]
    return RoundLabels(
        points=chosen,
        signs=np.where(strengths[chosen] > middle, 1, -1),
        more=np.where(gap > 0, first, second)[gap != 0],
        less=np.where(gap > 0, second, first)[gap != 0],
        alike=(first[gap == 0], second[gap == 0]),
        unseen=order[len(pool) :],
    )


def _pairs(pool: Rows, count: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    first = rng.integers(len(pool), size=count)
    second = (first + rng.integers(1, len(pool), size=count)) % len(pool)  # never itself
    return pool[first], pool[second]


def accuracy(scores: Scores, strengths: Whole, rows: Rows, *, rng: np.random.Generator) -> float:
    """Share of pairs of `rows` with different strengths that the scores order rightly.

    >>> right = accuracy(np.array([1.0, 2.0, 2.0]), np.array([0, 1, 2]), np.arange(3),
    ...                  rng=np.random.default_rng(0))
    >>> 0.8 < right < 0.87  # two of three pairs, and half of the third
    True
    """
    first, second = _pairs(rows, JUDGED, rng)
    truth = np.sign(strengths[first] - strengths[second])
    signs = np.sign(scores[first].astype(np.float64) - scores[second])
    differ = truth != 0
    if not differ.any():
        return float("nan")
    return float(np.mean(0.5 + 0.5 * (signs * truth)[differ]))


def fitted(
    system: str, settings: Mapping[str, object], labelled: RoundLabels, vectors: Vectors
) -> LabelRanker:
    """A system taught by the labels of a round."""
    model = rankers.as_label_ranker(rankers.make(RANKERS.get(system, system), **settings))
    return model.fit_labels(**labelled.by_kind(vectors))


def tuned(
    system: str,
    vectors: Vectors,
    strengths: Mapping[str, Whole],
    *,
    points: int,
    pairs: int,
    subsets: int = 5,
    seed: int = 0,
) -> ChosenSettings:
    """The settings that are best on small random subsets, over all attributes; past the grid, too.

    Section 4.1: "selected by cross validation of 5 randomly selected small subsets per dataset".
    The subsets lie in the reserved pictures.
    """
    rows, _ = reserved(len(vectors), seed=seed)

    def best_of(grid: Grid) -> tuple[Mapping[str, object], float]:
        every = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
        right = np.zeros(len(every))
        for subset in range(subsets):
            for number, values in enumerate(strengths.values()):
                rng = np.random.default_rng([seed, 7, subset, number])
                labelled = draw(values, rows, points=points, pairs=pairs, rng=rng)
                for place, settings in enumerate(every):
                    scores = fitted(system, settings, labelled, vectors).score(vectors)
                    judge = np.random.default_rng([seed, 8, subset, number])
                    right[place] += np.nan_to_num(
                        accuracy(scores, values, labelled.unseen, rng=judge), nan=0.5
                    )
        return every[int(np.argmax(right))], float(right.max())

    return further(GRIDS[system], best_of)

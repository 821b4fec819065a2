"""Ours: what a ranker learned of regions, and how their scores become a picture's, taken apart.

Each ranker is fitted with the settings that Table 1 chose, and the scores f of its regions are
pooled in all three ways over the left-out half. Where one f ranks better by its mean than by its
best regions, what makes a picture good is spread over the picture; beside that stands how well the
ranker orders the pictures it learned from, which tells learning by heart from not learning.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.kernels import bags as kernel
from saccade.kernels.ragged import offsets_of
from saccade.studies.declaration import Outcome, Series, Task
from saccade.studies.hu2008.pictures import GOOD, JUNK, OK, halves
from saccade.studies.hu2008.ranking import bags_of, fitted, judged
from saccade.studies.hu2008.regions import load
from saccade.types import Rows, Scores

SYSTEMS = ("mi-average", "mi-max", "mi-softmax")
POOLED = {"by the mean": kernel.AVERAGE, "by softmax": kernel.SOFTMAX, "by the best": kernel.MAX}
TRAINING = "on what it learned from"
ABOVE_OK, ABOVE_JUNK = "good before middling", "good before junk"
MEASURES = (*POOLED, TRAINING, ABOVE_OK, ABOVE_JUNK)
_ETA = 4.0


def measure(task: Task) -> Outcome:
    """One ranker on one random half of every concept."""
    concepts = load(task.data, task.options)
    columns: dict[str, list[float]] = {name: [] for name in MEASURES}
    for pictures in concepts.values():
        grades = np.array([one.plan.grade for one in pictures])
        train, test = halves(grades.tolist(), task.seed)
        bags = bags_of(task.system, pictures)
        model, _ = fitted(task.system, bags, grades, train, quick=task.options.quick)
        left = [bags[i] for i in test]
        scores = [model.region_scores(bag) for bag in left]
        for name, kind in POOLED.items():
            columns[name].append(judged(pooled(kind, scores), grades[test])["ap"])
        own, training = model.score_bags(left), model.score_bags([bags[i] for i in train])
        columns[TRAINING].append(judged(training, grades[train])["ap"])
        columns[ABOVE_OK].append(_before(own, grades[test], OK))
        columns[ABOVE_JUNK].append(_before(own, grades[test], JUNK))
    names = list(concepts)
    return Outcome([Series(name, values, queries=names) for name, values in columns.items()])


def pooled(kind: int, scores: Sequence[Scores]) -> NDArray[np.float64]:
    """Scores of pictures from those of their regions."""
    starts = offsets_of([len(some) for some in scores])
    rows = np.concatenate(scores).astype(np.float64)
    out, shares = np.empty(len(scores)), np.empty(len(rows))
    kernel.pool(kind, _ETA, rows, starts, out, shares)
    return out


def _before(scores: Scores, grades: Rows, lower: int) -> float:
    """Share of the pairs of a good picture and one of a lower grade in the right order."""
    good, other = scores[grades == GOOD], scores[grades == lower]
    if not len(good) or not len(other):
        return float("nan")
    return float((good[:, None] > other).mean() + 0.5 * (good[:, None] == other).mean())

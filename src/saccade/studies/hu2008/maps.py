"""Figure 4 in numbers: how much of the relevance lies where the thing truly is.

    share = Σ_regions relevance · area · inside / Σ_regions relevance · area

over pictures of the left-out half whose thing is known: pasted ones, and on drawn worlds the good
ones too. Beside it the share of the saliency map that lies there (what draws any eye) and the
thing's share of the picture (what blind choice would give).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.studies.declaration import Outcome, Series, Task
from saccade.studies.hu2008.pictures import halves
from saccade.studies.hu2008.ranking import CROPS, bags_of, fitted
from saccade.studies.hu2008.regions import DescribedPicture, load

SYSTEMS = ("area", "saliency", "mi-average", "mi-max", "mi-softmax", "mi-softmax" + CROPS)
MEASURE = "relevance inside"
HITS = "best region inside"
MEASURES = (MEASURE, HITS)


def measure(task: Task) -> Outcome:
    """One system on one random half of every concept."""
    concepts = load(task.data, task.options)
    shares, hits, names = [], [], []
    for concept, pictures in concepts.items():
        grades = np.array([one.plan.grade for one in pictures])
        train, test = halves(grades.tolist(), task.seed)
        masked = [i for i in test if len(pictures[i].inside)]
        if not masked:
            continue
        names.append(concept)
        relevance = _relevance(task, pictures, grades, train, masked)
        shares.append(float(np.mean([_share(*pair) for pair in relevance])))
        hits.append(float(np.mean([_best(*pair) for pair in relevance])))
    series = [Series(MEASURE, shares, queries=names)]
    if task.system != "saliency":
        series.append(Series(HITS, hits, queries=names))
    return Outcome(series)


def _relevance(
    task: Task,
    pictures: tuple[DescribedPicture, ...],
    grades: NDArray[np.int64],
    train: NDArray[np.int64],
    masked: list[int],
) -> list[tuple[DescribedPicture, NDArray[np.float64] | None]]:
    """The pictures with what a system thinks of their regions; None asks for a map of pixels."""
    if task.system == "area":
        return [(pictures[i], np.ones(len(pictures[i].areas))) for i in masked]
    if task.system == "saliency":
        return [(pictures[i], None) for i in masked]
    bags = bags_of(task.system, pictures)
    name = task.system.removesuffix(CROPS)
    model, _ = fitted(name, bags, grades, train, quick=task.options.quick)
    return [(pictures[i], model.relevance(bags[i]).astype(np.float64)) for i in masked]


def _share(one: DescribedPicture, relevance: NDArray[np.float64] | None) -> float:
    if relevance is None:
        return one.salient
    weight = relevance * one.areas
    return float((weight * one.inside).sum() / max(float(weight.sum()), 1e-9))


def _best(one: DescribedPicture, relevance: NDArray[np.float64] | None) -> float:
    """Whether the most relevant region lies mostly in the thing; equal ones share."""
    if relevance is None:
        return 0.0
    return float((one.inside[relevance == relevance.max()] > 0.5).mean())

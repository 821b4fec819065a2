"""Table 1 and Figure 3: average precision and NDCG of each concept's left-out half."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade import rankers
from saccade.rankers.bag_online import MIOnline
from saccade.rankers.bag_tuning import COSTS, SHARPNESS, WIDTHS, tune_bags
from saccade.rankers.bags import graded_pairs
from saccade.rankers.batch import Standard
from saccade.rankers.multiple_instance import MultipleInstance
from saccade.studies.declaration import Outcome, Series, Task
from saccade.studies.hu2008.pictures import GOOD, halves
from saccade.studies.hu2008.regions import DescribedPicture, load
from saccade.testbed import measures
from saccade.types import Rows, Scores

ETA = " + eta"  # ends the name of a system whose sharpness is chosen as well
SYSTEMS = (
    "given",
    "ranksvm",
    "mi-average",
    "mi-max",
    "mi-softmax",
    "mi-softmax" + ETA,
    "mi-online",
)
CROPS = " + embedding"  # ends the name of a system on the regions' embeddings
FEATURES = ("mi-softmax", "mi-softmax" + CROPS, "ranksvm", "mi-average" + CROPS)
MEASURES = ("ap", "ndcg@5", "ndcg@10", "ndcg@20")


def grid(*, quick: bool) -> dict[str, tuple[float, ...]]:
    """The settings that are tried; the quick ones span the same range."""
    if not quick:
        return {"costs": COSTS, "widths": WIDTHS}
    return {"costs": COSTS[::2], "widths": WIDTHS[::2]}


def table(task: Task) -> Outcome:
    """One system on one random half of every concept."""
    concepts = load(task.data, task.options)
    columns: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    chosen = {}
    for concept, pictures in concepts.items():
        grades = np.array([one.plan.grade for one in pictures])
        train, test = halves(grades.tolist(), task.seed)
        scores, settings = ranked(task.system, pictures, grades, train, quick=task.options.quick)
        for measure, value in judged(scores[test], grades[test]).items():
            columns[measure].append(value)
        chosen[concept] = settings
    names = list(concepts)
    series = [Series(measure, values, queries=names) for measure, values in columns.items()]
    sizes = {concept: len(pictures) for concept, pictures in concepts.items()}
    return Outcome(series, {"settings": chosen, "pictures": sizes})


def judged(scores: ArrayLike, grades: Rows) -> dict[str, float]:
    """Good pictures alone are positive for AP; NDCG has the ratings 3, 2 and 1."""
    values = {"ap": measures.value("map", scores, (grades == GOOD).astype(int))}
    return values | {name: measures.value(name, scores, grades) for name in MEASURES[1:]}


def bags_of(system: str, pictures: Sequence[DescribedPicture]) -> list[NDArray[np.float32]]:
    """What a system sees of each picture."""
    if system.endswith(CROPS):
        return [one.crops for one in pictures]
    if system == "ranksvm":
        return [one.whole[None] for one in pictures]
    return [one.rows for one in pictures]


def ranked(
    system: str,
    pictures: Sequence[DescribedPicture],
    grades: Rows,
    train: Rows,
    *,
    quick: bool = False,
) -> tuple[Scores | NDArray[np.float64], dict[str, float]]:
    """Scores of all pictures by a system that learned from some, and the settings it chose."""
    if system == "given":
        return -np.arange(len(pictures), dtype=np.float64), {}
    bags = bags_of(system, pictures)
    model, settings = fitted(system.removesuffix(CROPS), bags, grades, train, quick=quick)
    if system == "mi-online":
        bags = standard_bags(bags)
    return model.score_bags(bags), settings


def fitted(
    name: str,
    bags: Sequence[NDArray[np.float32]],
    grades: Rows,
    train: Rows,
    *,
    quick: bool = False,
) -> tuple[MultipleInstance | MIOnline, dict[str, float]]:
    """A ranker with the C and width that two folds of the training half chose.

    A whole picture is a bag of one region, for which all three are the ranking SVM.
    """
    plain = name.removesuffix(ETA)
    kind = {"ranksvm": "mi-average", "mi-online": "mi-softmax"}.get(plain, plain)
    some = [bags[i] for i in train]
    etas = SHARPNESS if name.endswith(ETA) else ()
    tried = grid(quick=quick)
    settings = tune_bags(
        kind, some, grades[train], costs=tried["costs"], widths=tried["widths"], etas=etas
    ).best
    pairs = graded_pairs(grades[train])
    if name != "mi-online":
        model = rankers.make(kind, **settings)
        assert isinstance(model, MultipleInstance)
        return model.fit_bags(some, pairs), settings
    scaled = standard_bags(bags)
    online = rankers.make("mi-online", **settings)
    return online.fit_bags([scaled[i] for i in train], pairs), settings


def standard_bags(bags: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
    """Standard scores of the columns over all regions: mi-online takes its rows as they come."""
    standard = Standard.of(np.concatenate(list(bags)))
    return [standard.apply(bag).astype(np.float32) for bag in bags]

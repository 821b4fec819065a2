"""Tables 3 to 5: fewer features, by greedy selection (FS) or by PCA (DR), under three learners.

Selection is nested: the 12 best are the first 12 of the 150 best, so it is made once a fold. The
settings of a learner are those that validation chose for it with all features.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.rankers.selection import Greedy, PrincipalAxes
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.li2012.figures import LEARNERS, chosen
from saccade.studies.li2012.lists import lists
from saccade.studies.li2012.printed import DIMENSIONS
from saccade.studies.protocol import Graded
from saccade.testbed.measures import evaluate

WAYS = {"greedy": "FS", "pca": "DR"}
SYSTEMS = tuple(f"{way} {learner}" for way in WAYS for learner in LEARNERS)
LABELS = {
    f"{way} {learner}": f"{short} {label}"
    for way, short in WAYS.items()
    for learner, label in zip(LEARNERS, ("PRank", "RankSVM", "ListNet"), strict=True)
}
WHOLE = 224
VALIDATION = "map of the validation queries"
QUERIES = 20  # training queries that selection looks at: its cost is in pairs of features


def dimensions(options: Options) -> tuple[int, ...]:
    """Numbers of features along the tables."""
    return (12, 36, WHOLE) if options.quick else DIMENSIONS


def measure(task: Task) -> Outcome:
    """One way and one learner on one fold, at every number of features."""
    number = int(task.part.removeprefix("fold "))
    fold = lists(task.data, task.options, task.seed, number)
    way, _, learner = task.system.partition(" ")
    train, validate, test = (
        (p[0][:, :WHOLE], *p[1:]) for p in (fold.train, fold.validate, fold.test)
    )
    choice = chosen(learner, train, validate)
    values: list[float] = []
    validation: list[float] = []
    names: list[str] = []
    at: list[float] = []
    order: list[int] = []
    for count in dimensions(task.options):
        if count == WHOLE:
            reduced = (train[0], validate[0], test[0])
        elif way == "greedy":
            best = ranked(task.data, task.options, task.seed, number)
            order = best[:count].tolist()
            reduced = (train[0][:, order], validate[0][:, order], test[0][:, order])
        else:
            axes = PrincipalAxes(count=count)
            axes.fit(*train)
            reduced = (
                axes.transform(train[0]), axes.transform(validate[0]), axes.transform(test[0])
            )  # fmt: skip
        model = rankers.as_ranker(rankers.make(learner, **choice.best))
        model.fit(reduced[0], *train[1:])
        before = evaluate(["map"], model.score(reduced[1]), *validate[1:])
        validation.append(float(np.nanmean(before.per_query["map"])))
        evaluation = evaluate(["map"], model.score(reduced[2]), *test[1:])
        values += evaluation.per_query["map"].round(6).tolist()
        names += fold.names
        at += [count] * len(fold.names)
    notes: dict[str, object] = {"settings": choice.best, "sizes": fold.sizes(), **choice.notes}
    if way == "greedy":
        notes["chosen"] = order
    places = [float(count) for count in dimensions(task.options)]
    return Outcome(
        [
            Series("map", values, queries=names, at=at),
            Series(VALIDATION, validation, at=places),
        ],
        notes,
    )


@lru_cache(maxsize=1)
def ranked(data: Data, options: Options, seed: int, fold: int) -> NDArray[np.int64]:
    """Features in the order in which greedy selection takes them."""
    most = max(count for count in dimensions(options) if count < WHOLE)
    parts = lists(data, options, seed, fold)
    selector = Greedy(count=most, measure="map")
    selector.fit(*_some((parts.train[0][:, :WHOLE], *parts.train[1:])))
    return selector.chosen


def _some(graded: Graded) -> Graded:
    """The first few queries; which ones come first is chance already."""
    phi, grades, groups = graded
    inside = groups < QUERIES
    return phi[inside], grades[inside], groups[inside]

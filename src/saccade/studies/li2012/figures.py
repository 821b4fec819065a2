"""Figures 2 to 4 and Table 2: five sets of features under three learners.

    VSM 1 · BOV 12 · BOV+Sal 36 · BOV+Sal+SP 216 · Total 224 · Total+today 224 and every scheme

VSM is one retrieval model, tf-idf with cosine, and learns nothing. Settings are chosen by mAP on
the validation queries.
"""

from __future__ import annotations

from typing import Any

from saccade import rankers
from saccade.rankers.tuning import GRIDS, tune
from saccade.studies.declaration import Outcome, Series, Task
from saccade.studies.li2012.lists import Lists, lists
from saccade.studies.protocol import Graded
from saccade.testbed.measures import evaluate

MEASURES = ("map", "ndcg@10", "ndcg@50", "ndcg@100")
LEARNERS = ("prank", "ranksvm", "listnet")
SETS = {"BOV": 12, "BOV+Sal": 36, "BOV+Sal+SP": 216, "Total": 224}  # columns from the first on
TODAY = "Total+today"  # with --descriptors all: every column there is
VSM = "VSM"
SYSTEMS = (VSM, *(f"{name} {learner}" for name in SETS for learner in LEARNERS))
TODAY_SYSTEMS = (*SYSTEMS, *(f"{TODAY} {learner}" for learner in LEARNERS))
LABELS = {
    f"{name} {learner}": f"{name}, {label}"
    for name in (*SETS, TODAY)
    for learner, label in zip(LEARNERS, ("PRank", "RankSVM", "ListNet"), strict=True)
}


def measure(task: Task) -> Outcome:
    """One set of features under one learner on one fold."""
    fold = lists(task.data, task.options, task.seed, int(task.part.removeprefix("fold ")))
    model, width, settings = learned(task.system, fold)
    phi, grades, groups = fold.test
    found = evaluate(task.measures, model.score(phi[:, :width]), grades, groups)
    series = [
        Series(name, found.per_query[name].round(6).tolist(), queries=fold.names)
        for name in task.measures
    ]
    return Outcome(series, {"settings": settings, "features": width, "sizes": fold.sizes()})


def learned(system: str, fold: Lists) -> tuple[Any, int, dict[str, Any]]:
    """The model, how many columns it sees, and the settings that validation chose."""
    if system == VSM:
        return rankers.make("vsm"), 1, {}
    features, _, learner = system.rpartition(" ")
    width = fold.train[0].shape[1] if features == TODAY else SETS[features]
    train, validate = _narrow(fold.train, width), _narrow(fold.validate, width)
    settings = chosen(learner, train, validate)
    return rankers.make(learner, **settings).fit(*train), width, settings


def chosen(learner: str, train: Graded, validate: Graded) -> dict[str, Any]:
    """Settings by mAP on the validation queries."""

    def make(**settings: Any) -> Any:
        return rankers.make(learner, **settings)

    return tune(make, GRIDS[learner], train, validation=validate, measure="map").best


def _narrow(graded: Graded, width: int) -> Graded:
    return graded[0][:, :width], graded[1], graded[2]

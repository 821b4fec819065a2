"""Figures 2 to 4 and Table 2: five sets of features under three learners.

    VSM 1 · BOV 12 · BOV+Sal 36 · BOV+Sal+SP 216 · Total 224 · Total+today 224 and every scheme

VSM is one retrieval model, tf-idf with cosine, and learns nothing. Best feature is the one of the
224 with the best mAP on the validation queries. Settings are chosen by mAP on those, too.
"""

from __future__ import annotations

from saccade import rankers
from saccade.contracts import Ranker
from saccade.rankers.baselines import BestScheme
from saccade.rankers.tuning import GRIDS
from saccade.studies.declaration import Outcome, Series, Task
from saccade.studies.edges import ChosenSettings, choose
from saccade.studies.li2012.lists import LearningLists, lists
from saccade.studies.protocol import Graded
from saccade.testbed.measures import evaluate

MEASURES = ("map", "ndcg@10", "ndcg@50", "ndcg@100")
LEARNERS = ("prank", "ranksvm", "listnet")
SETS = {"BOV": 12, "BOV+Sal": 36, "BOV+Sal+SP": 216, "Total": 224}  # columns from the first on
TODAY = "Total+today"  # with --descriptors all: every column there is
VSM, BEST = "VSM", "best feature"
SYSTEMS = (VSM, BEST, *(f"{name} {learner}" for name in SETS for learner in LEARNERS))
TODAY_SYSTEMS = (*SYSTEMS, *(f"{TODAY} {learner}" for learner in LEARNERS))
LABELS = {
    f"{name} {learner}": f"{name}, {label}"
    for name in (*SETS, TODAY)
    for learner, label in zip(LEARNERS, ("PRank", "RankSVM", "ListNet"), strict=True)
}


def measure(task: Task) -> Outcome:
    """One set of features under one learner on one fold."""
    fold = lists(task.data, task.options, task.seed, int(task.part.removeprefix("fold ")))
    model, width, choice = learned(task.system, fold)
    phi, grades, groups = fold.test
    evaluation = evaluate(task.measures, model.score(phi[:, :width]), grades, groups)
    series = [
        Series(name, evaluation.per_query[name].round(6).tolist(), queries=fold.names)
        for name in task.measures
    ]
    notes = {"settings": choice.best, "features": width, "sizes": fold.sizes()}
    return Outcome(series, {**notes, **choice.notes})


def learned(system: str, fold: LearningLists) -> tuple[Ranker, int, ChosenSettings]:
    """The model, how many columns it sees, and the settings that validation chose."""
    if system == VSM:
        return rankers.make("vsm"), 1, ChosenSettings({}, {})
    if system == BEST:
        width = SETS["Total"]
        train, validate = _narrow(fold.train, width), _narrow(fold.validate, width)
        best = rankers.make("best-scheme").fit(*train, validation=validate)
        assert isinstance(best, BestScheme)
        return best, width, ChosenSettings({"feature": best.column}, {})
    features, _, learner = system.rpartition(" ")
    width = fold.train[0].shape[1] if features == TODAY else SETS[features]
    train, validate = _narrow(fold.train, width), _narrow(fold.validate, width)
    choice = chosen(learner, train, validate)
    model = rankers.as_ranker(rankers.make(learner, **choice.best))
    return model.fit(*train), width, choice


def chosen(learner: str, train: Graded, validate: Graded) -> ChosenSettings:
    """Settings by mAP on the validation queries."""

    def make(**settings: object) -> Ranker:
        return rankers.as_ranker(rankers.make(learner, **settings))

    return choose(make, GRIDS[learner], train, validate, measure="map")


def _narrow(graded: Graded, width: int) -> Graded:
    return graded[0][:, :width], graded[1], graded[2]

"""Table 2: mAP over the test queries of five folds, in the paper's form and in ours.

                  the paper's                                 ours (a system's name with *)
    instances     200,000 z, one for each (q, p¹, p²)         200,000 rows (q, p)
    online        one pass, the last weights                  five shuffled passes, mean weights
    RankNet       one hidden layer of ten units               linear
    RankSVM       hinge loss                                  squared hinge loss

Settings are chosen by mAP on all validation queries, from the same grids for both forms.
"""

from __future__ import annotations

import time
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.contracts import Ranker
from saccade.rankers.tuning import GRIDS
from saccade.studies.collection import opened
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.edges import ChosenSettings, choose
from saccade.studies.protocol import Sizes, Split, split
from saccade.studies.wan2015.printed import BATCH, HEURISTICS, LABELS, ONLINE, SECOND
from saccade.testbed.measures import evaluate
from saccade.types import Spec

MEASURE = "map"
OURS = "*"  # ends the name of a system in our form
PAPER_SYSTEMS = (*HEURISTICS, *BATCH, *ONLINE)
OUR_SYSTEMS = tuple(name + OURS for name in (*BATCH, *ONLINE, *SECOND))
SYSTEMS = (*PAPER_SYSTEMS, *OUR_SYSTEMS)
SYSTEM_LABELS = LABELS | {name + OURS: f"{label} (ours)" for name, label in LABELS.items()}

# mAP looks at every rank, so both learners of a measure do. Fewer trees were worse wherever we
# looked (`trees` shows it), so that their number is not tuned: leaves are.
_BOTH: dict[str, dict[str, object]] = {
    "coordinate-ascent": {"measure": "map", "starts": 1},
    "lambdamart": {"cut": 400, "trees": 300},
}
_PAPER: dict[str, dict[str, object]] = {
    "ranknet": {"hidden": 10},
    "ranksvm": {"loss": "hinge"},
    **{name: {"passes": 1, "average": False} for name in ONLINE},
}


def sizes_of(options: Options, system: str) -> Sizes:
    """How much a system learns from: instances are pairs in the paper's form, rows in ours."""
    counted = "rows" if system.endswith(OURS) else "pairs"
    if options.quick:
        return Sizes(validation=20, test=20, instances=5_000, counted=counted)
    return Sizes(counted=counted)


def fixed_settings(system: str) -> dict[str, object]:
    """Settings that are not tuned: what makes a system the paper's or ours."""
    name = system.removesuffix(OURS)
    return {**_BOTH.get(name, {}), **({} if system.endswith(OURS) else _PAPER.get(name, {}))}


def measure(task: Task) -> Outcome:
    """One system on one fold."""
    sizes = sizes_of(task.options, task.system)
    fold = _split(task.data, task.options, sizes, task.seed, int(task.part.removeprefix("fold ")))
    with opened(task.data, task.options) as images:
        names = [images.paths[row] for row in fold.queries]
    values, notes = one(task.system, fold)
    return Outcome([Series(MEASURE, values.round(6).tolist(), queries=names)], notes)


@lru_cache(maxsize=1)
def _split(data: Data, options: Options, sizes: Sizes, seed: int, fold: int) -> Split:
    """A worker's systems of one fold share its φ."""
    with opened(data, options) as images:
        return split(images.labels, images.phi_of, sizes, seed=seed, fold=fold)


def one(system: str, fold: Split) -> tuple[NDArray[np.float64], Spec]:
    """Choose settings on the validation queries, learn from the training rows, judge the test."""
    model, notes = fitted(system, fold)
    phi, grades, groups = fold.test
    judged = evaluate([MEASURE], model.score(phi), grades, groups)
    return judged.per_query[MEASURE], {**notes, "sizes": fold.sizes()}


def fitted(system: str, fold: Split) -> tuple[Ranker, Spec]:
    """The model that learned, and notes: settings by the validation queries, and seconds."""
    name, fixed = system.removesuffix(OURS), fixed_settings(system)
    choice = chosen(system, fold)
    model = rankers.as_ranker(rankers.make(name, **fixed, **choice.best))
    began = time.perf_counter()
    # The best single scheme is chosen "via cross validation": on the validation queries.
    if name == "best-scheme":
        model.fit(*fold.train, validation=fold.validate)
    else:
        model.fit(*fold.train)
    seconds = round(time.perf_counter() - began, 3)
    return model, {"settings": {**fixed, **choice.best}, "fit_seconds": seconds, **choice.notes}


def chosen(system: str, fold: Split) -> ChosenSettings:
    """The settings of a grid that do best on the validation queries; nothing where none is open."""
    name, fixed = system.removesuffix(OURS), fixed_settings(system)
    grid = {key: values for key, values in GRIDS.get(name, {}).items() if key not in fixed}
    if not grid:
        return ChosenSettings({}, {})

    def make(**settings: object) -> Ranker:
        return rankers.as_ranker(rankers.make(name, **fixed, **settings))

    return choose(make, grid, fold.train, fold.validate, measure=MEASURE)


def first_fold(task: Task, system: str) -> Split:
    """The first fold of a task's set, as a system of Table 2 sees it."""
    return _split(task.data, task.options, sizes_of(task.options, system), task.seed, 1)

"""Why λ-MART leads in the paper's Table 2, or does not here: one thing changed at a time.

Each variant learns from the rows of our form and is judged on the test queries of some folds; the
linear learner beside it is OPAR-II in the same form.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from saccade import rankers
from saccade.studies.collection import opened
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.protocol import Sizes, Split, split
from saccade.studies.wan2015.table2 import MEASURE, sizes_of
from saccade.testbed.measures import evaluate

BASE: dict[str, Any] = {"trees": 300, "leaves": 16, "cut": 400}
CHANGES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "50 trees": {"trees": 50},
    "4 leaves": {"leaves": 4},
    "cut at 10": {"cut": 10},
    "cut at 30": {"cut": 30},
    "a tenth of the instances": {},
    "instances are pairs": {},
}
LINEAR = "OPAR-II beside it"
SYSTEMS = (*CHANGES, LINEAR)
QUICK = ("as it is", "50 trees", "cut at 10", LINEAR)


def sizes_for(options: Options, system: str) -> Sizes:
    """How much a variant learns from."""
    sizes = sizes_of(options, "lambdamart*")
    if system == "a tenth of the instances":
        return replace(sizes, instances=sizes.instances // 10)
    return replace(sizes, counted="pairs") if system == "instances are pairs" else sizes


def measure(task: Task) -> Outcome:
    """One variant on one fold."""
    sizes = sizes_for(task.options, task.system)
    fold = _split(task.data, task.options, sizes, task.seed, int(task.part.removeprefix("fold ")))
    if task.system == LINEAR:
        model, settings = rankers.make("opar2"), {}
    else:
        settings = BASE | CHANGES[task.system]
        model = rankers.make("lambdamart", **settings)
    model.fit(*fold.train)
    series = []
    for name, graded in ((MEASURE, fold.test), ("map in training", fold.train)):
        phi, grades, groups = graded
        found = evaluate([MEASURE], model.score(phi), grades, groups)
        series.append(Series(name, found.per_query[MEASURE].round(6).tolist(),
                             queries=[str(query) for query in found.queries]))  # fmt: skip
    return Outcome(series, {"settings": settings, "sizes": fold.sizes()})


@lru_cache(maxsize=1)
def _split(data: Data, options: Options, sizes: Sizes, seed: int, fold: int) -> Split:
    with opened(data, options) as images:
        return split(images.labels, images.phi_of, sizes, seed=seed, fold=fold)

"""Why λ-MART leads in the paper's Table 2, or does not here: one thing changed at a time.

    trees, leaves, cut            how much it can bend, and how far down a list it looks
    instances, queries            how many rows it has seen, and from how many queries: as many
                                  rows from fewer queries are longer lists, with more irrelevant
    a scheme a descriptor         φ of a quarter of the columns, so less to bend between
    in training                   the same mAP on the queries it learned from

Each variant learns from the rows of our form and is judged on the test queries of some folds; the
linear learner beside it is OPAR-II in the same form, under the same change where it could matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from saccade import rankers
from saccade.studies.collection import opened
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.protocol import Graded, Sizes, Split, split
from saccade.studies.wan2015.table2 import MEASURE, sizes_of
from saccade.testbed.measures import evaluate
from saccade.types import Rows

BASE: dict[str, object] = {"trees": 300, "leaves": 16, "cut": 400}
TRAINING = "map in training"
ONE = "cosine"  # the similarity that is left where each descriptor has one


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing that is otherwise: settings, how much is learned from, or φ."""

    ranker: str = "lambdamart"
    settings: dict[str, object] = field(default_factory=dict)
    instances: int = 1  # one of so many
    queries: int = 1  # one of so many, with as many rows in all
    counted: str = "rows"
    single: bool = False  # a scheme a descriptor


PLAIN, LINEAR = "as it is", "OPAR-II beside it"
FEWER = "a tenth of the queries, longer lists"
LINEAR_FEWER = f"OPAR-II, {FEWER}"
NARROW = "a scheme a descriptor"
LINEAR_NARROW = f"OPAR-II, {NARROW}"
VARIANTS: dict[str, Variant] = {
    PLAIN: Variant(),
    "50 trees": Variant(settings={"trees": 50}),
    "4 leaves": Variant(settings={"leaves": 4}),
    "cut at 10": Variant(settings={"cut": 10}),
    "cut at 30": Variant(settings={"cut": 30}),
    "a tenth of the instances": Variant(instances=10),
    "instances are pairs": Variant(counted="pairs"),
    "a third of the queries, longer lists": Variant(queries=3),
    FEWER: Variant(queries=10),
    NARROW: Variant(single=True),
    LINEAR: Variant("opar2"),
    LINEAR_FEWER: Variant("opar2", queries=10),
    LINEAR_NARROW: Variant("opar2", single=True),
}
SYSTEMS = tuple(VARIANTS)
QUICK = (PLAIN, "50 trees", "cut at 10", FEWER, LINEAR, LINEAR_FEWER)


def sizes_for(options: Options, system: str, queries: int) -> Sizes:
    """How much a variant learns from, where a fold has so many training queries."""
    variant, sizes = VARIANTS[system], sizes_of(options, "lambdamart*")
    return replace(
        sizes,
        instances=sizes.instances // variant.instances,
        counted=variant.counted,
        queries=max(1, queries // variant.queries) if variant.queries > 1 else 0,
    )


def measure(task: Task) -> Outcome:
    """One variant on one fold."""
    variant, number = VARIANTS[task.system], int(task.part.removeprefix("fold "))
    where = task.data, task.options, task.seed, number
    count = 0
    if variant.queries > 1:
        whole = sizes_for(task.options, PLAIN, 0)
        count = _split(*where, whole)[0].sizes()["training_queries"]
    fold, schemes = _split(*where, sizes_for(task.options, task.system, count))
    columns = _columns(schemes) if variant.single else np.arange(len(schemes))
    settings = BASE | variant.settings if variant.ranker == "lambdamart" else {}
    model = rankers.as_ranker(rankers.make(variant.ranker, **settings))
    model.fit(*_narrowed(fold.train, columns))
    series = []
    for name, graded in ((MEASURE, fold.test), (TRAINING, fold.train)):
        phi, grades, groups = _narrowed(graded, columns)
        evaluation = evaluate([MEASURE], model.score(phi), grades, groups)
        series.append(Series(name, evaluation.per_query[MEASURE].round(6).tolist(),
                             queries=[str(query) for query in evaluation.queries]))  # fmt: skip
    notes = {"settings": settings, "sizes": fold.sizes(), "columns": len(columns)}
    return Outcome(series, notes)


def _columns(schemes: Sequence[str]) -> Rows:
    """Where the one similarity of each descriptor is; all where there is none of that name."""
    places = [place for place, name in enumerate(schemes) if name.endswith(f":{ONE}")]
    return np.array(places or range(len(schemes)))


def _narrowed(graded: Graded, columns: Rows) -> Graded:
    phi, grades, groups = graded
    return phi[:, columns], grades, groups


@lru_cache(maxsize=2)
def _split(
    data: Data, options: Options, seed: int, fold: int, sizes: Sizes
) -> tuple[Split, tuple[str, ...]]:
    with opened(data, options) as images:
        sides = split(images.labels, images.phi_of, sizes, seed=seed, fold=fold)
        return sides, images.schemes

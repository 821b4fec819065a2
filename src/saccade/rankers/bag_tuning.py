"""Settings of multiple-instance rankers by cross-validation, the kernel computed once per width.

    value(C, gamma) = mean over folds of a measure on bags that were not learned from

as Hu, Li & Yu choose γ and σ²: two folds of the training pictures (2008, section 5.3). They do not
say by which measure; here it is average precision with the best grade as the relevant one, their
own first measure. Distances of all regions are taken once, each `gamma` turns them into a kernel
once, and every C and fold takes its part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade import rankers
from saccade.errors import InvalidInput
from saccade.kernels import bags as kernel
from saccade.rankers.bag_program import BagProgram, Floats
from saccade.rankers.bags import Bags, checked_bags, graded_pairs
from saccade.rankers.batch import Standard
from saccade.rankers.multiple_instance import MultipleInstance
from saccade.rankers.objective import Measure
from saccade.rankers.tuning import Trial, Tuned

COSTS = (1.0, 10.0, 100.0, 1000.0, 10000.0)
"""With the least of them scores are so small that mi-softmax still ranks as mi-average does."""
WIDTHS = (0.1, 0.3, 1.0, 3.0)
"""Of `gamma` times the number of columns: 0.1 is the default of the rankers."""
SHARPNESS = (0.25, 1.0, 4.0)
"""Of `eta`, for those who let it be chosen too: from nearly the mean to the paper's."""


@dataclass(frozen=True, slots=True, eq=False)
class BagFold:
    """Bags to learn from with their pairs, and bags to judge by."""

    train: NDArray[np.int64]
    pairs: NDArray[np.int64]
    judged: NDArray[np.int64]


def tune_bags(
    name: str,
    bags: Sequence[ArrayLike],
    grades: ArrayLike,
    *,
    costs: Sequence[float] = COSTS,
    widths: Sequence[float] = WIDTHS,
    etas: Sequence[float] = (),
    measure: str = "map",
    folds: int = 2,
    seed: int = 0,
    **settings: object,
) -> Tuned[float]:
    """The C and gamma that rank left-out bags best; ties go to the earlier, smaller ones.

    `name` is mi-average, mi-max or mi-softmax; other `settings` are those of the ranker. With
    `etas` the sharpness of mi-softmax is chosen as well.
    """
    stack = checked_bags(bags)
    grades = np.asarray(grades)
    if grades.shape != (len(stack),):
        raise InvalidInput(f"grades has shape {grades.shape}: expected [{len(stack)}], one per bag")
    parts = _folds(grades, folds, seed)
    model = _instance_ranker(name, **settings)
    rows = stack.rows.astype(np.float64)
    if model.standardise:
        rows = Standard.of(rows).apply(rows)
    squares = np.square(rows).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares - 2.0 * rows @ rows.T, 0.0)
    aim = Measure.parse(measure)
    done = []
    for width in widths:
        gamma = width / rows.shape[1]
        gram = _gram(distances, gamma)
        for C, sharp in product(costs, [{"eta": eta} for eta in etas] or [{}]):
            tried = {"C": C, "gamma": gamma, **sharp}
            judged = _instance_ranker(name, **settings, **tried)
            values = [_value(judged, gram, stack, grades, part, aim) for part in parts]
            done.append(Trial(tried, float(np.mean(values))))
    best = max(done, key=lambda trial: trial.value)
    return Tuned(best.settings, best.value, str(aim), tuple(done))


def _instance_ranker(name: str, **settings: object) -> MultipleInstance:
    model = rankers.make(name, **settings)
    if not isinstance(model, MultipleInstance):
        raise InvalidInput(f"ranker {name!r} has no C and gamma to be chosen by cross-validation")
    return model


def _gram(distances: Floats, gamma: float) -> Floats:
    return np.asarray(np.exp(-gamma * distances))


def _folds(grades: NDArray[np.number], folds: int, seed: int) -> list[BagFold]:
    """Bags dealt into folds grade by grade, so that each has its share of every grade."""
    dealt = np.empty(len(grades), np.int64)
    rng = np.random.default_rng(seed)
    # Grade after grade, and one goes on where the last one ended: no fold gets all the odd ones.
    order = np.concatenate(
        [
            np.zeros(0, np.int64),
            *(rng.permutation(np.flatnonzero(grades == grade)) for grade in np.unique(grades)),
        ]
    )
    dealt[order] = np.arange(len(grades)) % folds
    parts = []
    for fold in range(folds):
        train, judged = np.flatnonzero(dealt != fold), np.flatnonzero(dealt == fold)
        pairs = graded_pairs(grades[train])
        if not len(pairs) or len(np.unique(grades[judged])) < 2:
            raise InvalidInput(
                f"{len(grades)} bags in {folds} folds: each fold needs two different grades",
                hint="grade more pictures, or take the ranker's own settings",
            )
        parts.append(BagFold(train, pairs, judged))
    return parts


def _value(
    model: MultipleInstance,
    gram: Floats,
    bags: Bags,
    grades: NDArray[np.number],
    part: BagFold,
    aim: Measure,
) -> float:
    """The measure on the judged bags of a model learned from the others."""
    learned, starts = bags.places(part.train)
    judged, judged_starts = bags.places(part.judged)
    winners, losers = (np.ascontiguousarray(side) for side in part.pairs.T)
    inside = np.ascontiguousarray(gram[np.ix_(learned, learned)])
    cap = model.C / len(winners)
    program = BagProgram(inside, starts, winners, losers, cap, model.tolerance, model.rounds)
    coefficients = model.solved(program).coefficients
    scores = gram[np.ix_(judged, learned)] @ coefficients
    pooled, shares = np.empty(len(part.judged)), np.empty(len(scores))
    kernel.pool(model.pooling, model.sharpness, scores, judged_starts, pooled, shares)
    relevant = (grades[part.judged] == grades.max()).astype(np.int64)
    if aim.name != "map":
        relevant = (grades[part.judged] - grades.min()).astype(np.int64)
    return aim.judge(relevant, np.array([0, len(pooled)])).mean(pooled)

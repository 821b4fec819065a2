"""Settings by validation: one way for every ranker, so that comparisons are fair.

    value(settings) = mean over queries of the measure on rows that were not learned from

Queries are dealt into folds at random (no query is ever on both sides), or one set of validation
rows is given. `grid` tries every combination, `random` draws some of them. The best mean wins, ties
go to the earlier trial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Ranker, Training
from saccade.errors import InvalidInput
from saccade.rankers import checked
from saccade.rankers.objective import Measure

Value = TypeVar("Value")

# What is worth trying for each ranker; names and grids in one place, so that every study and table
# spends alike.
GRIDS: dict[str, Mapping[str, Sequence[object]]] = {
    "adarank": {"measure": ("map", "ndcg@10"), "repeats": (1, 3, 10)},
    "arow": {"r": (0.01, 0.1, 1.0, 10.0, 100.0)},
    "coordinate-ascent": {"measure": ("map", "ndcg@10"), "tolerance": (0.0005, 0.005)},
    "lambdamart": {"leaves": (4, 8, 16), "trees": (50, 100, 300)},
    "listmle": {"l2": (0.003, 0.03, 0.3, 3.0)},
    "listnet": {"l2": (0.0001, 0.003, 0.03, 0.3)},
    "ogdr": {"rate": (0.001, 0.01, 0.1, 1.0)},
    "opar1": {"C": (0.0001, 0.001, 0.01, 0.1, 1.0)},
    "opar2": {"C": (0.0001, 0.001, 0.01, 0.1, 1.0)},
    "opr": {"passes": (1, 3, 10)},
    "prank": {"passes": (1, 5, 20)},
    "ranknet": {"l2": (0.0001, 0.001, 0.01, 0.1)},
    "ranksvm": {"C": (0.01, 0.1, 1.0, 10.0)},
    "scw": {"C": (0.001, 0.01, 0.1), "confidence": (0.55, 0.75, 0.9)},
}


@dataclass(frozen=True, slots=True)
class Trial(Generic[Value]):
    """Settings and the value they reached."""

    settings: dict[str, Value]
    value: float


@dataclass(frozen=True, slots=True)
class Tuned(Generic[Value]):
    """The settings that did best, and all that were tried."""

    best: dict[str, Value]
    value: float
    measure: str
    trials: tuple[Trial[Value], ...]


def tune(
    make: Callable[..., Ranker],
    grid: Mapping[str, Sequence[Value]],
    training: Training,
    *,
    measure: str,
    validation: Training | None = None,
    folds: int = 5,
    search: str = "grid",
    trials: int = 20,
    seed: int = 0,
) -> Tuned[Value]:
    """Try settings; `make(**settings)` gives a fresh ranker with `fit` and `score`.

    >>> from saccade import rankers
    >>> phi, grades, groups = np.eye(4)[[0, 1, 2, 3] * 3], [0, 0, 1, 1] * 3, np.repeat([1, 2, 3], 4)
    >>> outcome = tune(lambda **s: rankers.make("listnet", **s), {"l2": [1.0, 0.1]},
    ...              (phi, grades, groups), measure="map", folds=3)
    >>> outcome.best, outcome.value
    ({'l2': 1.0}, 1.0)
    """
    aim = Measure.parse(measure)
    if search not in ("grid", "random"):
        raise InvalidInput(f"search {search!r}: expected 'grid' or 'random'")
    every = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    if search == "random" and trials < len(every):
        drawn = np.random.default_rng(seed).choice(len(every), trials, replace=False)
        every = [every[at] for at in np.sort(drawn)]
    splits = list(_splits(training, validation, folds, seed))
    done = []
    for settings in every:
        values = [_value(make(**settings), aim, *split) for split in splits]
        done.append(Trial(settings, float(np.concatenate(values).mean())))
    best = max(done, key=lambda trial: trial.value)
    return Tuned(best.settings, best.value, str(aim), tuple(done))


def _splits(
    training: Training, validation: Training | None, folds: int, seed: int
) -> Iterator[tuple[Training, Training]]:
    """What to learn from and what to judge by, once or fold by fold."""
    if validation is not None:
        yield training, validation
        return
    phi, grades, groups = (np.asarray(part) for part in training)
    queries = np.unique(groups)
    if not 2 <= folds <= len(queries):
        raise InvalidInput(f"{folds} folds of {len(queries)} queries: expected 2 to {len(queries)}")
    dealt = np.random.default_rng(seed).permutation(len(queries)) % folds
    part = dealt[np.searchsorted(queries, groups)]
    for fold in range(folds):
        inside, outside = part != fold, part == fold
        yield (
            (phi[inside], grades[inside], groups[inside]),
            (phi[outside], grades[outside], groups[outside]),
        )


def _value(
    model: Ranker, aim: Measure, training: Training, validation: Training
) -> NDArray[np.float64]:
    """The measure of each validation query that orders something."""
    model.fit(*training)
    rows = checked.queries(*validation)
    if len(rows) == 0:
        return np.zeros(0)
    values = aim.judge(rows.grades, rows.starts).values(model.score(rows.phi))
    return values[~np.isnan(values)]

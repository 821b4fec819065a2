"""Theorems 1 to 3 along the stream: loss, its bound, regret, and MAP above its bound.

    regret(t) = Σ_{s ≤ t} ℓ_s(w_s) − Σ_{s ≤ t} ℓ_s(w*)        w* = argmin ½|w|² + Σ_T ℓ(w)

w* is found in hindsight on the whole stream; it is the comparator of every bound. Each pair is a
list of its own, so its average precision is 1 or ½. `saccade.rankers.bounds` has the bounds and
what the printed ones lack.
"""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.rankers.online import FirstOrder, pair_losses
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.wan2015.stream import instances

MEASURES = ("regret a pair", "loss a pair", "loss bound a pair", "MAP", "MAP bound")
# Steps for which each bound says most; OPR has none.
SETTINGS: dict[str, dict[str, float]] = {"opr": {}, "opar1": {"C": 0.1}, "opar2": {"C": 0.1},
                                       "ogdr": {"rate": 0.1}}  # fmt: skip
PLACES = 20


def length(options: Options) -> int:
    """Instances of the stream."""
    return 2_000 if options.quick else 40_000


def measure(task: Task) -> Outcome:
    """One learner along the stream of one set."""
    z = instances(task.data, task.options, length(task.options), task.seed)
    best, losses = hindsight(task.data, task.options, length(task.options), task.seed)
    settings = SETTINGS[task.system]
    model = rankers.make(task.system, **settings)
    assert isinstance(model, FirstOrder)
    columns = along(model, z, best, losses)
    at = columns.pop("at")
    notes = {"settings": settings, "instances": len(z), "hindsight_loss": float(losses.mean()),
             "hindsight_norm": float(np.linalg.norm(best))}  # fmt: skip
    return Outcome([Series(name, values, at=at) for name, values in columns.items()], notes)


def along(
    model: FirstOrder,
    z: NDArray[np.float32],
    best: NDArray[np.float64],
    losses: NDArray[np.float64],
) -> dict[str, list[float]]:
    """Each measure at some places of the stream; the bound is that of the run so far."""
    columns: dict[str, list[float]] = {name: [] for name in ("at", *MEASURES)}
    ends = np.unique(np.linspace(0, len(z), PLACES + 1).round().astype(int))[1:]
    begin = 0
    for end in ends.tolist():
        model.learn_differences(z[begin:end])
        begin = end
        mine = losses[: model.seen]
        values = (
            (model.loss - float(mine.sum())) / model.seen,
            model.loss / model.seen,
            model.loss_bound(best, mine) / model.seen,
            1.0 - 0.5 * model.mistakes / model.seen,
            model.bound(best, mine),
        )
        columns["at"].append(model.seen)
        for name, value in zip(MEASURES, values, strict=True):
            columns[name].append(float(value))
    return columns


@lru_cache(maxsize=1)
def hindsight(
    data: Data, options: Options, count: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The best fixed weights for the whole stream, and their loss on each instance."""
    z = instances(data, options, count, seed)
    z = z[(z * z != 0.0).any(axis=1)]
    best = best_fixed(z, seed=seed)
    return best, pair_losses(z, np.zeros_like(z), best)


def best_fixed(z: NDArray[np.float32], *, seed: int) -> NDArray[np.float64]:
    """The w of least ½|w|² + Σ max(0, 1 − w·z)."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    signs = np.where(np.arange(len(z)) % 2, -1.0, 1.0)
    machine = LinearSVC(C=1.0, loss="hinge", dual=True, fit_intercept=False, tol=1e-3,
                        max_iter=2_000, random_state=seed)  # fmt: skip
    with warnings.catch_warnings():
        # Near the minimum is enough: a bound holds for every comparator, it is only less tight.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(z.astype(np.float64) * signs[:, None], signs)
    best: NDArray[np.float64] = machine.coef_[0].astype(np.float64)
    return best

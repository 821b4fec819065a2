"""Beyond the pictures at hand: how long one ranking takes among up to a million images.

φ is 36 columns of random numbers here: nothing is learned from it and no quality is measured, only
the time of scoring every image and taking the first 50.
"""

from __future__ import annotations

import time

import numpy as np

from saccade import rankers
from saccade.kernels.topk import top
from saccade.studies.declaration import Options, Outcome, Series, Task

COLUMNS, FIRST = 36, 50
SYSTEMS = ("opar1", "lambdamart")
MEASURE = "milliseconds a ranking"


def amounts(options: Options) -> tuple[int, ...]:
    """Images along the axis."""
    return (1_000, 10_000) if options.quick else (1_000, 10_000, 100_000, 1_000_000)


def measure(task: Task) -> Outcome:
    """One kind of model at every amount: the median of five rankings."""
    rng = np.random.default_rng(task.seed)
    model = rankers.as_ranker(rankers.make(task.system))
    phi = rng.random((400, COLUMNS), dtype=np.float32)
    model.fit(phi, (phi[:, 0] > 0.7).astype(np.int64), np.repeat(np.arange(10), 40))
    medians = []
    for count in amounts(task.options):
        phi = rng.random((count, COLUMNS), dtype=np.float32)
        times = []
        for _ in range(5 if count < 1_000_000 else 3):
            began = time.perf_counter()
            top(model.score(phi), FIRST)
            times.append(1e3 * (time.perf_counter() - began))
        medians.append(float(np.median(times)))
    return Outcome([Series(MEASURE, medians, at=amounts(task.options))])

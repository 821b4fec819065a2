"""Figure 1 and Table 3: how long learners take, by number of training instances.

Online learners make one pass over z as it arrives; batch learners fit the same queries whole. The
settings are the middle of each grid: nothing is tuned. Times are of one process, nothing beside it.
"""

from __future__ import annotations

import time

import numpy as np

from saccade import rankers
from saccade.studies.declaration import Options, Outcome, Series, Task
from saccade.studies.wan2015.printed import BATCH, ONLINE, SECOND
from saccade.studies.wan2015.stream import instances, rows
from saccade.studies.wan2015.table2 import fixed_settings

SYSTEMS = (*BATCH, "ranksvm*", *ONLINE, *SECOND)
MEASURE = "seconds"


def amounts(options: Options) -> tuple[int, ...]:
    """Figure 1: instances along its axis."""
    if options.quick:
        return (1_000, 2_000, 4_000)
    return (25_000, 50_000, 100_000, 150_000, 200_000)


def many(options: Options) -> int:
    """Table 3: its number of instances."""
    return 20_000 if options.quick else 3_000_000


def figure_1(task: Task) -> Outcome:
    """One system at every amount."""
    at, seconds = [], []
    for count in amounts(task.options):
        taken, had = timed(task, count)
        at.append(had)
        seconds.append(taken)
    return Outcome([Series(MEASURE, seconds, at=at)])


def table_3(task: Task) -> Outcome:
    """One system at the largest amount."""
    seconds, had = timed(task, many(task.options))
    return Outcome([Series(MEASURE, [seconds]), Series("instances", [float(had)])])


def timed(task: Task, count: int) -> tuple[float, int]:
    """Seconds of one fit, and the instances it had: a small set may have fewer than asked for."""
    z = instances(task.data, task.options, count, task.seed)
    name = task.system.removesuffix("*")
    if name in (*ONLINE, *SECOND):
        _warm(name)
        online = rankers.as_online(rankers.make(name))
        began = time.perf_counter()
        online.learn_differences(z)
        return time.perf_counter() - began, len(z)
    graded = rows(task.data, task.options, count, task.seed)
    fixed = fixed_settings(task.system)
    if fixed.get("loss") == "hinge":
        fixed["limit"] = len(z)
    _warm(name, **fixed)
    model = rankers.as_ranker(rankers.make(name, **fixed))
    began = time.perf_counter()
    model.fit(*graded)
    return time.perf_counter() - began, len(z)


def _warm(name: str, **fixed: object) -> None:
    """Compile and import what the learner needs, so that the clock sees learning alone."""
    phi = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.2, 0.9]], np.float32)
    small = {key: value for key, value in fixed.items() if key != "limit"}
    model = rankers.make(name, **small)
    if name in (*ONLINE, *SECOND):
        rankers.as_online(model).learn_differences(phi)
    else:
        rankers.as_ranker(model).fit(phi, [0, 1, 1, 0], [1, 1, 1, 1])

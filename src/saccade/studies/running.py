"""Runs a study: parts in parallel, each kept as soon as it is done, so that the next run goes on.

    OUT/NAME/parts/<experiment>-<digest>.json      one part: task, code, commit and values

A part is taken over when its task and the package's source are the same. With `trust` the source
may differ: the result then names the commits that measured it. Experiments that measure time run
afterwards, one part at a time.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from saccade import trace
from saccade.errors import SaccadeError
from saccade.scale.executors import executor
from saccade.scale.local import Crashed
from saccade.studies.declaration import Data, Options, Outcome, Say, Study, Task, plain
from saccade.studies.machine import busy, code, commit, others_share
from saccade.studies.results import Part, Results, as_json, from_json
from saccade.testbed.tables import write_json

log = logging.getLogger(__name__)

Step = Callable[[int, int, str], None]  # parts done, parts in all, the last one


@dataclass(frozen=True, slots=True)
class Run:
    """A study that ran: what it measured, and what was said about the data before."""

    study: Study
    options: Options
    data: tuple[Data, ...]
    results: Results
    problems: dict[str, tuple[str, ...]]  # by set
    commits: tuple[str, ...] = ()  # of the code that measured the parts


def run(
    study: Study,
    data: Sequence[Data],
    options: Options,
    *,
    out: Path,
    workers: int | None = None,
    on: str = "processes",
    trust: bool = False,
    say: Say = lambda text: None,
    step: Step = lambda done, total, last: None,
) -> Run:
    """Prepare the sets, measure what is missing, and give everything back in the declared order."""
    problems = {}
    for one in data:
        problems[one.name] = tuple(study.prepare(one, options, say))
    tasks = study.tasks(data, options)
    parts = _Parts(out / study.name / "parts", trust=trust)
    measured = {task.key: earlier for task in tasks if (earlier := parts.get(task)) is not None}
    if measured:
        say(f"{study.name}: {len(measured)} of {len(tasks)} parts are there already")
    alone = {experiment.name for experiment in study.sized(options) if experiment.alone}
    missing = [task for task in tasks if task.key not in measured]
    together = [task for task in missing if task.experiment not in alone]
    timed = [task for task in missing if task.experiment in alone]
    # What is timed is timed here, one part after the other, wherever the others run.
    for some, crew, where in ((together, workers, on), (timed, 1, "processes")):
        for task, outcome, seconds, load in _measured(some, crew, where):
            # Times are read beside the load of their moment; what is no time does not depend on it.
            part = Part(task, outcome, load if task.experiment in alone else None)
            parts.put(part)
            measured[task.key] = part
            step(len(measured), len(tasks), f"{study.name}: {task.key}, {seconds:.1f} s")
    ran = [experiment.name for experiment in study.experiments]
    results = Results([measured[task.key] for task in tasks], ran=ran)
    return Run(study, options, tuple(data), results, problems, parts.commits)


def _measured(
    tasks: Sequence[Task], workers: int | None, on: str
) -> Iterator[tuple[Task, Outcome, float, float]]:
    if not tasks:
        return
    name = "saccade.studies.running:perform"
    for task, answer in executor(on).map(name, tasks, workers=workers):
        if isinstance(answer, Crashed):
            raise SaccadeError(
                f"study {task.study}, part {task.key}: its worker died ({answer})",
                hint="run the same command again; finished parts are kept",
            )
        yield task, *answer


def perform(task: Task) -> tuple[Outcome, float, float]:
    """Measure one part, in whatever process this is; its seconds, and what others used then."""
    module, _, name = task.function.partition(":")
    began, before = time.perf_counter(), busy()
    outcome: Outcome = getattr(importlib.import_module(module), name)(task)
    # Through JSON, so that a fresh part and one that was kept are the same to the last digit.
    exact = from_json(json.loads(json.dumps(as_json(outcome), default=_number)))
    seconds = time.perf_counter() - began
    return exact, seconds, others_share(before, busy(), seconds)


def _number(value: np.generic | np.ndarray) -> object:
    """Numpy's numbers and arrays as JSON has them."""
    return value.tolist()


class _Parts:
    """Parts on disk, by their task; `commits` are those of the code that measured them."""

    def __init__(self, folder: Path, *, trust: bool) -> None:
        self._folder, self._trust = folder, trust
        self._code, self._commit = code(), commit()
        self.commits: tuple[str, ...] = ()

    def _file(self, task: Task) -> Path:
        whole = json.dumps(plain(task), sort_keys=True)
        digest = hashlib.sha256(whole.encode()).hexdigest()[:20]
        return self._folder / f"{task.experiment}-{digest}.json"

    def get(self, task: Task) -> Part | None:
        """The part, when it was measured by this code; a file that cannot be read is no part."""
        try:
            record = json.loads(self._file(task).read_text(encoding="utf-8"))
            if record["code"] != self._code and not self._trust:
                return None
            part, by = Part(task, from_json(record["outcome"]), record["load"]), record["commit"]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            trace.swallowed(log, error, doing="reading a measured part", file=self._file(task).name)
            return None
        self._measured_by(str(by))
        return part

    def put(self, part: Part) -> None:
        """Keep a part, whole or not at all."""
        origin = {"code": self._code, "commit": self._commit, "load": part.load}
        whole = {"task": plain(part.task), **origin, "outcome": as_json(part.outcome)}
        write_json(self._file(part.task), whole)
        self._measured_by(self._commit)

    def _measured_by(self, one: str) -> None:
        self.commits = tuple(dict.fromkeys((*self.commits, one)))

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
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saccade.errors import SaccadeError
from saccade.scale.local import Crashed, cores, map_tasks
from saccade.studies.declaration import Data, Options, Outcome, Say, Study, Task, plain
from saccade.studies.machine import code, commit
from saccade.studies.results import Part, Results, as_json, from_json
from saccade.testbed.tables import write_json

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
    trust: bool = False,
    say: Say = lambda text: None,
    step: Step = lambda done, total, last: None,
) -> Run:
    """Prepare the sets, measure what is missing, and give everything back in the declared order."""
    problems = {}
    for one in data:
        problems[one.name] = tuple(study.prepare(one, options, say))
    tasks = study.tasks(data, options)
    kept = _Kept(out / study.name / "parts", trust=trust)
    found = {task.key: known for task in tasks if (known := kept.get(task)) is not None}
    if found:
        say(f"{study.name}: {len(found)} of {len(tasks)} parts are there already")
    alone = {experiment.name for experiment in study.sized(options) if experiment.alone}
    missing = [task for task in tasks if task.key not in found]
    together = [task for task in missing if task.experiment not in alone]
    timed = [task for task in missing if task.experiment in alone]
    for some, crew in ((together, workers or cores()), (timed, 1)):
        for task, outcome, seconds in _measured(some, crew):
            kept.put(task, outcome)
            found[task.key] = outcome
            step(len(found), len(tasks), f"{study.name}: {task.key}, {seconds:.1f} s")
    ran = [experiment.name for experiment in study.experiments]
    results = Results([Part(task, found[task.key]) for task in tasks], ran=ran)
    return Run(study, options, tuple(data), results, problems, kept.commits)


def _measured(tasks: Sequence[Task], workers: int) -> Iterator[tuple[Task, Outcome, float]]:
    if not tasks:
        return
    crew = min(workers, len(tasks))
    for task, answer in map_tasks("saccade.studies.running:perform", tasks, workers=crew):
        if isinstance(answer, Crashed):
            raise SaccadeError(
                f"study {task.study}, part {task.key}: its worker died with code {answer.code}",
                hint="run the same command again; finished parts are kept",
            )
        yield task, *answer


def perform(task: Task) -> tuple[Outcome, float]:
    """Measure one part, in whatever process this is; with its seconds."""
    module, _, name = task.function.partition(":")
    began = time.perf_counter()
    outcome: Outcome = getattr(importlib.import_module(module), name)(task)
    # Through JSON, so that a fresh part and one that was kept are the same to the last digit.
    exact = from_json(json.loads(json.dumps(as_json(outcome), default=_number)))
    return exact, time.perf_counter() - began


def _number(value: Any) -> Any:
    """Numpy's numbers and arrays as JSON has them."""
    return value.tolist()


class _Kept:
    """Parts on disk, by their task; `commits` are those of the code that measured them."""

    def __init__(self, folder: Path, *, trust: bool) -> None:
        self._folder, self._trust = folder, trust
        self._code, self._commit = code(), commit()
        self.commits: tuple[str, ...] = ()

    def _file(self, task: Task) -> Path:
        whole = json.dumps(plain(task), sort_keys=True)
        digest = hashlib.sha256(whole.encode()).hexdigest()[:20]
        return self._folder / f"{task.experiment}-{digest}.json"

    def get(self, task: Task) -> Outcome | None:
        """The part, when it was measured by this code; a file that cannot be read is no part."""
        try:
            found = json.loads(self._file(task).read_text(encoding="utf-8"))
            if found["code"] != self._code and not self._trust:
                return None
            outcome, by = from_json(found["outcome"]), str(found["commit"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        self._measured_by(by)
        return outcome

    def put(self, task: Task, outcome: Outcome) -> None:
        """Keep a part, whole or not at all."""
        made = {"code": self._code, "commit": self._commit}
        write_json(self._file(task), {"task": plain(task), **made, "outcome": as_json(outcome)})
        self._measured_by(self._commit)

    def _measured_by(self, one: str) -> None:
        self.commits = tuple(dict.fromkeys((*self.commits, one)))

"""Maps a plain function over tasks in worker processes of this machine.

A worker that dies costs its task, not the run: the task comes back as `Crashed`.

    for task, result in map_tasks("package.module:function", tasks, workers=2): ...

Results come in any order, and never depend on how many workers there are.
"""

from __future__ import annotations

import importlib
import logging
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from saccade import trace
from saccade.scale.processes import Process, cores, start

log = logging.getLogger(__name__)

__all__ = ["Check", "Crashed", "cores", "map_tasks", "unchecked"]

LOOK = 0.25  # seconds between two calls of `check` while nothing is ready

Check = Callable[[], None]


def unchecked() -> None:
    """Nobody asks to stop."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """The worker died over a task."""

    code: int | None  # None where nobody knows it: on another machine

    def __str__(self) -> str:
        return "no exit code" if self.code is None else f"exit code {self.code}"


Task = TypeVar("Task")


@dataclass(slots=True)
class _Worker(Generic[Task]):
    hands: Process
    task: Task

    @property
    def line(self) -> Connection:
        return self.hands.line


def map_tasks(
    function: str, tasks: Iterable[Task], *, workers: int, check: Check = unchecked
) -> Iterator[tuple[Task, Any | Crashed]]:
    """Yield (task, function(task)) as they finish; only the caller knows what the function gives.

    An exception raised by the function is raised here. `check` is called several times a second;
    when it raises, the workers are let go.
    """
    waiting = iter(tasks)
    crew: list[_Worker[Task]] = []
    try:
        for task in waiting:
            worker = _Worker(_start(function), task)
            crew.append(worker)
            _give(worker)
            if len(crew) == workers:
                break
        while crew:
            check()
            ready = wait([worker.line for worker in crew], LOOK)
            for worker in [w for w in crew if w.line in ready]:
                task, result = worker.task, _receive(worker)
                crew.remove(worker)
                following = list(islice(waiting, 1))
                if following:
                    (worker.task,) = following
                    if isinstance(result, Crashed):
                        worker.hands = _start(function)
                    crew.append(worker)
                    _give(worker)
                else:
                    worker.hands.stop()
                yield task, result
    finally:
        for worker in crew:
            worker.hands.kill()


def _start(function: str) -> Process:
    return start("saccade.scale.local", function)


def _give(worker: _Worker[Task]) -> None:
    try:
        worker.line.send(worker.task)
    except OSError:
        return  # dead already: the next receive says so


def _receive(worker: _Worker[Task]) -> Any:
    try:
        failed, result = worker.line.recv()
    except (EOFError, OSError) as error:
        crashed = Crashed(worker.hands.stop())
        trace.swallowed(log, error, doing="hearing from a worker process", code=crashed.code)
        return crashed
    if failed:
        raise result
    return result


def _serve(line: Connection, function: Callable[[object], object]) -> None:
    while True:
        try:
            task = line.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[bool, object] = (False, function(task))
        except Exception as error:
            # Its traceback does not travel: as a note it does.
            error.add_note(f"in a worker process:\n{traceback.format_exc()}")
            answer = (True, error)
        try:
            line.send(answer)
        except OSError:
            return  # nobody is waiting for it any more


if __name__ == "__main__":
    module, _, attribute = sys.argv[2].partition(":")
    with trace.showing_as_asked():
        _serve(Connection(int(sys.argv[1])), getattr(importlib.import_module(module), attribute))

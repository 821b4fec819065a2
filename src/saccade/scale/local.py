"""Maps a plain function over tasks in worker processes of this machine.

A worker that dies costs its task, not the run: the task comes back as `Crashed`.

    for task, result in map_tasks("package.module:function", tasks, workers=2): ...

Results come in any order, and never depend on how many workers there are.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from saccade.scale.processes import Process, cores, start

__all__ = ["Check", "Crashed", "cores", "map_tasks", "unchecked"]

_LOOK = 0.25  # seconds between two calls of `check` while nothing is ready

Check = Callable[[], None]


def unchecked() -> None:
    """Nobody asks to stop."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """The worker died over a task."""

    code: int


@dataclass(slots=True)
class _Worker:
    hands: Process
    task: Any = None

    @property
    def line(self) -> Connection:
        return self.hands.line


def map_tasks(
    function: str, tasks: Iterable[Any], *, workers: int, check: Check = unchecked
) -> Iterator[tuple[Any, Any | Crashed]]:
    """Yield (task, function(task)) as they finish.

    An exception raised by the function is raised here. `check` is called several times a second;
    when it raises, the workers are let go.
    """
    waiting = iter(tasks)
    crew: list[_Worker] = []
    try:
        for task in waiting:
            worker = _start(function)
            crew.append(worker)
            _give(worker, task)
            if len(crew) == workers:
                break
        while crew:
            check()
            ready = wait([worker.line for worker in crew], _LOOK)
            for worker in [w for w in crew if w.line in ready]:
                task, result = worker.task, _receive(worker)
                crew.remove(worker)
                following = next(waiting, _NONE)
                if following is not _NONE:
                    if isinstance(result, Crashed):
                        worker = _start(function)
                    crew.append(worker)
                    _give(worker, following)
                else:
                    worker.hands.stop()
                yield task, result
    finally:
        for worker in crew:
            worker.hands.kill()


_NONE = object()


def _start(function: str) -> _Worker:
    return _Worker(start("saccade.scale.local", function))


def _give(worker: _Worker, task: Any) -> None:
    worker.task = task
    try:
        worker.line.send(task)
    except OSError:
        return  # dead already: the next receive says so


def _receive(worker: _Worker) -> Any:
    try:
        failed, result = worker.line.recv()
    except (EOFError, OSError):
        return Crashed(worker.hands.stop())
    if failed:
        raise result
    return result


def _serve(line: Connection, function: Any) -> None:
    while True:
        try:
            task = line.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[bool, Any] = (False, function(task))
        except Exception as error:
            answer = (True, error)
        try:
            line.send(answer)
        except OSError:
            return  # nobody is waiting for it any more


if __name__ == "__main__":
    module, _, attribute = sys.argv[2].partition(":")
    _serve(Connection(int(sys.argv[1])), getattr(importlib.import_module(module), attribute))

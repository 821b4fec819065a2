"""Maps a plain function over tasks in worker processes of this machine.

Workers are fresh interpreters started by name, not forks: a fork copies locks held by other
threads, and multiprocessing's own spawn runs the caller's script again. A worker that dies (a
decoder that crashes on a hostile file) costs its task, not the run: the task comes back as
`Crashed`.

    for task, result in map_tasks("package.module:function", tasks, workers=2): ...

Results come in any order, and never depend on how many workers there are.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

# Two cores are two threads in all: a worker's libraries must not bring their own.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@dataclass(frozen=True, slots=True)
class Crashed:
    """The worker died over a task."""

    code: int


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    line: Connection
    task: Any = None


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_tasks(
    function: str, tasks: Iterable[Any], *, workers: int
) -> Iterator[tuple[Any, Any | Crashed]]:
    """Yield (task, function(task)) as they finish.

    An exception raised by the function is raised here.
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
            ready = wait([worker.line for worker in crew])
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
                    _stop(worker)
                yield task, result
    finally:
        for worker in crew:
            worker.process.kill()
            _stop(worker)


_NONE = object()


def _start(function: str) -> _Worker:
    ours, theirs = Pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "saccade.scale.local", str(theirs.fileno()), function],
        pass_fds=[theirs.fileno()],
        env={**os.environ, **_ONE_THREAD},
        stdin=subprocess.DEVNULL,
        # Ctrl-C is the parent's to answer: it stores what is done, then lets its workers go.
        start_new_session=True,
    )
    theirs.close()
    return _Worker(process, ours)


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
        worker.line.close()
        return Crashed(worker.process.wait())
    if failed:
        raise result
    return result


def _stop(worker: _Worker) -> None:
    worker.line.close()
    worker.process.wait()


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

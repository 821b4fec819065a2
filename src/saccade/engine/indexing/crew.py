"""Describes files with as many hands as it pays to have; results come in the order of the tasks."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace

from saccade.engine.indexing.worker import Described, FileBatch, describe_files
from saccade.scale.executors import Executor, Processes
from saccade.scale.local import Check, Crashed, unchecked
from saccade.types import Skipped

DESCRIBE = "saccade.engine.indexing.worker:describe_files"
FILES_A_TASK = 16
# Starting a worker costs about as much as describing this many pictures.
FEW = 48
Results = Generator[tuple[FileBatch, Described]]


def run(
    tasks: Iterable[FileBatch],
    files: int,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    check: Check = unchecked,
) -> Results:
    """Describe tasks of `files` files in all: a few here, many by an executor's workers.

    `check` is called now and then and ends it by raising.
    """
    if files <= FEW:
        for task in tasks:
            check()
            yield task, describe_files(task)
        return
    executor = executor or Processes()
    crew = min(workers or executor.hands(), -(-files // FEW))
    # In the order of the tasks, so that rows do not depend on who was faster.
    order: deque[FileBatch] = deque()
    ready: dict[tuple[str, ...], Described | Crashed] = {}
    for done, result in executor.map(DESCRIBE, _noted(tasks, order), workers=crew, check=check):
        ready[done.paths] = result
        while order and order[0].paths in ready:
            task = order.popleft()
            described = ready.pop(task.paths)
            if isinstance(described, Crashed):
                yield from _one_by_one(task, executor)
            else:
                yield task, described


def chunks(paths: Sequence[str], size: int | None = None) -> Iterator[tuple[str, ...]]:
    """Paths in the portions of a task; the usual size unless another is named."""
    size = size or FILES_A_TASK
    return (tuple(paths[i : i + size]) for i in range(0, len(paths), size))


def _noted(tasks: Iterable[FileBatch], order: deque[FileBatch]) -> Iterator[FileBatch]:
    for task in tasks:
        order.append(task)
        yield task


def _one_by_one(task: FileBatch, executor: Executor) -> Iterator[tuple[FileBatch, Described]]:
    """Somewhere in this task is a file that kills a worker: one file at a time finds it."""
    singles = (replace(task, paths=(path,)) for path in task.paths)
    for single, result in executor.map(DESCRIBE, singles, workers=1):
        if isinstance(result, Crashed):
            reason = f"reading it ended the worker process ({result})"
            result = Described(skipped=[Skipped(single.paths[0], reason)])
        yield single, result

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from saccade.scale.local import Crashed, cores, map_tasks

MODULE = """
    import os
    import sys

    def square(task):
        if task == "crash":
            os._exit(7)
        if task == "fail":
            raise ValueError("no square of a word")
        if task == "odd":
            return lambda: None
        return task * task

    def sleep(task):
        import time

        open(task, "w").write(str(os.getpid()))
        time.sleep(60)

    def process(task):
        return os.getpid(), os.environ["OMP_NUM_THREADS"], "__main__" in sys.modules
"""


@pytest.fixture
def chores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that workers find by name."""
    (tmp_path / "chores.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    )


@pytest.mark.parametrize("workers", [1, 3])
def test_every_task_comes_back_once(chores: None, workers: int) -> None:
    """With its own result, whoever computed it."""
    results = list(map_tasks("chores:square", range(20), workers=workers))
    assert sorted(results) == [(n, n * n) for n in range(20)]


def test_no_tasks_start_no_workers(chores: None) -> None:
    """Nothing to do is nothing done."""
    assert list(map_tasks("no.such:function", [], workers=2)) == []


def test_workers_are_other_processes_with_one_thread(chores: None) -> None:
    """Fresh interpreters, as many as asked for at most."""
    results = dict(map_tasks("chores:process", range(8), workers=2))
    processes = {pid for pid, _, _ in results.values()}
    assert os.getpid() not in processes
    assert 1 <= len(processes) <= 2
    assert {threads for _, threads, _ in results.values()} == {"1"}


def test_a_dead_worker_costs_its_task(chores: None) -> None:
    """The task comes back as crashed with the exit code; the others are done."""
    tasks = [1, "crash", 2, 3, "crash", 4]
    results = list(map_tasks("chores:square", tasks, workers=2))
    assert sorted(r for t, r in results if t != "crash") == [1, 4, 9, 16]
    assert [r for t, r in results if t == "crash"] == [Crashed(7), Crashed(7)]


def test_an_error_of_the_function_is_raised_here(chores: None) -> None:
    """With its own words."""
    with pytest.raises(ValueError, match="no square of a word"):
        list(map_tasks("chores:square", [1, "fail", 2], workers=1))


def test_an_error_tells_where_the_worker_met_it(chores: None) -> None:
    """The traceback stays behind in the worker; its text comes along as a note."""
    with pytest.raises(ValueError, match="no square of a word") as problem:
        list(map_tasks("chores:square", ["fail"], workers=1))
    (note,) = problem.value.__notes__
    assert note.startswith("in a worker process:\nTraceback")
    assert "in square" in note


def test_a_result_that_cannot_travel_is_a_crash(
    chores: None, capfd: pytest.CaptureFixture[str]
) -> None:
    """A function of the task's own making breaks nothing else."""
    results = dict(map_tasks("chores:square", [2, "odd", 3], workers=1))
    assert (results[2], results[3]) == (4, 9)
    assert isinstance(results["odd"], Crashed)
    capfd.readouterr()


def test_stopping_early_ends_the_workers(chores: None) -> None:
    """Tasks are drawn as they are needed, and nobody is left behind."""
    drawn: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(1000):
            drawn.append(number)
            yield number

    results = map_tasks("chores:process", tasks(), workers=2)
    _, (pid, _, _) = next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(drawn) < 10
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_there_is_a_core() -> None:
    """At least the one that runs this."""
    assert cores() >= 1


def test_asked_to_stop_the_workers_are_let_go_at_once(chores: None, tmp_path: Path) -> None:
    """A task of a minute is not waited for, and its process is gone."""
    mark = tmp_path / "began"

    def check() -> None:
        if mark.exists() and mark.read_text():
            raise TimeoutError("stop")

    with pytest.raises(TimeoutError, match="stop"):
        list(map_tasks("chores:sleep", [str(mark)], workers=1, check=check))
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)

"""Every executor keeps the contract: answers do not depend on where they come from."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import InvalidInput, NotFound, SaccadeError, UnknownName
from saccade.scale import executors
from saccade.scale.executors import ABSENT, EXECUTORS, Executor, executor
from saccade.scale.local import Crashed

pytestmark = [pytest.mark.xdist_group("executors"), pytest.mark.filterwarnings("ignore")]

MAKE, SQUARED = "members:member", "members:squared"
SUPPORT = str(Path(__file__).parents[1] / "support")


@pytest.fixture(params=EXECUTORS)
def rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Executor]:
    """One executor after the other; a worker finds the members of the tests."""
    monkeypatch.setenv("PYTHONPATH", SUPPORT + os.pathsep + os.environ.get("PYTHONPATH", ""))
    monkeypatch.syspath_prepend(SUPPORT)
    if request.param == "ray":
        request.getfixturevalue("ray_cluster")
    yield executor(request.param)
    sys.modules.pop("members", None)


def tasks(*values: float) -> list[dict[str, object] | None]:
    return [{"values": np.array([value, 0.1], np.float32)} for value in values]


def test_each_member_answers_for_its_own_in_order(rows: Executor) -> None:
    """It keeps what it has made between two questions; arrays come back to the bit."""
    with rows.crew(MAKE, [{"number": n} for n in (2, 3, 5)]) as crew:
        for asked in (1, 2):
            answers = crew.ask(tasks(1.0, 10.0, 100.0))
            assert [answer["asked"] for answer in answers] == [asked] * 3
            values = np.stack([answer["values"] for answer in answers])
            expected = np.array([[2, 0.1], [30, 0.1], [500, 0.1]], np.float32)
            expected[:, 1] = np.float32(0.1) * np.array([2, 3, 5], np.float32)
            assert values.tobytes() == expected.tobytes()


def test_nothing_is_asked_of_a_member_without_a_task(rows: Executor) -> None:
    """Its answer is None, and it does no work."""
    with rows.crew(MAKE, [{"number": n} for n in (1, 2)]) as crew:
        first, second = crew.ask([None, *tasks(1.0)])
        assert first is None
        assert second["asked"] == 1
        assert [answer["asked"] for answer in crew.ask(tasks(1.0, 1.0))] == [1, 2]


def test_what_a_member_raises_is_raised_here(rows: Executor) -> None:
    """As itself; the next question is answered as if nothing had been."""
    with rows.crew(MAKE, [{"number": n} for n in (1, 2)]) as crew:
        with pytest.raises(NotFound, match="member 2 has none"):
            crew.ask([*tasks(1.0), {"raises": True}])
        assert [float(a["values"][0]) for a in crew.ask(tasks(7.0, 7.0))] == [7.0, 14.0]


def test_a_member_that_cannot_be_made_says_why(rows: Executor) -> None:
    """No crew is left behind."""
    with pytest.raises(Exception, match="a member that cannot be made"):
        rows.crew(MAKE, [{"number": 1}, {"number": 2, "refuses": True}])


@pytest.mark.parametrize("rows", ["processes", "ray"], indirect=True)
def test_one_that_died_is_made_again_and_asked_again(rows: Executor, tmp_path: Path) -> None:
    """The answer is whole; the others are not asked twice."""
    with rows.crew(MAKE, [{"number": n} for n in (2, 3)]) as crew:
        dying = {**(tasks(1.0)[0] or {}), "dies": str(tmp_path / "once")}
        answers = crew.ask([dying, *tasks(1.0)])
        assert (tmp_path / "once").exists()
        assert [float(answer["values"][0]) for answer in answers] == [2.0, 3.0]
        assert [answer["asked"] for answer in crew.ask(tasks(1.0, 1.0))] == [2, 2]


def test_one_that_dies_of_its_task_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not tried for ever."""
    monkeypatch.setenv("PYTHONPATH", SUPPORT)
    told = pytest.raises(SaccadeError, match="ended twice over a question")
    with executor("processes").crew(MAKE, [{"number": 1}]) as crew, told:
        crew.ask([{"dies always": True}])


@pytest.mark.parametrize("rows", ["processes", "ray"], indirect=True)
def test_who_is_in_haste_does_not_wait_for_one_that_died(rows: Executor, tmp_path: Path) -> None:
    """Its answer is absent, the others' are there; once it is made again, it is asked again."""
    with rows.crew(MAKE, [{"number": n} for n in (2, 3)]) as crew:
        dying = {**(tasks(1.0)[0] or {}), "dies": str(tmp_path / "once")}
        first, second = crew.ask([dying, *tasks(1.0)], hasty=True)
        assert first is ABSENT
        assert float(second["values"][0]) == 3.0
        crew._away.wait(0)  # type: ignore[attr-defined]
        assert crew.missing() == frozenset()
        answers = crew.ask(tasks(1.0, 1.0), hasty=True)
        assert [float(answer["values"][0]) for answer in answers] == [2.0, 3.0]


def test_an_executor_that_is_none_is_refused_with_the_others() -> None:
    """By a name that is nearly right, too."""
    with pytest.raises(UnknownName, match="processes"):
        executor("process")


# -- work that needs nothing but its task ----------------------------------------------------------


@pytest.mark.parametrize("workers", [None, 1])
def test_every_task_comes_back_once(rows: Executor, workers: int | None) -> None:
    """With its own result, whoever computed it."""
    results = list(rows.map(SQUARED, range(12), workers=workers))
    assert sorted((task, float(result["square"])) for task, result in results) == [
        (number, float(number * number)) for number in range(12)
    ]


def test_tasks_are_drawn_as_they_are_needed(rows: Executor) -> None:
    """Not all at once: a collection is larger than a queue."""
    drawn = []
    results = rows.map(SQUARED, (drawn.append(n) or n for n in range(1000)), workers=2)
    for _ in range(3):
        next(results)
    results.close()  # type: ignore[attr-defined]
    assert 3 <= len(drawn) < 40


def test_what_the_function_raises_is_raised_here(rows: Executor) -> None:
    """As itself, and whoever is still at work is let go."""
    with pytest.raises(NotFound, match="no square of a word"):
        list(rows.map(SQUARED, [1, "fail", 2]))


def test_who_asks_may_stop_it(rows: Executor) -> None:
    """What `check` raises ends it."""

    def stop() -> None:
        raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        list(rows.map(SQUARED, [1, 2], check=stop))


@pytest.mark.parametrize("rows", ["processes", "ray"], indirect=True)
def test_a_task_that_ends_its_worker_costs_itself(rows: Executor) -> None:
    """It comes back as crashed; the others are done."""
    results = list(rows.map(SQUARED, [1, "crash", 2, 3]))
    assert sorted(float(r["square"]) for t, r in results if t != "crash") == [1.0, 4.0, 9.0]
    assert [type(result) for task, result in results if task == "crash"] == [Crashed]


def test_a_worker_of_another_version_is_told_of() -> None:
    """Before what it was sent is read, which it may not understand."""
    with pytest.raises(InvalidInput, match=r"whoever asks it 0\.0\.0"):
        executors._performed("0.0.0", SQUARED, b"no pickle at all")
    with pytest.raises(InvalidInput, match=r"whoever asks it 0\.0\.0"):
        executors._Member().begin("0.0.0", MAKE, b"no pickle at all")

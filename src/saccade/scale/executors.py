"""Executors: who does many pieces of work, and who keeps the pieces of something large.

    serial       in this process, one after the other: for tests, and to look at
    processes    fresh interpreters of this machine
    ray          a Ray cluster: `ray`, or `ray://head:10001`

Work that needs nothing but its task is mapped; tasks are drawn as they are needed:

    for task, result in executor("ray").map("package.module:function", tasks): ...

A crew has one member a piece. Each is made once by `make(spec)` where it lives, keeps what it has
made, and answers tasks. A member that dies is made again behind, and asked again once it is there;
who is in haste takes `ABSENT` for an answer meanwhile:

    with executor("processes").crew("package.module:function", specs) as crew:
        answers = crew.ask(tasks)       # one for each member; None asks nothing of one

A result never depends on the executor, nor on who died meanwhile. Functions go by name, as a worker
may be on another machine; specs, tasks and answers are plain records and arrays.
"""

from __future__ import annotations

import importlib
import logging
import pickle
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Protocol, Self

from saccade import trace
from saccade.errors import InvalidInput, SaccadeError, UnknownName, need
from saccade.hints import Hint
from saccade.scale.local import LOOK, Check, Crashed, Task, map_tasks, unchecked
from saccade.scale.processes import ONE_THREAD, Process, cores, start

log = logging.getLogger(__name__)

RAY = "ray"
EXECUTORS = ("serial", "processes", RAY)

_TRIES = 2
_READY = "ready"
_PATIENCE, _A_MOMENT = 300, 0.2  # times that an actor is looked for, and seconds between
_SILENCE = 10.0  # seconds after which an actor that says nothing counts as gone, in haste
_RETRIES = 3  # of a task whose worker or node died; one that ends them all is at fault itself
_AHEAD = 4  # times as many may be done while the oldest is not: results wait in memory


class ExecutorCrew(Protocol):
    """Members that answer, each for its piece. Any thread may ask."""

    def ask(self, tasks: Sequence[Any], *, hasty: bool = False) -> list[Any]:
        """The answer of each member to its task, in their order; None where the task is None.

        A member that is not there is waited for; in haste its answer is `ABSENT`. An exception that
        a member raised is raised here.
        """

    def missing(self) -> frozenset[int]:
        """The members that are not there now, by their numbers; they are being made again."""

    def close(self) -> None:
        """Let the members go."""


class Executor(Protocol):
    """Where work is done and members live."""

    name: str

    def map(
        self,
        function: str,
        tasks: Iterable[Task],
        *,
        workers: int | None = None,
        check: Check = unchecked,
    ) -> Iterator[tuple[Task, Any | Crashed]]:
        """(task, function(task)) as they finish; only the caller knows what the function gives.

        The function is named `module:function`. A task that ends its worker comes back as
        `Crashed`; an exception that the function raised is raised here. `check` is called several
        times a second; when it raises, the workers are let go. At most so many `workers`.
        """

    def hands(self) -> int:
        """How many tasks are worth having begun at once."""

    def crew(self, make: str, specs: Sequence[Any]) -> AbstractContextManager[ExecutorCrew]:
        """One member a spec, each made by the function named `module:function`."""


def executor(on: str) -> Executor:
    """The executor that a name stands for; `ray://head:10001` is a cluster that is there."""
    if on == "serial":
        return Serial()
    if on == "processes":
        return Processes()
    if on == RAY or on.startswith(f"{RAY}://"):
        return OnRay(None if on == RAY else on)
    raise UnknownName("executor", on, EXECUTORS)


def _named(function: str) -> Callable[[Any], Any]:
    module, _, name = function.partition(":")
    loaded: Callable[[Any], Any] = getattr(importlib.import_module(module), name)
    return loaded


def _made(make: str, spec: Any) -> Callable[[Any], Any]:
    answering: Callable[[Any], Any] = _named(make)(spec)
    return answering


class Absent:
    """In the place of an answer: the member is not there."""


ABSENT = Absent()


class _Closing:
    """A crew that is let go at the end of a block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the members go."""


class _Away:
    """Members that died, each made again by a thread of its own."""

    def __init__(self, make: Callable[[int], None]) -> None:
        self._make, self._changed = make, threading.Condition()
        self._numbers: set[int] = set()
        self._failed: dict[int, Exception] = {}

    def numbers(self) -> frozenset[int]:
        with self._changed:
            return frozenset(self._numbers)

    def lose(self, number: int) -> None:
        """Make one again, unless somebody does."""
        with self._changed:
            if number in self._numbers:
                return
            self._numbers.add(number)
            self._failed.pop(number, None)
        threading.Thread(target=self._restore, args=(number,), daemon=True).start()

    def _restore(self, number: int) -> None:
        failed: Exception | None = None
        try:
            self._make(number)
        except Exception as error:
            trace.swallowed(log, error, doing="making a shard again", member=number)
            failed = error
        with self._changed:
            self._numbers.discard(number)
            if failed is not None:
                self._failed[number] = failed
            self._changed.notify_all()

    def wait(self, number: int) -> None:
        """Until it is there again; raises why it is not."""
        with self._changed:
            self._changed.wait_for(lambda: number not in self._numbers)
            if number in self._failed:
                raise self._failed[number]

    def failed(self, number: int) -> bool:
        """Whether it could not be made again."""
        with self._changed:
            return number in self._failed


# -- in this process -------------------------------------------------------------------------------


class Serial:
    """Members that are objects of this process."""

    name = "serial"

    def map(
        self,
        function: str,
        tasks: Iterable[Task],
        *,
        workers: int | None = None,
        check: Check = unchecked,
    ) -> Iterator[tuple[Task, Any | Crashed]]:
        """One after the other."""
        for task in tasks:
            check()
            yield task, _named(function)(task)

    def hands(self) -> int:
        """One: there is nobody else."""
        return 1

    def crew(self, make: str, specs: Sequence[Any]) -> SerialCrew:
        """Make them one after the other."""
        return SerialCrew([_made(make, spec) for spec in specs])


class SerialCrew(_Closing):
    """Asked one after the other."""

    def __init__(self, members: list[Callable[[Any], Any]]) -> None:
        self._members = members

    def ask(self, tasks: Sequence[Any], *, hasty: bool = False) -> list[Any]:
        """One after the other."""
        pairs = zip(self._members, tasks, strict=True)
        return [None if task is None else member(task) for member, task in pairs]

    def missing(self) -> frozenset[int]:
        """Nobody: they are this process."""
        return frozenset()


# -- processes of this machine ---------------------------------------------------------------------


class Processes:
    """Members that are fresh interpreters of this machine."""

    name = "processes"

    def map(
        self,
        function: str,
        tasks: Iterable[Task],
        *,
        workers: int | None = None,
        check: Check = unchecked,
    ) -> Iterator[tuple[Task, Any | Crashed]]:
        """By so many processes."""
        return map_tasks(function, tasks, workers=workers or self.hands(), check=check)

    def hands(self) -> int:
        """One a core."""
        return cores()

    def crew(self, make: str, specs: Sequence[Any]) -> ProcessCrew:
        """Start them all, then wait for each."""
        return ProcessCrew(make, specs)


class ProcessCrew(_Closing):
    """Asked all at once; one question is answered before the next is sent."""

    def __init__(self, make: str, specs: Sequence[Any]) -> None:
        self._make, self._specs, self._lock = make, specs, threading.Lock()
        self._away, self._closed = _Away(self._restore), False
        self._members = [self._begun(spec) for spec in specs]
        try:
            for member in self._members:
                _heard(member)
        except BaseException:
            self.close()
            raise

    def _begun(self, spec: Any) -> Process:
        member = start("saccade.scale.executors", self._make)
        _tell(member, spec)
        return member

    def ask(self, tasks: Sequence[Any], *, hasty: bool = False) -> list[Any]:
        """All at once; whoever died is made again and asked again, unless in haste."""
        if len(tasks) != len(self._members):
            raise ValueError(f"{len(tasks)} tasks for {len(self._members)} members")
        answers: list[Any] = [None] * len(tasks)
        asked = [number for number, task in enumerate(tasks) if task is not None]
        for left in reversed(range(_TRIES)):
            asked = self._asked(asked, tasks, answers)
            if hasty or not asked:
                break
            for number in asked:
                self._away.wait(number)
            if not left:
                raise _Died(
                    "a process that keeps a part of the collection ended twice over a question",
                    hint="standard error has its last words",
                )
        return answers

    def _asked(self, asked: Sequence[int], tasks: Sequence[Any], answers: list[Any]) -> list[int]:
        """Put in the answers of those that are there; the others are made again, and given back."""
        absent: list[int] = []
        failed: Exception | None = None
        with self._lock:
            away = self._away.numbers()
            there = [n for n in asked if n not in away and not self._away.failed(n)]
            for number in there:
                _tell(self._members[number], tasks[number])
            # All are heard before one is raised: the next question must not meet an old answer.
            for number in there:
                try:
                    answers[number] = _heard(self._members[number])
                except _Died as died:
                    trace.swallowed(log, died, doing="asking a shard", member=number)
                    absent.append(number)
                except Exception as error:
                    failed = failed or error
            absent += [number for number in asked if number not in there]
            for number in absent:
                answers[number] = ABSENT
                self._away.lose(number)
        if failed is not None:
            raise failed
        return absent

    def _restore(self, number: int) -> None:
        member = self._begun(self._specs[number])
        try:
            _heard(member)
        except BaseException:
            member.kill()
            raise
        with self._lock:
            self._members[number] = member
            if self._closed:
                member.kill()

    def missing(self) -> frozenset[int]:
        """Those that are being made again."""
        return self._away.numbers()

    def close(self) -> None:
        """Close the lines; whoever does not end by itself is ended."""
        with self._lock:
            self._closed = True
            for member in self._members:
                member.kill(after=2.0)


class _Died(SaccadeError):
    """A member is not there any more."""


def _tell(member: Process, thing: Any) -> None:
    try:
        member.line.send(thing)
    except OSError:
        return  # dead already: the next hearing says so


def _heard(member: Process) -> Any:
    try:
        failed, answer = member.line.recv()
    except (EOFError, OSError) as error:
        code = member.kill(after=1.0)
        raise _Died(
            f"a process that keeps a part of the collection ended (exit code {code})",
            hint="standard error has its last words",
        ) from error
    if failed:
        raise answer
    return answer


def _serve(line: Connection, make: str) -> None:
    """Be a member: a spec, then tasks until the line is closed."""
    member: Callable[[Any], Any] | None = None
    while True:
        try:
            thing = line.recv()
        except (EOFError, OSError):
            return
        try:
            if member is None:
                member = _made(make, thing)
                answer: tuple[bool, Any] = (False, _READY)
            else:
                answer = (False, member(thing))
        except Exception as error:
            # Its traceback does not travel: as a note it does.
            error.add_note(f"in a worker process:\n{traceback.format_exc()}")
            answer = (True, error)
        try:
            line.send(answer)
        except OSError:
            return  # nobody is waiting for it any more


# -- Ray -------------------------------------------------------------------------------------------


class OnRay:
    """Members that are actors of a Ray cluster; without an address, of one on this machine."""

    name = RAY

    def __init__(self, address: str | None = None) -> None:
        need("ray", "ray", part="an executor on Ray")
        self._address = address

    def map(
        self,
        function: str,
        tasks: Iterable[Task],
        *,
        workers: int | None = None,
        check: Check = unchecked,
    ) -> Iterator[tuple[Task, Any | Crashed]]:
        """By tasks of the cluster, as many at once as it has processors, tried again by Ray.

        A node that dies, or a result that was lost with it, costs time and nothing else.
        """
        import ray

        self._join()
        remote = ray.remote(num_cpus=1, max_retries=_RETRIES, runtime_env={"env_vars": ONE_THREAD})(
            _performed
        )
        waiting, begun = enumerate(tasks), dict[Any, tuple[int, Task]]()  # in the order of numbers
        following = next(waiting, None)
        try:
            while begun or following is not None:
                check()
                most = workers or self.hands()
                while following is not None and len(begun) < most:
                    oldest = next(iter(begun.values()), following)[0]
                    if following[0] - oldest >= _AHEAD * most:
                        break
                    future = remote.remote(version("saccade"), function, pickle.dumps(following[1]))
                    begun[future] = following
                    following = next(waiting, None)
                for done in ray.wait(list(begun), timeout=LOOK)[0]:
                    result = _result(done)
                    yield begun.pop(done)[1], result
        finally:
            for left in begun:
                ray.cancel(left, force=True)

    def hands(self) -> int:
        """Two a processor of the cluster as it is now: one at work, one on its way."""
        import ray

        self._join()
        return 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))

    def crew(self, make: str, specs: Sequence[Any]) -> RayCrew:
        """Start the actors."""
        self._join()
        return RayCrew(make, specs)

    def _join(self) -> None:
        """Be part of the cluster; one of this machine's own is started where there is none."""
        import ray

        if ray.is_initialized():
            return
        try:
            ray.init(
                address=self._address,
                include_dashboard=False,
                log_to_driver=False,
                configure_logging=False,
            )
        except Exception as error:  # whatever a cluster far away may raise
            place = self._address or "this machine"
            raise SaccadeError(
                f"no Ray cluster can be had on {place}: {type(error).__name__}",
                hint=Hint(
                    "start one with Ray, and name it as ray://HEAD:10001",
                    command="`ray start --head` starts one; then name it as ray://HEAD:10001",
                ),
            ) from error


def _performed(wanted: str, function: str, task: bytes) -> Any:
    """A task of the cluster; what it says is read once it is known to be understood."""
    _same_version(wanted)
    return _named(function)(pickle.loads(task))


def _result(future: Any) -> Any | Crashed:
    """What a task of the cluster gave."""
    import ray

    try:
        with _raised():
            return ray.get(future)
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError) as died:
        trace.swallowed(log, died, doing="hearing from a task of the cluster")
        return Crashed(None)


def _same_version(wanted: str) -> None:
    if wanted != version("saccade"):
        raise InvalidInput(
            f"a worker runs Saccade {version('saccade')}, whoever asks it {wanted}",
            hint="install the same version on every machine",
        )


class RayCrew(_Closing):
    """Asked all at once; Ray queues what several threads ask."""

    def __init__(self, make: str, specs: Sequence[Any]) -> None:
        import ray

        self._make, self._specs = make, specs
        self._away, self._closed = _Away(self._restore), False
        # No processor of its own: a shard waits most of the time, and a laptop has two.
        actor = ray.remote(num_cpus=0, max_restarts=-1, scheduling_strategy="SPREAD")(_Member)
        self._members = [actor.remote() for _ in specs]
        with _raised():
            ray.get([self._begun(number) for number in range(len(specs))])

    def _begun(self, number: int) -> Any:
        spec = pickle.dumps(self._specs[number])
        return self._members[number].begin.remote(version("saccade"), self._make, spec)

    def ask(self, tasks: Sequence[Any], *, hasty: bool = False) -> list[Any]:
        """All at once; Ray makes whoever died again, and it is asked again, unless in haste."""
        pairs = zip(self._members, tasks, strict=True)
        away = self.missing() if hasty else frozenset()
        futures = [
            None if task is None or number in away else member.answer.remote(task)
            for number, (member, task) in enumerate(pairs)
        ]
        answers: list[Any] = [None] * len(tasks)
        with _raised():
            for number, future in enumerate(futures):
                if future is not None:
                    answers[number] = self._answer(number, future, tasks[number], hasty)
                elif tasks[number] is not None:
                    answers[number] = ABSENT
        return answers

    def _answer(self, number: int, future: Any, task: Any, hasty: bool) -> Any:
        import ray

        for left in reversed(range(_TRIES)):
            try:
                # A node that lost its power says nothing: who is in haste does not wait for Ray.
                begun, answer = ray.get(future, timeout=_SILENCE if hasty else None)
                if begun:
                    return answer
                # It died and is back, and knows nothing: a constructor's arguments may be lost.
            except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError) as died:
                trace.swallowed(log, died, doing="asking a shard", member=number)
                if not hasty and not left:
                    raise
            self._away.lose(number)
            if hasty:
                return ABSENT
            self._away.wait(number)
            future = self._members[number].answer.remote(task)
        return ray.get(future)[1]

    def _restore(self, number: int) -> None:
        import ray

        for left in reversed(range(_PATIENCE)):
            try:
                ray.get(self._begun(number))
                return
            except ray.exceptions.RayActorError as died:
                if self._closed or not left:
                    raise SaccadeError(
                        "an actor that keeps a part of the collection does not come back",
                        hint="`ray status` says what the cluster lacks",
                    ) from died
                threading.Event().wait(_A_MOMENT)  # while Ray finds a place for it

    def missing(self) -> frozenset[int]:
        """Those that Ray is making again."""
        return self._away.numbers()

    def close(self) -> None:
        """End the actors; the cluster stays."""
        import ray

        self._closed = True
        if ray.is_initialized():
            for member in self._members:
                ray.kill(member)


class _Member:
    """An actor."""

    def __init__(self) -> None:
        self._answer: Callable[[Any], Any] | None = None

    def begin(self, wanted: str, make: str, spec: bytes) -> None:
        """Become one; what the spec says is read once it is known to be understood."""
        _same_version(wanted)
        self._answer = _made(make, pickle.loads(spec))

    def answer(self, task: Any) -> tuple[bool, Any]:
        """Whether it has begun, and its answer."""
        return (False, None) if self._answer is None else (True, self._answer(task))


@contextmanager
def _raised() -> Iterator[None]:
    """What a member raised, as itself."""
    import ray

    try:
        yield
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise (cause if isinstance(cause, Exception) else error) from None


if __name__ == "__main__":
    with trace.showing_as_asked():
        _serve(Connection(int(sys.argv[1])), sys.argv[2])

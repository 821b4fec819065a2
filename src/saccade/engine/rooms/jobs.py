"""Jobs: long work that is asked for now and done behind, one at a time.

    post ─ waiting ─ run (here, or a process of the server's) ─ done

What can be asked for is a table of kinds (`JobKind`): the words of each, what is checked before it
is taken, and the work. Every kind can be interrupted at any moment and goes on when it is begun
again. `run` does what waits, in this process.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from saccade import trace
from saccade.engine.opened import OpenStore
from saccade.engine.progress import Progress, Watch
from saccade.errors import InvalidInput, SaccadeError, Stopping, StoreError, UnknownName
from saccade.store.jobs import JobLines
from saccade.types import Job, Spec

log = logging.getLogger(__name__)

A_WORD = 0.5
"""Seconds between two words of how far a job is."""
ENDED = frozenset(("done", "failed", "cancelled", "interrupted"))

Work = Callable[[Spec, Watch], Spec]


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job: its words with their types, what is checked at once, and the work."""

    about: str
    work: Work
    words: Mapping[str, type] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()
    check: Callable[[Spec], Spec] = lambda spec: spec
    joins: bool = True
    """Whether one that is under way does what is asked for now."""
    moves: bool = False
    """Whether the catalog, and with it the jobs, is in another place afterwards."""


class JobCancelled(SaccadeError):
    """Somebody asked the job to end."""


class Jobs:
    """The jobs of an open store.

    >>> jobs = engine.jobs
    >>> jobs.kinds["index"]
    'bring the collection up to date with a folder'
    >>> job = jobs.post("index", folder=str(pictures))
    >>> job.state, jobs.waiting()
    ('waiting', True)
    >>> [(one.kind, one.state) for one in jobs.run()]
    [('index', 'done')]
    >>> jobs.show(job.job_id).result["known"], jobs.waiting()
    (36, False)
    >>> [one.state for one in jobs.follow(job.job_id)]
    ['done']
    >>> jobs.cancel(jobs.post("index", folder=str(pictures)).job_id).cancelled
    True
    >>> len(jobs.list())
    2
    """

    def __init__(self, opened: OpenStore, kinds: Mapping[str, JobKind]) -> None:
        self._opened, self._kinds, self._lines = opened, kinds, opened.store.jobs

    @property
    def kinds(self) -> dict[str, str]:
        """What can be asked for, with what it does."""
        return {name: kind.about for name, kind in self._kinds.items()}

    def post(self, kind: str, **spec: object) -> Job:
        """Ask for a job; what waits or runs already with the same words is not asked for twice.

        Raises:
            InvalidInput: no such kind, or words that it cannot work with; nothing is begun.
        """
        if kind not in self._kinds:
            raise UnknownName("kind of job", str(kind), self._kinds)
        job_kind = self._kinds[kind]
        for word, value in spec.items():
            if word not in job_kind.words:
                raise UnknownName(f"word of a job {kind!r}", word, job_kind.words)
            if not isinstance(value, job_kind.words[word]) or (
                isinstance(value, bool) and job_kind.words[word] is not bool
            ):
                raise InvalidInput(
                    f"job {kind!r}: {word} is {value!r}, no {_named(job_kind, word)}"
                )
        for word in sorted(job_kind.needs - spec.keys()):
            raise InvalidInput(f"job {kind!r}: {word} is missing", hint=job_kind.about)
        checked = job_kind.check(spec)
        job_id, at = uuid.uuid4().hex, self._opened.clock()
        return self._lines.add(job_id, kind, checked, at=at, joins=job_kind.joins)

    def show(self, job_id: str) -> Job:
        """One job as it is now."""
        return self._lines.find(job_id)

    def cancel(self, job_id: str) -> Job:
        """Ask a job to end; what it has made is kept. One that has ended stays as it is."""
        self.show(job_id)
        self._lines.cancel(job_id, at=self._opened.clock())
        return self.show(job_id)

    def follow(self, job_id: str, *, pause: float = A_WORD) -> Iterator[Job]:
        """A job whenever it has changed, until it has ended."""
        last = None
        while True:
            job = self.show(job_id)
            if job != last:
                yield job
                last = job
            if job.state in ENDED:
                return
            time.sleep(pause)

    # -- working -------------------------------------------------------------------------------

    def waiting(self) -> bool:
        """Whether there is something to do, and nobody does it."""
        return self._lines.pending() > 0 and self._lines.is_free()

    def run(self, watch: Watch | None = None) -> tuple[Job, ...]:
        """Do what waits, one after the other, here and now; what was done.

        Nothing where another process is at it.
        """
        did = []
        with self._lines.working() as mine:
            while mine and (job := self._lines.claim(at=self._opened.clock())) is not None:
                did.append(self._do(job, watch))
                if self._opened.store.moved:
                    break  # whoever opens the store anew goes on
        return tuple(did)

    def _do(self, job: Job, watch: Watch | None) -> Job:
        """One job; whatever becomes of it is written down, but where this process is to end."""
        telling = _Telling(self._opened, job.job_id, watch)
        try:
            kind = self._kinds.get(job.kind)
            if kind is None:
                raise UnknownName("kind of job", job.kind, self._kinds)
            result = kind.work(job.spec, telling)
        except JobCancelled:
            return self._end(job, "cancelled")
        except Stopping:
            raise  # whoever comes next goes on with it
        except SaccadeError as error:
            return self._end(job, "failed", message=error.sentence("python"))
        # One job that cannot be done must not keep the others from being done.
        except Exception as error:
            trace.swallowed(log, error, doing="doing a job", kind=job.kind)
            return self._end(job, "failed", message=f"{type(error).__name__}: {error}")
        if not kind.moves:
            return self._end(job, "done", result=result)
        with self._opened.store.anew() as store:
            return self._end(job, "done", result=result, lines=store.jobs)

    def _end(
        self,
        job: Job,
        state: str,
        message: str = "",
        result: Spec | None = None,
        lines: JobLines | None = None,
    ) -> Job:
        lines = lines or self._lines
        lines.end(job.job_id, state, at=self._opened.clock(), message=message, result=result)
        return lines.find(job.job_id)

    # The last one: below it, `list` would mean this.
    def list(self) -> tuple[Job, ...]:
        """Every job that is remembered, the newest first."""
        return self._lines.all()


class _Telling:
    """Writes down how far a job is, now and then, and ends it where somebody asked for that."""

    def __init__(self, opened: OpenStore, job_id: str, watch: Watch | None) -> None:
        self._lines, self._job, self._watch = opened.store.jobs, job_id, watch
        self._check = opened.interruptible()
        self._stage, self._began, self._last = "", 0.0, -A_WORD

    def __call__(self, step: Progress) -> None:
        self._check()
        if self._watch is not None:
            self._watch(step)
        now = time.monotonic()
        if step.stage != self._stage:
            self._stage, self._began = step.stage, now
            self._first = step.done
        elif now - self._last < A_WORD and not 0 < step.total <= step.done:
            return
        self._last = now
        if self._lines.is_cancelled(self._job):
            raise JobCancelled("this job was cancelled")
        # A log that is busy is no reason to stop.
        with trace.dropping(log, StoreError, doing="telling how far a job is"):
            self._lines.tell(self._job, step.stage, step.done, step.total, self._left(step, now))

    def _left(self, step: Progress, now: float) -> float | None:
        """Seconds that the rest of this stage will take at the pace so far."""
        did, rest = step.done - self._first, step.total - step.done
        if did <= 0 or rest < 0:
            return None
        return round((now - self._began) / did * rest, 1)


def _named(kind: JobKind, word: str) -> str:
    return {str: "text", bool: "true or false", list: "list"}[kind.words[word]]

"""Sees to it that jobs are done: beside the server, in a process of their own.

A thread looks whether something waits and nobody works on it, and starts a process (`job`) for it;
requests never do minutes of work, and a picture that ends a decoder ends no server. Of several
servers over one store whoever looks first does it. A job that was asked to end and goes on is
ended with its process: whatever it made by then is kept, and nothing is half-written. Where
folders are watched, what changed in them is asked for as a job. Where visitors are let in, those
who stayed away are forgotten, when it begins and every day. Where the catalog has moved, the server
is told, and opens the store anew.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic

from saccade import trace
from saccade.engine import Engine, operations
from saccade.errors import SaccadeError
from saccade.scale.processes import Process, cores, start
from saccade.service.doorkeeper import FADE_DAYS
from saccade.service.folders import FolderWatch

log = logging.getLogger(__name__)

LOOKS = 0.5
"""Seconds between two looks."""
A_WATCH = 10.0
"""Seconds between two looks at the folders."""
A_DAY = 86_400.0
"""Seconds between two looks for visitors who stayed away."""
REST = 30.0
"""Seconds before another process is started where one could not even begin."""
GRACE = 5.0
"""Seconds that a job which was asked to end may take for it."""


class JobKeeper:
    """A thread that has jobs done, from `begin` to `end`."""

    def __init__(self, engine: Engine, *, watching: bool = False) -> None:
        self._engine = engine
        self.watching, self._folders, self._looked_at = watching, FolderWatch(), monotonic()
        self.visitors, self._fades_at = False, 0.0
        self._ended = Event()
        self._process: Process | None = None
        self._asked_at: float | None = None
        self._resting_until = 0.0
        self._thread: Thread | None = None
        self.when_moved: Callable[[], None] = lambda: None
        """Called once, when the catalog has left for another database."""

    def begin(self) -> None:
        """Look after jobs from now on; of a store that cannot be written there are none."""
        if self._thread is None and not self._engine.read_only:
            self._thread = Thread(target=self._run, name="saccade-jobs", daemon=True)
            self._thread.start()

    @property
    def ended(self) -> bool:
        """Whether the server ends."""
        return self._ended.is_set()

    def end(self) -> None:
        """End; a job under way is left as it is, for whoever comes next."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._process is not None:
            self._process.kill(after=GRACE)
            self._process = None

    def _run(self) -> None:
        while not self._ended.wait(LOOKS):
            if self._engine.moved:
                self.when_moved()
                return
            try:
                self._look()
                self._watch()
                self._fade()
            # A log that is busy, a disk that is full: the next look may find another world.
            except (SaccadeError, OSError) as error:
                trace.swallowed(log, error, doing="looking after jobs")

    def _look(self) -> None:
        if self._process is not None:
            if self._process.process.poll() is None:
                self._hurry(self._process)
                return
            failed = self._process.stop() != 0
            self._process, self._asked_at = None, None
            self._resting_until = monotonic() + (REST if failed else 0.0)
        if monotonic() >= self._resting_until and self._engine.jobs.waiting():
            threads = {"NUMBA_NUM_THREADS": str(cores())}
            self._process = start(
                "saccade.service.job", str(self._engine.path), environment=threads
            )

    def _watch(self) -> None:
        """Ask for what changed in the folders of the collection; nothing while jobs are done."""
        if not self.watching or monotonic() - self._looked_at < A_WATCH:
            return
        self._looked_at = monotonic()
        if self._process is None:
            for folder in self._folders.changed(self._engine.library.folders()):
                self._engine.jobs.post("index", folder=folder)

    def _fade(self) -> None:
        """Forget visitors who were not seen for a while, once a day."""
        if self.visitors and monotonic() >= self._fades_at:
            self._fades_at = monotonic() + A_DAY
            operations(self._engine).fade(FADE_DAYS)

    def _hurry(self, process: Process) -> None:
        """End a process whose job was asked to end some time ago."""
        running = [job for job in self._engine.jobs.list() if job.state == "running"]
        if not any(job.cancelled for job in running):
            self._asked_at = None
        elif self._asked_at is None:
            self._asked_at = monotonic()
        elif monotonic() - self._asked_at > GRACE:
            process.kill()
            # Whoever is next finds the job cancelled, and need not wait: nothing went wrong.
            self._process, self._asked_at = None, None

"""A fresh interpreter that runs one of our modules, and the line to it.

Not a fork: a fork copies locks held by other threads. Not multiprocessing's spawn: that runs the
caller's script again.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe

from saccade import trace

log = logging.getLogger(__name__)

# Two cores are two threads in all: a worker's libraries must not bring their own.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def without_blas_threads() -> None:
    """Let BLAS, which is not loaded yet, work in the threads that call it.

    A server's threads are its requests': where each of them brings more, they wait for each other,
    and wait busily. Asked by eight people on two busy cores, a search and a mark took 93 ms of
    processor time with them, and 33 without.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


@dataclass(slots=True)
class Process:
    """A process and our end of the line to it; it ends when the line is closed."""

    process: subprocess.Popen[bytes]
    line: Connection

    def stop(self) -> int:
        """Close the line and wait for the end; the exit code."""
        self.line.close()
        return self.process.wait()

    def kill(self, *, after: float = 0.0) -> int:
        """End it, if it has not ended `after` so many seconds by itself; the exit code."""
        self.line.close()
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(after)
        self.process.kill()
        return self.process.wait()


def start(module: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Process:
    """Run `python -m module FD *arguments`; FD is the other end of the line."""
    ours, theirs = Pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", module, str(theirs.fileno()), *arguments],
        pass_fds=[theirs.fileno()],
        env={**os.environ, **trace.environment(), **ONE_THREAD, **(environment or {})},
        stdin=subprocess.DEVNULL,
        # Ctrl-C is the parent's to answer: it stores what is done, then lets its workers go.
        start_new_session=True,
    )
    theirs.close()
    log.debug("started module=%s pid=%d", module, process.pid)
    return Process(process, ours)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

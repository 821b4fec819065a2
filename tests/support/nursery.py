"""Servers that start in a tenth of the time: forked from a process that has imported everything.

    nursery = Nursery()
    pid = nursery.start(["serve", "--store", store, "--processes", "2"], out, errors)

What runs is `saccade` with those arguments, in a process of its own that opens the store, listens
and warms up as any; the processes of `--processes` are forked, too. Only importing is not done
again. Run as a program this file is the process that they are forked from: it has imported what a
server imports, opened nothing and started no thread.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import Any

IMPORTED = (
    "saccade.cli.serve",
    "saccade.service.worker",
    "saccade.service.processes",
    "saccade.rankers.hybrid_online",
    "saccade.kernels.centred",
    "saccade.kernels.evidence",
    "saccade.kernels.scale",
)


class Nursery:
    """The process that servers are forked from; it ends with this one."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, arguments: list[str], out: Path, errors: Path) -> int:
        """Run `saccade` with these arguments, writing to those files; returns the process's id."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        wanted = {"arguments": arguments, "out": str(out), "errors": str(errors)}
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """Start no more."""
        self._process.communicate()


class Forked:
    """A process that was forked, with those verbs of `subprocess.Popen` that a crew uses."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def wait(self, timeout: float | None = None) -> int:
        """How it ended."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def kill(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGKILL)


def fork_worker(module: str, *, environment: Mapping[str, str] | None = None) -> Any:
    """`saccade.scale.processes.start` for one of several that serve, without the importing."""
    from saccade.scale.processes import Process
    from saccade.service import worker

    assert module == worker.__name__
    ours, theirs = Pipe()
    child = os.fork()
    if not child:
        os.setsid()
        for handled in (signal.SIGINT, signal.SIGTERM):
            signal.signal(handled, signal.SIG_DFL)
        for name in os.listdir("/proc/self/fd"):  # as in a new interpreter: nothing else is open
            if int(name) > 2 and int(name) != theirs.fileno():
                with suppress(OSError):
                    os.close(int(name))
        os._exit(worker.main(theirs.fileno()))
    theirs.close()
    return Process(Forked(child), ours)  # type: ignore[arg-type]


def _serve(wanted: Mapping[str, Any]) -> None:
    from saccade.cli import main
    from saccade.service import processes

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, place in ((1, wanted["out"]), (2, wanted["errors"])):
        file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    processes.start = fork_worker  # type: ignore[assignment]
    sys.argv = ["saccade", *wanted["arguments"]]
    main()


def _watch_over() -> None:
    for name in IMPORTED:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those that ended are not kept
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                _serve(json.loads(line))
            finally:
                os._exit(1)
        print(child, flush=True)


if __name__ == "__main__":
    _watch_over()

"""A process that does jobs: `python -m saccade.service.job FD STORE`.

It does what waits, and ends when nothing does or when the line is closed: the server ended, or
wants it to. A job that is under way then goes on when the next process comes.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from multiprocessing.connection import Connection
from threading import Thread

from saccade import trace
from saccade.engine import Engine, operations
from saccade.engine import open as opened
from saccade.errors import SaccadeError, Stopping

GENTLY = 5
"""How much others go before it."""


def main(number: int, store: str) -> int:
    """Do what waits; returns the exit code."""
    shown = trace.showing_as_asked(otherwise=logging.WARNING)
    with contextlib.suppress(OSError):
        os.nice(GENTLY)
    with shown, Connection(number) as line:
        try:
            with opened(store, create=False, warm=False) as engine:
                Thread(target=_until_closed, args=(line, engine), daemon=True).start()
                engine.jobs.run()
        except Stopping:
            return 0
        except SaccadeError as error:
            print(f"saccade: {error.sentence('command')}", file=sys.stderr)
            return error.exit_code
    return 0


def _until_closed(line: Connection, engine: Engine) -> None:
    with contextlib.suppress(EOFError, OSError):
        line.recv_bytes()
    operations(engine).interrupt()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2]))

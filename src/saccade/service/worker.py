"""One of several processes behind one address: `python -m saccade.service.worker FD`.

The line tells it which store to open and where to listen; it answers with the address once it
serves, and lives as long as the line does.
"""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from threading import Thread

from saccade import trace
from saccade.engine import open as opened
from saccade.errors import SaccadeError
from saccade.service.server import Door, Server, serve_anew


def main(number: int) -> int:
    """Serve until the line is closed; returns the exit code."""
    shown = trace.showing_as_asked("uvicorn", otherwise=logging.WARNING)
    with shown, Connection(number) as line:
        orders = json.loads(line.recv_bytes())
        door = Door.told(orders["door"])
        wanted = _Wanted()
        Thread(target=_until_closed, args=(line, wanted), daemon=True).start()
        try:
            pieces = {name: orders[name] for name in ("shards", "on")}
            serve_anew(
                lambda database: opened(orders["store"], create=False, database=database, **pieces),
                door,
                partial(_say, line),
                database=orders["database"],
                begun=wanted.begun,
                shared=True,
            )
        except SaccadeError as error:
            print(f"saccade: {error.sentence('command')}", file=sys.stderr)
            return error.exit_code
    return 0


def _say(line: Connection, address: str) -> None:
    with suppress(OSError):  # nobody waits for it any more: the line is closed, and so it ends
        line.send_bytes(address.encode())


class _Wanted:
    """Whether the server is wanted still, be it the first one or one after a move."""

    def __init__(self) -> None:
        self._server: Server | None = None
        self._over = False

    def begun(self, server: Server) -> None:
        self._server = server
        server.should_exit = self._over

    def end(self) -> None:
        self._over = True
        if self._server is not None:
            self._server.should_exit = True


def _until_closed(line: Connection, wanted: _Wanted) -> None:
    with suppress(EOFError, OSError):
        line.recv_bytes()
    wanted.end()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))

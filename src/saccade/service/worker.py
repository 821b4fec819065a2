"""One of several processes behind one address: `python -m saccade.service.worker FD`.

The line tells it which store to open and where to listen; it answers with the address once it
serves, and lives as long as the line does.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Thread

from saccade.engine import open as opened
from saccade.errors import SaccadeError
from saccade.service.server import Door, Server, bound


def main(number: int) -> int:
    """Serve until the line is closed; returns the exit code."""
    with Connection(number) as line:
        told = json.loads(line.recv_bytes())
        door = Door(told["host"], told["port"], told["token"], frozenset(told["allow_hosts"]))
        try:
            with opened(told["store"], create=False) as engine:
                server = bound(engine, door, lambda at: line.send_bytes(at.encode()), shared=True)
                Thread(target=_until_closed, args=(line, server), daemon=True).start()
                server.run()
        except SaccadeError as error:
            print(f"saccade: {error.told('command')}", file=sys.stderr)
            return error.exit_code
    return 0


def _until_closed(line: Connection, server: Server) -> None:
    with suppress(EOFError, OSError):
        line.recv_bytes()
    server.should_exit = True


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))

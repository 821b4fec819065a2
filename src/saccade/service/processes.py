"""Several processes behind one address: each has an interpreter of its own, all share the store.

    this process    holds the port, starts the others and ends them; it opens no store
    each other      opens the store, listens on the same port and learns from the same log

The system gives each connection to one of them. They end with the line that this process holds, so
that none is left behind, however this one ends. One that ends by itself is started again, and the
others go on meanwhile; only when they keep ending is there something wrong that starting does not
mend, and the server ends with the reason.
"""

from __future__ import annotations

import json
import signal
import socket
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path
from time import monotonic

from saccade.errors import InvalidInput, SaccadeError
from saccade.scale.processes import Process, start
from saccade.service.metrics import SHARED
from saccade.service.server import GRACE_SECONDS, STOP_SIGNALS, Door, Ready, listen

MOST_DEATHS = 5
WINDOW = 60.0
"""So many may end within so many seconds: one more, and starting again is no remedy."""

_WHY = "what they wrote last says why; then start the server again"


class _Stopped(BaseException):
    """Somebody asked the server to stop."""


def serve_many(
    store: Path,
    door: Door,
    processes: int,
    ready: Ready | None = None,
    *,
    database: str | None = None,
    shards: int | None = None,
    on: str = "processes",
) -> None:
    """Serve a store from so many processes until SIGINT or SIGTERM, each with shards of its own.

    Raises:
        SaccadeError: the port cannot be had, or the processes keep ending by themselves.
    """
    with tempfile.TemporaryDirectory(prefix="saccade-") as counts, _held(door) as port:
        orders = {
            "store": str(store),
            "database": database,
            "shards": shards,
            "on": on,
            "door": replace(door, port=port).as_told(),
        }

        def begin() -> Process:
            one = start("saccade.service.worker", environment={SHARED: counts})
            # By the line: whoever lists processes sees their arguments, and a token or a password.
            with suppress(OSError):  # one that has ended already is noticed like any other
                one.line.send_bytes(json.dumps(orders).encode())
            return one

        crew = Crew(begin, processes)
        try:
            with _stopping():
                address = crew.ready()
                if ready is not None:
                    ready(address)
                crew.watch()
        except _Stopped:
            pass
        finally:
            crew.end()


class Crew:
    """Processes that serve: each that ends by itself is started again, within reason."""

    def __init__(
        self,
        begin: Callable[[], Process],
        size: int,
        *,
        clock: Callable[[], float] = monotonic,
        tell: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
    ) -> None:
        self._begin, self._size, self._clock, self._tell = begin, size, clock, tell
        self._crew: list[Process] = []
        self._deaths: deque[float] = deque()

    def ready(self) -> str:
        """Start them all; returns the address when each of them serves.

        Raises:
            SaccadeError: one could not even begin: another would not, either.
        """
        for _ in range(self._size):
            self._crew.append(self._begin())
        addresses = [_heard(one) for one in self._crew]
        for one, address in zip(self._crew, addresses, strict=True):
            if address is None:
                raise SaccadeError(
                    f"one of the processes that serve ended by itself ({_reason(one)})", hint=_WHY
                )
        return str(addresses[0])

    def watch(self) -> None:
        """Start again whoever ends; returns never.

        Raises:
            SaccadeError: they ended too often.
        """
        while True:
            spoke = wait([one.line for one in self._crew])
            for place, one in enumerate(self._crew):
                if one.line in spoke and _heard(one) is None:
                    self._replace(place)

    def _replace(self, place: int) -> None:
        one, now = self._crew[place], self._clock()
        reason = _reason(one)
        one.line.close()
        self._deaths.append(now)
        while self._deaths[0] < now - WINDOW:
            self._deaths.popleft()
        if len(self._deaths) > MOST_DEATHS:
            raise SaccadeError(
                f"the processes that serve ended by themselves {len(self._deaths)} times within "
                f"{WINDOW:g} seconds, the last one with {reason}",
                hint=_WHY,
            )
        self._tell(f"saccade: one of the processes that serve ended ({reason}); another begins")
        self._crew[place] = self._begin()

    def end(self) -> None:
        """Let them all go."""
        for one in self._crew:
            one.line.close()
        for one in self._crew:
            one.kill(after=2 * GRACE_SECONDS)


def _heard(one: Process) -> str | None:
    """What a process says: its address, once it serves; None at its end."""
    try:
        return one.line.recv_bytes().decode()
    except (EOFError, OSError):
        return None


def _reason(one: Process) -> str:
    """How a process ended, waiting for that."""
    code = one.process.wait()
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


@contextmanager
def _held(door: Door) -> Iterator[int]:
    """The port, kept for us, without listening on it."""
    if not hasattr(socket, "SO_REUSEPORT"):
        raise InvalidInput("several processes cannot listen on one port on this system")
    # Alone first: a port that another program has, be it one of ours, is in use.
    with listen(door.host, door.port) as alone:
        family, address = alone.family, alone.getsockname()
    with socket.socket(family, socket.SOCK_STREAM) as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(address)
        yield int(address[1])


@contextmanager
def _stopping() -> Iterator[None]:
    """Let the signals that stop a server raise `_Stopped` here."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise _Stopped

    before = {number: signal.signal(number, stop) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

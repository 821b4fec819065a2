"""Several processes behind one address: each has an interpreter of its own, all share the store.

    this process    holds the port, starts the others and ends them; it opens no store
    each other      opens the store, listens on the same port and learns from the same log

The system gives each connection to one of them. They end with the line that this process holds, so
that none is left behind, however this one ends; if one of them ends by itself, so do all.
"""

from __future__ import annotations

import json
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path

from saccade.errors import InvalidInput, SaccadeError
from saccade.scale.processes import Process, start
from saccade.service.metrics import SHARED
from saccade.service.server import GRACE_SECONDS, STOP_SIGNALS, Door, Ready, listen


class _Stopped(BaseException):
    """Somebody asked the server to stop."""


def serve_many(store: Path, door: Door, processes: int, ready: Ready | None = None) -> None:
    """Serve a store from so many processes until SIGINT or SIGTERM.

    Raises:
        SaccadeError: the port cannot be had, or one of the processes ended by itself.
    """
    crew: list[Process] = []
    with tempfile.TemporaryDirectory(prefix="saccade-") as counts, _held(door) as port:
        told = {
            "store": str(store), "host": door.host, "port": port, "token": door.token,
            "allow_hosts": sorted(door.allow_hosts),
        }  # fmt: skip
        try:
            with _stopping():
                for _ in range(processes):
                    crew.append(start("saccade.service.worker", environment={SHARED: counts}))
                    # By the line: whoever lists processes sees their arguments, and a token.
                    crew[-1].line.send_bytes(json.dumps(told).encode())
                addresses = [_answer(one) for one in crew]
                if ready is not None:
                    ready(addresses[0])
                _ended(wait([one.line for one in crew]), crew)
        except _Stopped:
            pass
        finally:
            for one in crew:
                one.line.close()
            for one in crew:
                one.kill(after=2 * GRACE_SECONDS)


def _answer(one: Process) -> str:
    try:
        return one.line.recv_bytes().decode()
    except (EOFError, OSError):
        raise _failed(one) from None


def _ended(lines: Sequence[object], crew: Sequence[Process]) -> None:
    raise _failed(next(one for one in crew if one.line in lines))


def _failed(one: Process) -> SaccadeError:
    code = one.process.wait()
    return SaccadeError(
        f"one of the processes that serve ended by itself (exit code {code})",
        hint="what it wrote last says why; then start the server again",
    )


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

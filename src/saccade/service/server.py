"""Run the service: bind first, so that a port in use is one sentence; stop when asked."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Iterator

import uvicorn

from saccade.engine import Engine
from saccade.errors import InvalidInput
from saccade.service.app import create_app
from saccade.service.gate import LOOPBACK

Ready = Callable[[str], None]

_GRACE_SECONDS = 5
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """A server that says when it is ready and that returns, rather than dies, on a signal."""

    def __init__(self, config: uvicorn.Config, listener: socket.socket, ready: Ready | None):
        super().__init__(config)
        self.listener = listener
        self._ready = ready

    @property
    def url(self) -> str:
        """The address that a browser on this machine opens."""
        host, port = self.listener.getsockname()[:2]
        if ipaddress.ip_address(host).is_unspecified:
            host = "127.0.0.1" if self.listener.family == socket.AF_INET else "::1"
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then tell the caller where."""
        await super().startup(sockets)
        if self.started and self._ready is not None:
            self._ready(self.url)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM; the caller's handlers are back in place afterwards.

        The inherited version raises the signal again at the end, which would end the process
        before the engine is closed.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in _STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal, or until `should_exit` is set."""
        try:
            super().run(sockets or [self.listener])
        finally:
            self.listener.close()


def prepare(
    engine: Engine, *, host: str = "127.0.0.1", port: int = 8000, ready: Ready | None = None
) -> Server:
    """A server that is bound to its port and not yet running; port 0 takes any free one."""
    listener = _listen(host, port)
    app = create_app(engine, hosts=LOOPBACK if _is_loopback(listener) else None)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return Server(config, listener, ready)


def serve(
    engine: Engine, host: str = "127.0.0.1", port: int = 8000, ready: Ready | None = None
) -> None:
    """Serve `engine` until SIGINT or SIGTERM; `ready` is called once with the address."""
    prepare(engine, host=host, port=port, ready=ready).run()


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise InvalidInput(f"port {port} is not one: ports go from 0 to 65535", hint="--port 8000")
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except socket.gaierror:
        raise InvalidInput(
            f"no address {host!r} on this machine", hint="--host 127.0.0.1 serves this machine only"
        ) from None
    except OSError as error:
        raise _unbound(host, port, error) from None


def _unbound(host: str, port: int, error: OSError) -> InvalidInput:
    if error.errno == errno.EADDRINUSE:
        return InvalidInput(
            f"port {port} of {host} is in use by another program",
            hint=f"choose another with --port {port + 1 if port < 65535 else 8000}",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return InvalidInput(
            f"port {port} is reserved for the system", hint="choose one above 1023 with --port 8000"
        )
    return InvalidInput(
        f"cannot listen on {host} port {port}: {error.strerror or error}",
        hint="--host 127.0.0.1 serves this machine only",
    )


def _is_loopback(listener: socket.socket) -> bool:
    return ipaddress.ip_address(listener.getsockname()[0]).is_loopback

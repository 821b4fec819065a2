"""Run the service: bind first, so that a port in use is one sentence; stop when asked."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

import uvicorn

from saccade.engine import Engine
from saccade.errors import InvalidInput
from saccade.hints import Hint
from saccade.service.app import create_app
from saccade.service.hosts import LOOPBACK, checked_name
from saccade.service.patience import PatientProtocol
from saccade.service.token import checked_token

Ready = Callable[[str], None]

GRACE_SECONDS = 5
_KEEP_OUT = Hint(
    "token='new' lets in whoever has it, allow_hosts=[NAME] whoever asks for it",
    command="--token new lets in whoever has it, --allow-host NAME whoever asks for it",
)
_ALONE = Hint(
    "host='127.0.0.1' serves this machine only",
    command="--host 127.0.0.1 serves this machine only",
)
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """A server that says when it is ready and that returns, rather than dies, on a signal."""

    def __init__(
        self,
        config: uvicorn.Config,
        listener: socket.socket,
        ready: Ready | None = None,
        token: str | None = None,
        interrupt: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(config)
        self.listener, self.token = listener, token
        self._ready, self._interrupt = ready, interrupt

    @property
    def url(self) -> str:
        """The address that a browser on this machine opens."""
        host, port = self.listener.getsockname()[:2]
        if ipaddress.ip_address(host).is_unspecified:
            host = "127.0.0.1" if self.listener.family == socket.AF_INET else "::1"
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def door(self) -> str:
        """The address to open once: with the token, where there is one."""
        return self.url if self.token is None else f"{self.url}/?token={quote(self.token)}"

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then tell the caller where."""
        await super().startup(sockets)
        if self.started and self._ready is not None:
            self._ready(self.door)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, and let no long job keep its request open."""
        if self._interrupt is not None:
            self._interrupt()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM; the caller's handlers are back in place afterwards.

        The inherited version raises the signal again at the end, which would end the process
        before the engine is closed.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in STOP_SIGNALS}
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


@dataclass(frozen=True, slots=True)
class Door:
    """Where a server listens and whom it lets in, checked before anything is opened.

    An address that others can reach needs a `token` (`new` makes one up) or the names in
    `allow_hosts` that it answers for; behind a proxy those are the names that people know.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    allow_hosts: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, host: str, port: int, token: str | None = None, allow_hosts: Iterable[str] = ()
    ) -> Door:
        """A door that is safe to open.

        Raises:
            InvalidInput: no address, token or name, or nothing that keeps others out.
        """
        token = None if token is None else checked_token(token)
        names = frozenset(checked_name(name) for name in allow_hosts)
        door = cls(host, port, token, names)
        if not (door.alone or token or names):
            raise InvalidInput(
                f"others can reach {host}, and nothing would keep them out",
                hint=_KEEP_OUT,
            )
        return door

    @property
    def alone(self) -> bool:
        """Whether only this machine can reach it."""
        _, address = _resolved(self.host, self.port)
        return ipaddress.ip_address(address[0].partition("%")[0]).is_loopback

    @property
    def hosts(self) -> frozenset[str] | None:
        """The names to answer for; None for all."""
        return LOOPBACK | self.allow_hosts if self.alone or self.allow_hosts else None

    @property
    def warning(self) -> str | None:
        """What to know about a server that others can reach; None for one that they cannot."""
        if self.alone and not self.allow_hosts:
            return None
        here = "whoever the proxy lets through" if self.alone else "whoever reaches this address"
        who = "whoever has the token" if self.token else here
        on_the_way = "" if self.alone else "; what is sent can be read on the way"
        return f"{who} can search, teach and forget{on_the_way}"


def prepare(
    engine: Engine,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    allow_hosts: Iterable[str] = (),
    ready: Ready | None = None,
) -> Server:
    """A server that is bound to its port and not yet running; port 0 takes any free one."""
    return bound(engine, Door.of(host, port, token, allow_hosts), ready)


def bound(
    engine: Engine, door: Door, ready: Ready | None = None, *, shared: bool = False
) -> Server:
    """The same for a door that was checked before; other processes may listen on a `shared` one."""
    listener = listen(door.host, door.port, shared=shared)
    config = uvicorn.Config(
        create_app(engine, hosts=door.hosts, token=door.token),
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return Server(config, listener, ready, door.token, engine.interrupt)


def serve(
    engine: Engine,
    host: str = "127.0.0.1",
    port: int = 8000,
    ready: Ready | None = None,
    *,
    token: str | None = None,
    allow_hosts: Iterable[str] = (),
) -> None:
    """Serve `engine` until SIGINT or SIGTERM; `ready` is called once with the address."""
    prepare(engine, host=host, port=port, token=token, allow_hosts=allow_hosts, ready=ready).run()


def _port(number: int) -> Hint:
    return Hint(f"choose another, say port={number}", command=f"choose another: --port {number}")


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    if not 0 <= port <= 65535:
        raise InvalidInput(f"port {port} is not one: ports go from 0 to 65535", hint=_port(8000))
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise InvalidInput(f"no address {host!r} on this machine", hint=_ALONE) from None
    return family, (str(address[0]), port)


def listen(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A socket that listens there; others of this user may listen on a `shared` one too."""
    family, address = _resolved(host, port)
    try:
        listener = socket.create_server(address, family=family, backlog=2048, reuse_port=shared)
    except OSError as error:
        raise _unbound(host, port, error) from None
    # Said to be TCP, so that asyncio sends what is small at once: on a connection that is kept, an
    # answer would wait 40 ms for the client to confirm the one before.
    return socket.socket(family, listener.type, socket.IPPROTO_TCP, fileno=listener.detach())


def _unbound(host: str, port: int, error: OSError) -> InvalidInput:
    if error.errno == errno.EADDRINUSE:
        return InvalidInput(
            f"port {port} of {host} is in use by another program",
            hint=_port(port + 1 if port < 65535 else 8000),
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return InvalidInput(f"port {port} is reserved for the system", hint=_port(8000))
    return InvalidInput(
        f"cannot listen on {host} port {port}: {error.strerror or error}",
        hint=_ALONE,
    )

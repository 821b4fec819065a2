"""Run the service: bind first, so that a port in use is one sentence; stop when asked."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import json
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack
from urllib.parse import quote

import uvicorn
from anyio import to_thread
from fastapi import FastAPI

from saccade.engine import Engine, operations
from saccade.errors import InvalidInput
from saccade.hints import Hint
from saccade.service.app import create_app
from saccade.service.doorkeeper import TrustedProxy
from saccade.service.hosts import LOOPBACK, checked_name, checked_origin
from saccade.service.keeper import JobKeeper
from saccade.service.patience import PatientProtocol
from saccade.service.rates import Rates
from saccade.service.token import checked_token

log = logging.getLogger(__name__)

Ready = Callable[[str], None]

GRACE_SECONDS = 5
_KEEP_OUT = Hint(
    "token='new' lets in whoever has it, tokens=True whom engine.tokens knows, "
    "allow_hosts=[NAME] whoever asks for it",
    command="--token new lets in whoever has it, --tokens whoever `saccade token create` gave one, "
    "--allow-host NAME whoever asks for it",
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
        jobs: JobKeeper | None = None,
    ) -> None:
        super().__init__(config)
        self.listener, self.token = listener, token
        self._ready, self._interrupt, self._jobs = ready, interrupt, jobs
        self.moved = False
        """Whether it ended because the catalog has moved to another database."""
        if jobs is not None:
            jobs.when_moved = self._leave

    def _leave(self) -> None:
        self.moved = self.should_exit = True

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
        if self.started and self._jobs is not None:
            self._jobs.begin()
        if self.started and self._ready is not None:
            self._ready(self.door)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, and let no long job keep its request open; meanwhile it is not ready."""
        app = self.config.app
        if isinstance(app, FastAPI):
            app.state.stopping = True
        if self._interrupt is not None:
            self._interrupt()
        if self._jobs is not None:
            await to_thread.run_sync(self._jobs.end)
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

    An address that others can reach needs something that keeps them out: a `token` of its owner's
    (`new` makes one up), the `tokens` of the store, a `proxy` that knows who people are, or the
    names in `allow_hosts` that it answers for; behind a proxy those are the names that people know.
    `visitors` lets in whoever has no token, each as themselves alone. Pictures may be put by their
    paths from the `roots`, beside the folders of the collection.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    allow_hosts: frozenset[str] = frozenset()
    tokens: bool = False
    visitors: bool = False
    proxy: TrustedProxy | None = None
    origins: tuple[str, ...] = ()
    rate: float | None = None
    roots: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        host: str = "127.0.0.1",
        port: int = 8000,
        token: str | None = None,
        allow_hosts: Iterable[str] = (),
        *,
        tokens: bool = False,
        visitors: bool = False,
        proxy: TrustedProxy | None = None,
        origins: Iterable[str] = (),
        rate: float | None = None,
        roots: Iterable[str | os.PathLike[str]] = (),
    ) -> Door:
        """A door that is safe to open.

        Raises:
            InvalidInput: no address, token, name or folder, or nothing that keeps others out.
        """
        token = None if token is None else checked_token(token)
        names = frozenset(checked_name(name) for name in allow_hosts)
        sites = tuple(checked_origin(origin) for origin in origins)
        Rates(rate)  # what is no limit is refused here
        places = tuple(map(_folder, roots))
        door = cls(host, port, token, names, tokens, visitors, proxy, sites, rate, places)
        if not (door.alone or door.asks or names):
            raise InvalidInput(
                f"others can reach {host}, and nothing would keep them out",
                hint=_KEEP_OUT,
            )
        return door

    @classmethod
    def told(cls, line: str) -> Door:
        """The door that another process wrote down."""
        fields = json.loads(line)
        proxy = fields.pop("proxy")
        fields |= {name: tuple(fields[name]) for name in ("origins", "roots")}
        fields["allow_hosts"] = frozenset(fields["allow_hosts"])
        return cls(**fields, proxy=proxy and TrustedProxy(**proxy))

    def as_told(self) -> str:
        """All of it, for another process."""
        return json.dumps({**asdict(self), "allow_hosts": sorted(self.allow_hosts)})

    @property
    def asks(self) -> bool:
        """Whether it asks who comes."""
        return bool(self.token or self.tokens or self.visitors or self.proxy)

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
        on_the_way = "" if self.alone else "; what is sent can be read on the way"
        if self.visitors:
            return f"{here} can search, and teach for themselves alone{on_the_way}"
        if self.asks and not self.token:
            return f"whoever has a token can do what its role lets them{on_the_way}"
        who = "whoever has the token" if self.token else here
        return f"{who} can search, teach and forget{on_the_way}"


class DoorOptions(TypedDict, total=False):
    """What `Door.of` takes, by name."""

    host: str
    port: int
    token: str | None
    allow_hosts: Iterable[str]
    tokens: bool
    visitors: bool
    proxy: TrustedProxy | None
    origins: Iterable[str]
    rate: float | None
    roots: Iterable[str | os.PathLike[str]]


def prepare(engine: Engine, *, ready: Ready | None = None, **door: Unpack[DoorOptions]) -> Server:
    """A server that is bound to its port and not yet running; port 0 takes any free one."""
    return bound(engine, Door.of(**door), ready)


def bound(
    engine: Engine,
    door: Door,
    ready: Ready | None = None,
    *,
    shared: bool = False,
    watching: bool = False,
) -> Server:
    """The same for a door that was checked before; other processes may listen on a `shared` one.

    With `watching`, pictures that come, go or move in the collection's folders are noticed.
    """
    listener = listen(door.host, door.port, shared=shared)
    app = create_app(
        engine,
        hosts=door.hosts,
        token=door.token,
        tokens=door.tokens,
        visitors=door.visitors,
        proxy=door.proxy,
        origins=door.origins,
        rate=door.rate,
        roots=door.roots,
    )
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        log_config=None,  # as everything else here: by whoever runs it
        access_log=False,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    app.state.jobs.watching, app.state.jobs.visitors = watching, door.visitors
    interrupt = operations(engine).interrupt
    return Server(config, listener, ready, door.token, interrupt, app.state.jobs)


def serve_anew(
    opened: Callable[[str | None], Engine],
    door: Door,
    ready: Ready | None = None,
    *,
    database: str | None = None,
    begun: Callable[[Server], None] = lambda server: None,
    shared: bool = False,
    watching: bool = False,
) -> None:
    """Serve what `opened` gives, and again where its catalog has moved, until told to stop.

    `opened` is given the database that was named; a catalog that has moved is where the folder
    says. `begun` is told of every server.
    """
    while True:
        with opened(database) as engine:
            server = bound(engine, door, ready, shared=shared, watching=watching)
            door = replace(door, port=server.listener.getsockname()[1])
            begun(server)
            server.run()
        if not server.moved:
            return
        log.warning("the catalog has moved: opening the store anew")
        database, ready = None, None


def serve(engine: Engine, *, ready: Ready | None = None, **door: Unpack[DoorOptions]) -> None:
    """Serve `engine` until SIGINT or SIGTERM; `ready` is called once with the address."""
    prepare(engine, ready=ready, **door).run()


def _folder(place: str | os.PathLike[str]) -> str:
    """A folder that pictures may be put from."""
    whole = os.path.abspath(Path(place).expanduser())
    if not os.path.isdir(whole) or os.path.dirname(whole) == whole:
        raise InvalidInput(
            f"{whole} is no folder that pictures can be put from",
            hint="name a folder of pictures that is there",
        )
    return whole


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

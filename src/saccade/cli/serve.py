"""`saccade serve`: the page and the HTTP API."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade import trace
from saccade.cli.common import Database, On, Shards, Store, opened
from saccade.errors import InvalidInput
from saccade.scale.processes import without_blas_threads

if TYPE_CHECKING:
    from saccade.service.server import Door

Host = typer.Option("127.0.0.1", "--host", help="Address to listen on.")
Port = typer.Option(8000, "--port", help="Port to listen on.")
Token = typer.Option(
    None, "--token", envvar="SACCADE_TOKEN", help="Let in only whoever has it; new makes one up."
)
AllowHost = typer.Option([], "--allow-host", help="A name to answer for; repeat for more.")
Tokens = typer.Option(
    False, "--tokens", help="Let in whoever has a token of the store: see `saccade token`."
)
Visitors = typer.Option(
    False, "--visitors", help="Let in whoever has no token, too: each teaches themselves alone."
)
ProxyHeader = typer.Option(
    None, "--proxy-header", help="A header in which a proxy names the person; needs --proxy-from."
)
ProxyFrom = typer.Option(
    None, "--proxy-from", help="The proxy's address; from any other the header means nothing."
)
ProxyRole = typer.Option("teacher", "--proxy-role", help="The role of those the proxy names.")
AllowOrigin = typer.Option(
    [], "--allow-origin", help="Another site whose pages may use it: https://shop.example."
)
Rate = typer.Option(
    None, "--rate", help="Requests a second that a token or an address may send; in each process."
)
PicturesFrom = typer.Option(
    [],
    "--pictures-from",
    help="A folder that pictures may be put from by path, beside those of the collection.",
)
Watching = typer.Option(
    True, "--watch/--no-watch", help="Notice pictures that come, go or move in the folders."
)
Processes = typer.Option(
    1, "--processes", min=1, max=64, help="Serve from so many processes, for many people at once."
)


def serve(
    store: Path = Store,
    host: str = Host,
    port: int = Port,
    token: str = Token,
    allow_host: list[str] = AllowHost,
    tokens: bool = Tokens,
    visitors: bool = Visitors,
    proxy_header: str = ProxyHeader,
    proxy_from: str = ProxyFrom,
    proxy_role: str = ProxyRole,
    allow_origin: list[str] = AllowOrigin,
    rate: float = Rate,
    pictures_from: list[Path] = PicturesFrom,
    processes: int = Processes,
    watch: bool = Watching,
    database: str = Database,
    shards: int = Shards,
    on: str = On,
) -> None:
    """Serve the page and the HTTP API until Ctrl-C.

    The default address is this machine's own, and whoever reaches it can search, teach and forget.
    Any other address needs --token, --tokens, --visitors, a proxy, or --allow-host.
    """
    without_blas_threads()
    from saccade.service.doorkeeper import TrustedProxy
    from saccade.service.processes import serve_many
    from saccade.service.server import Door, serve_anew

    if (proxy_header is None) != (proxy_from is None):
        raise InvalidInput(
            "a header is believed from one address alone",
            hint="give --proxy-header and --proxy-from together",
        )
    proxy = proxy_header and TrustedProxy.of(proxy_header, proxy_from, proxy_role)
    door = Door.of(
        host,
        port,
        token,
        allow_host,
        tokens=tokens,
        visitors=visitors,
        proxy=proxy or None,
        origins=allow_origin,
        rate=rate,
        roots=pictures_from,
    )
    if processes > 1:
        # What is wrong with it is said once, and here.
        opened(store, warm=False, database=database).close()
        warn(door)
        serve_many(store, door, processes, announce, database=database, shards=shards, on=on)
        return

    def ready(address: str) -> None:
        announce(address)
        warn(door)

    with trace.showing_as_asked("uvicorn", otherwise=logging.WARNING):
        serve_anew(
            lambda where: opened(store, database=where, shards=shards, on=on),
            door,
            ready,
            database=database,
            watching=watch,
        )


def warn(door: Door) -> None:
    """Tell what it means that others can reach the server."""
    if door.warning is not None:
        print(f"saccade: others can reach this server: {door.warning}", file=sys.stderr)


def announce(address: str) -> None:
    """Tell where the page is."""
    print(f"Saccade is at {address}  (Ctrl-C stops it)", flush=True)

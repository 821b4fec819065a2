"""`saccade serve`: the page and the HTTP API."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Store, opened

if TYPE_CHECKING:
    from saccade.service.server import Door

Host = typer.Option("127.0.0.1", "--host", help="Address to listen on.")
Port = typer.Option(8000, "--port", help="Port to listen on.")
Token = typer.Option(
    None, "--token", envvar="SACCADE_TOKEN", help="Let in only whoever has it; new makes one up."
)
AllowHost = typer.Option([], "--allow-host", help="A name to answer for; repeat for more.")
Processes = typer.Option(
    1, "--processes", min=1, max=64, help="Serve from so many processes, for many people at once."
)


def serve(
    store: Path = Store,
    host: str = Host,
    port: int = Port,
    token: str = Token,
    allow_host: list[str] = AllowHost,
    processes: int = Processes,
) -> None:
    """Serve the page and the HTTP API until Ctrl-C.

    Without --token there is no log-in: anyone who reaches the address can search, teach and forget.
    The default address is this machine's own; any other needs --token or --allow-host.
    """
    from saccade.service.processes import serve_many
    from saccade.service.server import Door, bound

    door = Door.of(host, port, token, allow_host)
    if processes > 1:
        opened(store, warm=False).close()  # what is wrong with it is said once, and here
        warn(door)
        serve_many(store, door, processes, announce)
        return
    with opened(store) as engine:
        server = bound(engine, door, announce)
        warn(door)
        server.run()


def warn(door: Door) -> None:
    """Tell what it means that others can reach the server."""
    if door.warning is not None:
        print(f"saccade: others can reach this server: {door.warning}", file=sys.stderr)


def announce(address: str) -> None:
    """Tell where the page is."""
    print(f"Saccade is at {address}  (Ctrl-C stops it)", flush=True)

"""`saccade serve`: the page and the HTTP API."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import Store, opened


def serve(
    store: Path = Store,
    host: str = typer.Option("127.0.0.1", "--host", help="Address to listen on."),
    port: int = typer.Option(8000, "--port", help="Port to listen on."),
) -> None:
    """Serve the page and the HTTP API until Ctrl-C.

    There is no log-in: anyone who reaches the address can search, teach and forget. The default
    address is this machine's own.
    """
    from saccade.service.server import prepare

    with opened(store) as engine:
        prepare(engine, host=host, port=port, ready=announce).run()


def announce(address: str) -> None:
    """Tell where the page is."""
    print(f"Saccade is at {address}  (Ctrl-C stops it)", flush=True)

"""`saccade demo`: from nothing to a page that learns, with one command."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

import typer

from saccade import trace
from saccade.cli.common import filling, progress
from saccade.cli.index import print_report
from saccade.cli.serve import AllowHost, Host, Port, Token, announce, warn
from saccade.scale.processes import without_blas_threads


def demo(
    images: Path = typer.Option(None, "--images", help="Your own folder instead of the world."),
    into: Path = typer.Option(Path("saccade-demo"), "--into", help="Where the demo lives."),
    count: int = typer.Option(360, "--count", min=18, help="How many pictures the world has."),
    host: str = Host,
    port: int = Port,
    token: str = Token,
    allow_host: list[str] = AllowHost,
    serving: bool = typer.Option(True, "--serve/--no-serve", help="Serve when indexed."),
) -> None:
    """Draw a small world, index it, serve it. A second run starts in seconds.

    Your own folder (--images) is served at once and indexed behind.
    """
    without_blas_threads()
    from saccade.service.server import Door, bound

    door = Door.of(host, port, token, allow_host)  # before the work, not after it
    own = images is not None
    if images is None:
        images = into / "world"
        _draw(images, count)
        store = into / "world.saccade"
    else:
        images = images.expanduser().absolute()
        mark = hashlib.blake2b(str(images).encode(), digest_size=4).hexdigest()
        store = into / f"{images.name}-{mark}.saccade"
    if own and serving:
        from saccade.cli.start import show

        show(store, door, folder=images)
        return
    with filling(store) as engine:
        with progress() as watch:
            report = engine.add(images, watch=watch)
        print_report(report, len(engine), store)
        if serving:
            server = bound(engine, door, announce)
            engine.warm()
            warn(door)
            with trace.showing_as_asked("uvicorn", otherwise=logging.WARNING):
                server.run()


def _draw(folder: Path, count: int) -> None:
    from saccade.engine import Progress
    from saccade.testbed.worlds import write

    with progress() as watch:
        write(
            folder,
            images=count,
            progress=lambda done, total: watch(Progress("drawing a small world", done, total)),
        )

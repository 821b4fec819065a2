"""`saccade` alone: the page at once; what there is to index is indexed behind."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from saccade import trace
from saccade.cli.common import filling
from saccade.cli.serve import announce, warn
from saccade.scale.processes import without_blas_threads

if TYPE_CHECKING:
    from saccade.service.server import Door


def start(store: Path, host: str, port: int) -> None:
    """Open the page of a store, made when missing; the page asks for a folder where it is empty."""
    without_blas_threads()
    from saccade.service.server import Door

    show(store, Door.of(host, port))


def show(store: Path, door: Door, *, folder: Path | None = None) -> None:
    """Serve a store now; a folder named, or those it has, are brought up to date behind."""
    from saccade.service.server import bound

    with filling(store) as engine:
        server = bound(engine, door, announce, watching=True)
        if folder is not None:
            engine.jobs.post("index", folder=str(folder))
        elif engine.library.folders():
            engine.jobs.post("reindex")
        warn(door)
        # The page is there before everything is warm: it has enough to show meanwhile.
        warming = Thread(target=engine.warm)
        warming.start()
        try:
            with trace.showing_as_asked("uvicorn", otherwise=logging.WARNING):
                server.run()
        finally:
            warming.join()

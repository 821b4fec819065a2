"""A server in a thread, for as long as a block lasts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from saccade.service.server import Server


@contextmanager
def running(server: Server) -> Iterator[str]:
    """Serve from a thread; yields the address."""
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.should_exit = True
        thread.join()

"""A server in a thread, for as long as a block lasts, and patience with it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from saccade.service.server import Server

PATIENCE = 180.0
"""Seconds that anything in a test may take: a loaded machine is slow, not wrong."""


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


def until(condition: Callable[[], object]) -> None:
    """Wait for something that is about to happen."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)

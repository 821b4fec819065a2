"""A new store for as long as what follows succeeds.

Whoever makes a store and fails before anything is in it takes it away again. Others may have opened
it meanwhile, or be filling it: then it is theirs, and stays.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from saccade import trace
from saccade.errors import SaccadeError, StoreBusy
from saccade.store.store import Store

log = logging.getLogger(__name__)


@contextmanager
def new_store(root: str | os.PathLike[str], database: str | None = None) -> Iterator[None]:
    """Make a store where there is none; one that is still empty after a failure goes again."""
    store = Store(root, database=database)
    new, folders = store.new, store.new_folders
    store.close()
    try:
        yield
    except StoreBusy:
        raise  # another process fills it: it is theirs now
    except BaseException:
        if new:
            # The failure is what must be told, and not that tidying up failed, too.
            with trace.dropping(log, SaccadeError, OSError, doing="taking an empty store away"):
                _take_away(root, database)
                for folder in folders:
                    folder.rmdir()
        raise


def _take_away(root: str | os.PathLike[str], database: str | None) -> None:
    store = Store(root, create=False, database=database)
    try:
        store.take_away()
    finally:
        store.close()

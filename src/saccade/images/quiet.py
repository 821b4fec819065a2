"""Pillow's warnings, silenced while one of our threads decodes.

Whatever it warns of (odd camera data, an odd palette) is nothing the user can act on: the picture
is either shown or refused with a reason. `warnings.catch_warnings` would put back the filters of
another thread, so this adds one entry for Pillow's modules alone and takes the same one out again.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_lock = threading.Lock()
_inside = 0
_entry: object = None


@contextmanager
def without_pillow_warnings() -> Iterator[None]:
    """No warning from a module of Pillow is shown, or raised, inside this block."""
    global _inside, _entry
    with _lock:
        _inside += 1
        # Another thread's catch_warnings may have put an older list back since the last time.
        if _entry is None or _entry not in warnings.filters:
            warnings.filterwarnings("ignore", module=r"PIL\.")
            _entry = warnings.filters[0]
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                with suppress(ValueError, AttributeError):
                    warnings.filters.remove(_entry)  # type: ignore[attr-defined]
                _entry = None

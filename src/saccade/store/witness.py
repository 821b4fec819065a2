"""The number of the last acknowledged event, kept apart from the log: a lost tail is noticed.

A catalog that came back without its journal (copied by hand, cleaned up, restored half) is sound as
far as it goes, and nothing in it tells that it once went further.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_WIDTH = 20


class Witness:
    """One number in one small file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def testify(self, event_id: int) -> None:
        """Note an event that is on disk. Not synced: it may know less than the log, never more."""
        with suppress(
            OSError
        ):  # a witness that cannot write is no reason to refuse what is durable
            handle = os.open(self._file, os.O_WRONLY | os.O_CREAT, 0o644)
            try:
                os.write(handle, f"{event_id:{_WIDTH}d}\n".encode())
            finally:
                os.close(handle)

    def last(self) -> int:
        """The last event it knows of; 0 where it knows nothing or is damaged."""
        try:
            return int(self._file.read_bytes()[: _WIDTH + 1])
        except (OSError, ValueError):
            return 0

"""The number of the last acknowledged event, kept apart from the log: a lost tail is noticed.

A catalog that came back without its journal (copied by hand, cleaned up, restored half) is sound as
far as it goes, and nothing in it tells that it once went further. The number has a checksum behind
it: one digit that changed must not tell of a loss that was none.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from saccade import trace
from saccade.store import files

log = logging.getLogger(__name__)

_WIDTH = 20
_MARK = 16
"""Digits of its checksum; the first version wrote none."""


class Witness:
    """One number in one small file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def testify(self, event_id: int) -> None:
        """Note an event that is on disk. Not synced: it may know less than the log, never more."""
        number = f"{event_id:{_WIDTH}d}"
        # A witness that cannot write is no reason to refuse what is durable.
        with trace.dropping(log, OSError, doing="noting the last event", event=event_id):
            handle = os.open(self.file, os.O_WRONLY | os.O_CREAT, 0o644)
            try:
                written = os.write(handle, f"{number} {_mark(number)}\n".encode())
                if os.fstat(handle).st_size > written:
                    os.ftruncate(handle, written)
            finally:
                os.close(handle)

    def last(self) -> int | None:
        """The last event it knows of; 0 where it knows of none, None where it is damaged."""
        try:
            data = self.file.read_bytes()
        except FileNotFoundError:
            return 0
        except OSError as error:
            trace.swallowed(log, error, doing="reading which event was the last")
            return 0
        if not data.strip(b"\0"):
            return 0  # it is not synced: this is what is left of it when the power fails
        try:
            number, mark = data[:_WIDTH].decode(), data[_WIDTH:].decode().strip()
            if mark and mark != _mark(number):
                return None
            return int(number)
        except ValueError:
            return None


def _mark(number: str) -> str:
    return files.digest(number.encode())[:_MARK]

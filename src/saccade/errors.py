"""Everything Saccade raises on purpose.

A message names the thing, the place and the next step, in one sentence: the command line prints it
as it stands and the service sends it as JSON, so neither needs a table of its own.

    code        short, stable name for programs
    exit_code   of the command line
    status      of HTTP
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

from saccade.hints import Surface, told


class SaccadeError(Exception):
    """Root of the tree: catch this to catch everything that is not a bug."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1
    status: ClassVar[int] = 500

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.told("python")

    def told(self, surface: Surface) -> str:
        """The whole sentence in a surface's words."""
        hint = told(self.hint, surface)
        return f"{self.message} ({hint})" if hint else self.message


class InvalidInput(SaccadeError, ValueError):
    """An argument, file or field that cannot be used as it is."""

    code = "invalid-input"
    exit_code = 2
    status = 422


class UnknownName(InvalidInput):
    """A name that no table has; the message offers the nearest one that exists."""

    code = "unknown-name"

    def __init__(self, kind: str, name: str, known: Iterable[str], *, hint: str = "") -> None:
        known = sorted(known)
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        message = f"no {kind} {name!r}"
        if near:
            message += f"; did you mean {near[0]!r}?"
        elif known:
            shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
            message += f"; there are: {shown}"
        super().__init__(message, hint=hint)
        self.name, self.known = name, known


class NotAnImage(InvalidInput):
    """Bytes that are no picture: empty, truncated, corrupt, too large, of another format."""

    code = "not-an-image"


class NotFound(SaccadeError, LookupError):
    """An image, page, user or event that is not there."""

    code = "not-found"
    exit_code = 3
    status = 404


class NotShown(InvalidInput):
    """Feedback on an image that its page did not show."""

    code = "not-shown"


class TooFewAnswers(SaccadeError):
    """An attribute that nobody has taught enough to order anything."""

    code = "too-few-answers"
    exit_code = 3
    status = 409


class NothingToUndo(SaccadeError):
    """The user has no live feedback left."""

    code = "nothing-to-undo"
    exit_code = 3
    status = 409


class NotReady(SaccadeError):
    """Something must be made first, and takes longer than a request may."""

    code = "not-ready"
    exit_code = 4
    status = 409


class Stopping(SaccadeError):
    """A long job was asked to end; what it has made is kept, and the next call goes on."""

    code = "stopping"
    exit_code = 4
    status = 503


class StoreError(SaccadeError):
    """The store cannot be opened, read or written."""

    code = "store"
    exit_code = 4
    status = 503
    short: ClassVar[str] = "the log cannot be written"
    """What it means to someone who searches."""


class StoreLocked(StoreError):
    """Another process has been writing for too long."""

    code = "store-locked"
    short = "the log is busy"


class StoreFull(StoreError):
    """There is no room left on the disk."""

    code = "store-full"
    short = "the disk is full"


class StoreBusy(StoreError):
    """Another process is indexing into this store."""

    code = "store-busy"
    status = 409


class StoreFormat(StoreError):
    """The store was written by a newer Saccade, or is no store."""

    code = "store-format"
    status = 500

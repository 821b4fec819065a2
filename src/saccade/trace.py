"""What is swallowed leaves a trace: counted by its cause, logged with its traceback the first time.

    log = logging.getLogger(__name__)

    try:
        ...
    except Exception as error:
        trace.swallowed(log, error, doing="asking an expert", expert=name)

    with trace.dropping(log, StoreError, doing="joining segments"):
        ...

A cause is what was being done, the kind of the error and the line that raised it. Its first time is
a warning, later ones are debug lines. Every module logs under its own name, in lines of key=value,
and the package by itself prints nothing: whoever uses it as a library sets up `logging` as they
like. `showing` is what the command line does with --verbose, and a server always.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from threading import Lock
from typing import NamedTuple


class Cause(NamedTuple):
    """Why something was swallowed."""

    doing: str
    error: str
    """The kind of the error, by its name."""
    place: str
    """The file and the line that raised it."""


SHOWN = "SACCADE_LOG"
"""The environment variable that asks a process to show its log, from this level on."""

FORM = "SACCADE_LOG_FORMAT"
"""The environment variable that asks for lines of JSON, where it is `json`."""

_PACKAGE = __name__.partition(".")[0]
_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# What would move a terminal's cursor or turn its text: messages quote names of files.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

_lock = Lock()
_times: Counter[Cause] = Counter()
_shown: list[int] = []  # levels, the one that holds now last


def swallowed(logger: logging.Logger, error: BaseException, *, doing: str, **facts: object) -> None:
    """Count an error that goes no further, and log it.

    `doing` is one phrase for one piece of code; what differs from time to time is in `facts`.
    """
    cause = Cause(doing, type(error).__name__, _place(error))
    with _lock:
        _times[cause] += 1
        times = _times[cause]
    details = "".join(f" {name}={value!r}" for name, value in facts.items())
    logger.log(
        logging.WARNING if times == 1 else logging.DEBUG,
        "swallowed doing=%r error=%s said=%r place=%s times=%d%s",
        *(doing, cause.error, str(error), cause.place, times, details),
        exc_info=error if times == 1 else None,
        extra={"cause": cause, "times": times, "facts": facts},
        stacklevel=2,
    )


@contextmanager
def dropping(
    logger: logging.Logger, *kinds: type[BaseException], doing: str, **facts: object
) -> Iterator[None]:
    """Leave the block at an error of these kinds and go on behind it, with a trace.

    >>> with dropping(logging.getLogger("a.plug-in"), KeyError, doing="looking it up"):
    ...     {}["nowhere"]
    """
    try:
        yield
    except kinds as error:
        swallowed(logger, error, doing=doing, **facts)


def counts() -> dict[Cause, int]:
    """How often each cause was swallowed in this process."""
    with _lock:
        return dict(_times)


@contextmanager
def showing(level: int, *others: str) -> Iterator[None]:
    """Print the log of this package, and of `others`, from `level` on to standard error."""
    handler, added = _ToStandardError(), []
    before = {name: logging.getLogger(name).level for name in (_PACKAGE, *others)}
    for name in before:
        logger = logging.getLogger(name)
        logger.setLevel(level)
        if not any(isinstance(one, _ToStandardError) for one in logger.handlers):
            logger.addHandler(handler)
            added.append(logger)
    _shown.append(level)
    try:
        yield
    finally:
        _shown.pop()
        for logger in added:
            logger.removeHandler(handler)
        for name, was in before.items():
            logging.getLogger(name).setLevel(was)


@contextmanager
def showing_as_asked(*others: str, otherwise: int | None = None) -> Iterator[None]:
    """Show from the level that is shown already, or that the environment asks for, or `otherwise`.

    Where none of them is a level, nothing is shown.
    """
    asked = os.environ.get(SHOWN, "").upper()
    # Whoever writes something else there wants to see something.
    level = logging.getLevelNamesMapping().get(asked, logging.INFO) if asked else otherwise
    level = _shown[-1] if _shown else level
    if level is None:
        yield
        return
    with showing(level, *others):
        yield


def environment() -> dict[str, str]:
    """What a process that is started here must be told, to show as much as this one."""
    return {SHOWN: logging.getLevelName(_shown[-1])} if _shown else {}


class _AsJson(logging.Formatter):
    """One object a line: when, how grave, who, what, and the facts that differ."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": record.created,
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **dict(getattr(record, "facts", {})),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class _ToStandardError(logging.Handler):
    """Writes to whatever standard error is at the time."""

    def __init__(self) -> None:
        super().__init__()
        as_json = os.environ.get(FORM, "").lower() == "json"
        self.setFormatter(_AsJson() if as_json else logging.Formatter(_LINE))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = _CONTROL.sub(lambda sign: f"\\x{ord(sign[0]):02x}", self.format(record))
            print(line, file=sys.stderr, flush=True)
        except Exception:
            self.handleError(record)


def _place(error: BaseException) -> str:
    at = error.__traceback__
    if at is None:
        return "nowhere"
    while at.tb_next is not None:
        at = at.tb_next
    return f"{PurePath(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}"

"""Bytes → a picture, in another process: one picture cannot end, fill or stop this one.

    from saccade.scale.decoding import decode

has the words of `saccade.images.decode` and its results. A few decoding processes are kept warm and
shared by every thread; as many decode at once as there are cores, and the others wait their turn.
A picture that ends its process (a decoder's bug, too much memory, too much time) is refused with
that reason. A process that died for no fault of the picture's (somebody ended it) is replaced.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import signal
from dataclasses import dataclass
from queue import Empty, LifoQueue
from threading import Lock

import numpy as np

from saccade import trace
from saccade.errors import NotAnImage, SaccadeError
from saccade.images.decode import SIDE, Decoded
from saccade.images.rendering import Rendered
from saccade.scale.decoder import OUT_OF_MEMORY, READY
from saccade.scale.limits import ProcessLimits
from saccade.scale.processes import Process, cores, start
from saccade.types import UNKNOWN_ORIGIN, Origin

log = logging.getLogger(__name__)

_OUT_OF_TIME = -int(getattr(signal, "SIGXCPU", 0))
_A_MOMENT = 10.0  # for a process that has hung up to end by itself, and tell why by its code
_LONGEST_HEAD = 2**16


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a process said: a picture or a reason, and whether it stays."""

    rendered: Rendered | None
    origin: Origin = UNKNOWN_ORIGIN
    reason: str = ""
    hint: str = ""
    last: bool = False


@dataclass(frozen=True, slots=True)
class _Dead:
    """A process ended over its task."""

    code: int


class Decoders:
    """A few decoding processes, started as they are needed; any thread may call `decode`."""

    def __init__(self, most: int | None = None, limits: ProcessLimits | None = None) -> None:
        self.most, self.limits = most or cores(), limits or ProcessLimits()
        # Last in, first out: a warm process is taken before a new one is started.
        self._places: LifoQueue[Process | None] = LifoQueue()
        for _ in range(self.most):
            self._places.put(None)

    def decode(self, data: bytes, *, side: int = SIDE) -> Decoded:
        """The picture in `data`, its longer side at most `side`.

        Raises:
            NotAnImage: whatever `images.decode` refuses, and what its process did not survive.
        """
        answer = self._ask(data, side)
        if answer.rendered is None:
            raise NotAnImage(answer.reason, hint=answer.hint)
        return Decoded.of(answer.rendered)

    def origin(self, data: bytes) -> Origin:
        """When and with what the picture in a file, or in its beginning, was taken."""
        return self._ask(data, None).origin

    def warm(self) -> None:
        """Start one process now, so that the first picture does not wait for it."""
        process = self._places.get()
        try:
            process = self._alive(process)
        finally:
            self._places.put(process)

    def close(self) -> None:
        """End the processes that are idle; a later call starts new ones."""
        idle: list[Process | None] = []
        try:
            while True:
                idle.append(self._places.get_nowait())
        except Empty:
            pass
        for process in idle:
            if process is not None:
                process.kill()
            self._places.put(None)

    def _ask(self, data: bytes, side: int | None) -> _Answer:
        process = self._places.get()
        try:
            for last_try in (False, True):
                process = self._alive(process)
                answer = _exchange(process, data, side, self.limits.patience)
                if isinstance(answer, _Answer):
                    if answer.last:
                        process.kill()
                    return answer
                # Somebody may have ended it by mistake: a picture is blamed for a second death.
                if last_try or answer.code in (_OUT_OF_TIME, OUT_OF_MEMORY):
                    return _Answer(None, reason=_reason(answer.code, self.limits))
            raise AssertionError("the last try returns")
        finally:
            self._places.put(process)

    def _alive(self, process: Process | None) -> Process:
        """The process given, or a new one where it has ended."""
        if process is not None and process.process.poll() is None:
            return process
        if process is not None:
            process.stop()
        limits = self.limits
        process = start("saccade.scale.decoder", str(limits.memory), str(limits.seconds))
        try:
            if process.line.recv_bytes(len(READY)) == READY:
                return process
        except (EOFError, OSError) as error:
            trace.swallowed(log, error, doing="starting a decoding process")
        raise SaccadeError(
            f"a decoding process did not start (exit code {process.stop()})",
            hint="standard error has its last words",
        )


def decode(data: bytes, *, side: int = SIDE) -> Decoded:
    """The picture in `data`, by the decoding processes that this whole program shares."""
    return shared().decode(data, side=side)


def origin(data: bytes) -> Origin:
    """When and with what the picture in a file, or in its beginning, was taken.

    What cannot be read says nothing.
    """
    return shared().origin(data)


_lock = Lock()
_shared: Decoders | None = None


def shared() -> Decoders:
    """The decoding processes of this program; how many decode at once is the machine's matter."""
    global _shared
    with _lock:
        if _shared is None:
            _shared = Decoders()
            atexit.register(_shared.close)
        return _shared


def _after_fork() -> None:
    """A fork has its parent's lines, and must not speak on them."""
    global _lock, _shared
    _lock, _shared = Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _exchange(process: Process, data: bytes, side: int | None, patience: float) -> _Answer | _Dead:
    line = process.line
    try:
        line.send_bytes(json.dumps({"side": side}).encode())
        line.send_bytes(data)
        if not line.poll(patience):
            process.kill()
            return _Answer(None, reason=f"reading it took more than {patience:g} s")
        head = json.loads(line.recv_bytes(_LONGEST_HEAD))
        pixels = line.recv_bytes(3 * side * side if side else 1)
    except (EOFError, OSError, ValueError) as error:
        dead = _Dead(process.kill(after=_A_MOMENT))
        trace.swallowed(log, error, doing="asking a decoding process", code=dead.code)
        return dead
    if "error" in head:
        return _Answer(None, reason=head["error"], hint=head["hint"], last=head["last"])
    origin = Origin(*map(str, head["origin"]))
    if side is None:
        return _Answer(None, origin, last=head["last"])
    rgb = np.frombuffer(pixels, np.uint8).reshape(head["shape"])
    rendered = Rendered(rgb, head["width"], head["height"], head["format"], origin)
    return _Answer(rendered, origin, last=head["last"])


def _reason(code: int, limits: ProcessLimits) -> str:
    if code == _OUT_OF_TIME:
        return f"reading it took more than {limits.seconds} s of processor time"
    if code == OUT_OF_MEMORY:
        return f"reading it took more than {limits.memory / 2**20:,.0f} MiB of memory"
    ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"reading it ended its decoding process ({ended})"

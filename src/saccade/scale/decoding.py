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
import os
import signal
from dataclasses import dataclass
from queue import Empty, LifoQueue
from threading import Lock

import numpy as np

from saccade.errors import NotAnImage, SaccadeError
from saccade.images.decode import SIDE, Decoded
from saccade.images.rendering import Rendered
from saccade.scale.decoder import OUT_OF_MEMORY, READY
from saccade.scale.limits import ProcessLimits
from saccade.scale.processes import Process, cores, start

_OUT_OF_TIME = -int(getattr(signal, "SIGXCPU", 0))
_A_MOMENT = 10.0  # for a process that has hung up to end by itself, and tell why by its code
_LONGEST_HEAD = 2**16


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a process said: a picture or a reason, and whether it stays."""

    rendered: Rendered | None
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

    def _ask(self, data: bytes, side: int) -> _Answer:
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
                    return _Answer(None, _reason(answer.code, self.limits))
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
        except (EOFError, OSError):
            pass
        raise SaccadeError(
            f"a decoding process did not start (exit code {process.stop()})",
            hint="standard error has its last words",
        )


def decode(data: bytes, *, side: int = SIDE) -> Decoded:
    """The picture in `data`, by the decoding processes that this whole program shares."""
    return shared().decode(data, side=side)


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


def _exchange(process: Process, data: bytes, side: int, patience: float) -> _Answer | _Dead:
    line = process.line
    try:
        line.send_bytes(json.dumps({"side": side}).encode())
        line.send_bytes(data)
        if not line.poll(patience):
            process.kill()
            return _Answer(None, f"reading it took more than {patience:g} s")
        head = json.loads(line.recv_bytes(_LONGEST_HEAD))
        pixels = line.recv_bytes(3 * side * side)
    except (EOFError, OSError, ValueError):
        return _Dead(process.kill(after=_A_MOMENT))
    if "error" in head:
        return _Answer(None, head["error"], head["hint"], head["last"])
    rgb = np.frombuffer(pixels, np.uint8).reshape(head["shape"])
    found = Rendered(rgb, head["width"], head["height"], head["format"])
    return _Answer(found, last=head["last"])


def _reason(code: int, limits: ProcessLimits) -> str:
    if code == _OUT_OF_TIME:
        return f"reading it took more than {limits.seconds} s of processor time"
    if code == OUT_OF_MEMORY:
        return f"reading it took more than {limits.memory / 2**20:,.0f} MiB of memory"
    ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"reading it ended its decoding process ({ended})"

"""What every training shares: samples, progress with the time left, and a state that survives.

    time left = time so far · (1 − share done) / share done

counted from where this run began: a training that was killed and goes on estimates anew.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.errors import InvalidInput
from saccade.types import Array, Arrays, Encoded, Spec
from saccade.words.local_features import DIMENSION, Descriptors

log = logging.getLogger(__name__)

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far a training is: the share done, 0 to 1, and the seconds left, None before it knows."""

    done: float
    seconds_left: float | None
    note: str


Report = Callable[[TrainingProgress], None]


@dataclass(slots=True)
class Meter:
    """Turns a share done into progress with an estimate of the time left."""

    report: Report | None
    clock: Callable[[], float] = time.monotonic
    _began: tuple[float, float] | None = field(default=None, init=False)

    def at(self, done: float, note: str) -> None:
        """Report that a share `done` of the work is done."""
        log.debug("training done=%.3f note=%r", done, note)
        if self.report is None:
            return
        now = self.clock()
        if self._began is None:
            self._began = (now, done)
        since, at_first = self._began
        gained = done - at_first
        left = (now - since) * (1.0 - done) / gained if gained > 0 else None
        self.report(TrainingProgress(done, left, note))


def checked(descriptors: Array) -> Descriptors:
    """The descriptors, if they are what a vocabulary takes."""
    if descriptors.dtype != np.uint8 or descriptors.ndim != 2 or descriptors.shape[1] != DIMENSION:
        raise InvalidInput(
            f"descriptors are uint8 [n, {DIMENSION}]; these are {descriptors.dtype} "
            f"{list(descriptors.shape)}",
            hint="saccade.words.local_features.extract makes them",
        )
    return plain(descriptors)


def plain(array: NDArray[T]) -> NDArray[T]:
    """A read-only view without the mapping of its file: one compiled kernel serves all."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def sample(descriptors: Descriptors, limit: int, *, seed: int) -> Descriptors:
    """At most `limit` descriptors, drawn without replacement, in their own order."""
    if len(descriptors) <= limit:
        return np.ascontiguousarray(descriptors)
    rows = np.random.default_rng(seed).choice(len(descriptors), limit, replace=False, shuffle=False)
    return np.ascontiguousarray(descriptors[np.sort(rows)])


def digest(spec: Spec, arrays: Arrays) -> str:
    """32 hexadecimal digits that name a spec and its arrays."""
    name = hashlib.blake2b(json.dumps(spec, sort_keys=True).encode(), digest_size=16)
    for key in sorted(arrays):
        array = np.ascontiguousarray(arrays[key])
        name.update(f"{key}:{array.dtype.str}:{array.shape}".encode())
        name.update(array.reshape(-1).view(np.uint8).data)
    return name.hexdigest()


def write(file: Path, head: Spec, arrays: Arrays) -> None:
    """Named arrays and one JSON head in one `.npz`; `file` is whole and on disk, or untouched."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    text = np.frombuffer(json.dumps(head, sort_keys=True).encode(), np.uint8)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as stream:
            np.savez(stream, allow_pickle=False, head=text, **dict(arrays))
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def read(file: Path) -> Encoded:
    """What `write` wrote; ValueError for anything else, also for a file cut short or altered."""
    try:
        # Opened here, because numpy leaves a broken archive open.
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
            head = json.loads(arrays.pop("head").tobytes())
    # Bytes from outside make readers of archives raise almost anything.
    except Exception as problem:
        raise ValueError(f"{type(problem).__name__}: {problem}") from problem
    if not isinstance(head, dict):
        raise ValueError("its head is no JSON object")
    return head, arrays


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a training in a folder, so that a killed one goes on where it was.

    `purpose` names what is trained on what: a state that was left by another training is ignored.
    """

    folder: Path | None
    purpose: str

    def save(self, step: int, arrays: Arrays) -> None:
        """Keep the state after `step`."""
        if self.folder is not None:
            write(self._file(self.folder), {"purpose": self.purpose, "step": step}, arrays)

    def load(self) -> tuple[int, dict[str, Array]] | None:
        """The last step kept and its arrays, or None where there is none that serves."""
        if self.folder is None or not self._file(self.folder).exists():
            return None
        try:
            head, arrays = read(self._file(self.folder))
        # A damaged state costs time, not the result: the training starts over.
        except ValueError as error:
            trace.swallowed(log, error, doing="reading the state of a training")
            return None
        return (int(head["step"]), arrays) if head.get("purpose") == self.purpose else None

    def clear(self) -> None:
        """Remove the state: the training is finished."""
        if self.folder is not None:
            self._file(self.folder).unlink(missing_ok=True)

    @staticmethod
    def _file(folder: Path) -> Path:
        return folder / "training.npz"

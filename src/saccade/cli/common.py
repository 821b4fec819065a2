"""What several verbs share: where the store is, progress, JSON, names that can be printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from saccade.engine import Engine, Progress

DEFAULT_STORE = Path("photos.saccade")

Store = typer.Option(DEFAULT_STORE, "--store", envvar="SACCADE_STORE", help="The store to use.")
Json = typer.Option(False, "--json", help="Print JSON for programs.")
User = typer.Option("guest", "--user", help="Whose profile to use.")

SECONDS_A_LINE = 5.0
# Control characters, and those that turn the direction of writing.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

STAGES = {
    "scan": "looking through the folder",
    "describe": "describing pictures",
    "backfill": "computing new descriptors",
    "vocabulary": "training visual words",
    "words": "assigning visual words",
    "graph": "linking look-alikes",
    "regions": "cutting pictures into regions",
    "saliency": "finding what stands out",
    "checking": "checking the store",
    "reading": "reading pictures",
}


def opened(store: Path, *, create: bool = False, warm: bool = True) -> Engine:
    """Open a store that must exist, unless told otherwise."""
    from saccade.engine import open

    engine = open(store, create=create, warm=warm)
    lost = engine.lost()
    if lost:
        told = f"the last {lost} events of {printable(store)} were acknowledged and are gone"
        print(f"saccade: {told}; `saccade doctor` says what to do", file=sys.stderr)
    return engine


@contextmanager
def filling(store: Path) -> Iterator[Engine]:
    """Open a store to fill it; one that is new and still empty after a failure is taken away."""
    place = store.expanduser().absolute()
    missing = [folder for folder in (place, *place.parents) if not os.path.exists(folder)]
    empty = True
    try:
        with opened(store, create=True, warm=False) as engine:
            try:
                yield engine
            except BaseException:
                empty = False  # should even this question fail
                empty = len(engine) == 0
                raise
    except BaseException:
        # Only what was not there before, and only while nothing is in it.
        if place in missing and empty:
            shutil.rmtree(place, ignore_errors=True)
            for folder in missing[1:]:
                with suppress(OSError):
                    folder.rmdir()
        raise


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: Any) -> Any:
    from dataclasses import asdict, is_dataclass

    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)


@contextmanager
def progress(clock: Callable[[], float] = monotonic) -> Iterator[Callable[[Progress], None]]:
    """Bars on a terminal, with the time left; a line now and then where there is none."""
    if not sys.stderr.isatty():
        yield _Lines(clock)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}

        def watch(step: Progress) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bars.add_task(STAGES.get(step.stage, step.stage), total=None)
            bars.update(tasks[step.stage], completed=step.done, total=step.total or None)

        yield watch


class _Lines:
    """Plain lines for logs and pipes: a stage's first step, its last, and one every few seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._stage, self._at, self._last = "", 0.0, (-1, -1)

    def __call__(self, step: Progress) -> None:
        now, here = self._clock(), (step.done, step.total)
        begun, ended = step.stage != self._stage, 0 < step.total <= step.done
        waited = now - self._at >= SECONDS_A_LINE
        if not begun and (here == self._last or not (ended or waited)):
            return
        self._stage, self._at, self._last = step.stage, now, here
        counted = f"{step.done} of {step.total}" if step.total else str(step.done)
        print(f"{STAGES.get(step.stage, step.stage)}: {counted}", file=sys.stderr, flush=True)


def printable(text: object) -> str:
    r"""A name as a terminal may show it: what would move its cursor or turn text is written out.

    >>> printable("caf\x1b[2Jé")
    'caf\\x1b[2Jé'
    """
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", str(text))

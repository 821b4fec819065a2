"""What several verbs share: where the store is, progress, JSON, names that can be printed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from saccade.engine import Engine, Progress

DEFAULT_STORE = Path("photos.saccade")

Store = typer.Option(DEFAULT_STORE, "--store", envvar="SACCADE_STORE", help="The store to use.")
Database = typer.Option(
    None,
    "--database",
    help="Where catalog and log are: postgresql://ana@db/photos. A store remembers it.",
)
Shards = typer.Option(None, "--shards", min=1, help="Cut the collection into so many pieces.")
On = typer.Option(
    "processes",
    "--on",
    help="Who describes pictures and searches shards: serial, processes, ray, ray://head:10001.",
)
Json = typer.Option(False, "--json", help="Print JSON for programs.")
User = typer.Option("guest", "--user", help="Whose profile to use.")

SECONDS_A_LINE = 5.0
# Control characters, and those that turn the direction of writing.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

STAGES = {
    "scan": "looking through the folder",
    "describe": "describing pictures",
    "origins": "reading when pictures were taken",
    "backfill": "computing further descriptors",
    "local-features": "finding local features",
    "vocabulary": "training visual words",
    "words": "assigning visual words",
    "graph": "linking look-alikes",
    "saliency": "finding what stands out",
    "checking": "checking the store",
    "reading": "reading pictures",
    "events": "taking in events",
    "moving": "moving catalog and log",
    "study": "performing a study",
}


def opened(
    store: Path,
    *,
    create: bool = False,
    warm: bool = True,
    database: str | None = None,
    shards: int | None = None,
    on: str = "processes",
) -> Engine:
    """Open a store that must exist, unless told otherwise."""
    from saccade.engine import open, operations

    engine = open(store, create=create, warm=warm, database=database, shards=shards, on=on)
    if engine.read_only:
        warning = f"{engine.read_only}: it can be searched, and teaches nothing"
        print(f"saccade: {printable(store)}: {warning}", file=sys.stderr)
    lost = operations(engine).lost()
    if lost:
        warning = f"the last {lost} events of {printable(store)} were acknowledged and are gone"
        print(f"saccade: {warning}; `saccade doctor` says what to do", file=sys.stderr)
    return engine


@contextmanager
def filling(store: Path, database: str | None = None, on: str = "processes") -> Iterator[Engine]:
    """Open a store to fill it; one that is new and still empty after a failure is taken away."""
    from saccade.store.making import new_store

    with (
        new_store(store, database),
        opened(store, warm=False, database=database, on=on) as engine,
    ):
        yield engine


def print_json(value: object) -> None:
    """One JSON document on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: object) -> object:
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
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, TaskID] = {}

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
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", str(text))

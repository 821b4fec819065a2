"""What several verbs share: where the store is, progress bars, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from saccade.engine import Engine, Progress

DEFAULT_STORE = Path("photos.saccade")

Store = typer.Option(DEFAULT_STORE, "--store", envvar="SACCADE_STORE", help="The store to use.")
Json = typer.Option(False, "--json", help="Print JSON for programs.")
User = typer.Option("guest", "--user", help="Whose profile to use.")

STAGES = {
    "scan": "looking through the folder",
    "describe": "describing pictures",
    "backfill": "computing new descriptors",
    "vocabulary": "training visual words",
    "words": "assigning visual words",
    "saliency": "finding what stands out",
    "checking": "checking the store",
    "reading": "reading pictures",
}


def opened(store: Path, *, create: bool = False, warm: bool = True) -> Engine:
    """Open a store that must exist, unless told otherwise."""
    from saccade.engine import open

    return open(store, create=create, warm=warm)


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
def progress() -> Iterator[Callable[[Progress], None]]:
    """Bars on a terminal, with the time left; nothing when nobody watches."""
    if not sys.stderr.isatty():
        yield lambda step: None
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

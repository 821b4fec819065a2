"""`saccade study`: a paper's experiments on your own folders, or on drawn pictures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, print_json
from saccade.errors import InvalidInput

if TYPE_CHECKING:
    from saccade.studies.running import Step


def study(
    name: str = typer.Argument(..., help="A study, `all` of them, or `list`."),
    data: list[str] = typer.Option(
        [], "--data", help="NAME=FOLDER, a labelled set; repeat for more. Without: drawn pictures."
    ),
    distractors: list[str] = typer.Option(
        [],
        "--distractors",
        help="A folder of pictures relevant to nothing, drawn:N or perturbed:N; repeatable.",
    ),
    out: Path = typer.Option(None, "--out", help="Folder for tables, plots and the page."),
    stores: Path = typer.Option(None, "--stores", help="Where sets are indexed [OUT/stores]."),
    descriptors: str = typer.Option("classical", "--descriptors", help="classical, gist or all."),
    phi: str = typer.Option("raw", "--phi", help="raw as the papers, or anchored as the product."),
    only: list[str] = typer.Option([], "--only", help="An experiment by name; repeatable."),
    system: list[str] = typer.Option([], "--system", help="A system by name; repeatable."),
    quick: bool = typer.Option(False, "--quick", help="Less of everything: two minutes a study."),
    seed: int = typer.Option(0, "--seed", min=0, help="Of folds, queries and learners."),
    workers: int = typer.Option(None, "--workers", min=1, help="Processes [one a core]."),
    on: str = typer.Option(
        "processes", "--on", help="Who measures: serial, processes, ray, ray://head:10001."
    ),
    trust: bool = typer.Option(
        False, "--trust", help="Take over parts measured by other code; the page names its commits."
    ),
    cache: Path = typer.Option(
        None,
        "--cache",
        help="Keep vocabularies here, as large as the paper's, and take them up again.",
    ),
    json: bool = Json,
) -> None:
    """Reproduce a paper's experiments. Interrupted, the same command goes on."""
    from saccade.studies import STUDIES
    from saccade.studies.declaration import Options
    from saccade.studies.session import named_folders, perform

    if name == "list":
        _list(json)
        return
    if out is None:
        raise InvalidInput("no folder for the results: give --out FOLDER")
    options = Options(quick=quick, descriptors=descriptors, phi=phi, seed=seed)
    names = list(STUDIES) if name == "all" else [name]
    with _progress() as step:
        written = perform(
            names, named_folders(data), options, out=out, stores=stores or out / "stores",
            distractors=tuple(distractors), only=tuple(only), systems=tuple(system),
            workers=workers, on=on, trust=trust, cache=cache, say=_say, step=step,
        )  # fmt: skip
    if json:
        print_json({"studies": {n: [str(path) for path in paths] for n, paths in written.items()}})
    else:
        for paths in written.values():
            print(paths[0])


def _list(json: bool) -> None:
    from saccade.studies import STUDIES

    if json:
        print_json([{"name": name, "about": about} for name, about in STUDIES.items()])
        return
    for name, about in STUDIES.items():
        print(f"{name:<10} {about}")


@contextmanager
def _progress() -> Iterator[Step]:
    """A bar with the time left on a terminal, a line a part elsewhere; on standard error."""
    if not sys.stderr.isatty():
        yield lambda done, total, last: _say(f"[{done}/{total}] {last}")
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description:<60.60}"), BarColumn(), MofNCompleteColumn(),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True)) as bars:
        bar = bars.add_task("", total=None)

        def step(done: int, total: int, last: str) -> None:
            bars.update(bar, completed=done, total=total, description=last)

        yield step


def _say(text: str) -> None:
    """Progress goes to standard error: standard output is for results."""
    print(text, file=sys.stderr, flush=True)

"""`saccade data`: labelled sets for studies."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import Json, print_json, progress

data = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@data.callback()
def group() -> None:
    """Labelled sets: what a folder holds, and what is wrong with it."""


@data.command()
def check(
    folder: Path = typer.Argument(..., help="A labelled set."),
    label: str = typer.Option(None, "--label", help="The column of labels, where it is not plain."),
    read: bool = typer.Option(True, "--read/--no-read", help="Decode every picture."),
    json: bool = Json,
) -> None:
    """Say what a folder is recognised as, what it holds, and what is wrong; exit 1 if anything."""
    from saccade.engine import Progress
    from saccade.testbed.datasets import check as look
    from saccade.testbed.datasets import load
    from saccade.testbed.datasets.check import lines

    with progress() as watch:
        dataset = load(folder, label=label)
        report = look(
            dataset, read=read, watch=lambda done, total: watch(Progress("reading", done, total))
        )
    if json:
        print_json(report)
    else:
        print("\n".join(lines(report)))
    if report.problems:
        raise typer.Exit(1)

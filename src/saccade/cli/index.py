"""`saccade index`: a folder becomes a collection."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import (
    DEFAULT_STORE,
    Database,
    Json,
    On,
    filling,
    print_json,
    printable,
    progress,
)

if TYPE_CHECKING:
    from saccade.types import AddReport

SHOWN = 20


def index(
    folder: Path = typer.Argument(..., help="A folder of pictures; sub-folders are included."),
    into: Path = typer.Option(
        DEFAULT_STORE, "--into", "--store", envvar="SACCADE_STORE", help="The store to fill."
    ),
    prune: bool = typer.Option(False, "--prune", help="Drop images whose files are gone."),
    recipe: str = typer.Option(
        None, "--recipe", help="Change what is computed: +NAME adds, -NAME drops, or a whole list."
    ),
    workers: int = typer.Option(
        None, "--workers", min=1, help="At most so many at once; all cores by default."
    ),
    fields: Path = typer.Option(
        None, "--fields", help="CSV or JSON lines with ids and fields of pictures, by path."
    ),
    database: str = Database,
    on: str = On,
    json: bool = Json,
) -> None:
    """Index a folder of pictures, or bring it up to date.

    Only new and changed files are read. Interrupted at any moment, the same command goes on where
    it stopped.
    """
    from saccade.images.scan import scan

    scan(folder.expanduser())  # a mistyped folder must not leave an empty store behind
    with filling(into, database, on) as engine, progress() as watch:
        report = engine.add(folder, prune=prune, recipe=recipe, workers=workers, watch=watch)
        fields_report = None if fields is None else engine.fields.read(fields)
        total = len(engine)
    if json:
        print_json({"store": str(into), "images": total, "report": report, "fields": fields_report})
        return
    print_report(report, total, into)
    if fields_report is not None:
        print(f"{fields_report.images} pictures have fields: {', '.join(fields_report.fields)}")
        for item in fields_report.missed[:SHOWN]:
            print(f"  {printable(item.path)}: {printable(item.reason)}", file=sys.stderr)


def print_report(report: AddReport, total: int, store: Path) -> None:
    """What happened, in words; files left out with their reasons."""
    counts = [f"{report.added} added", f"{report.known} known"]
    also = {"duplicates": report.duplicates, "moved": report.moved, "pruned": report.pruned}
    counts += [f"{number} {name}" for name, number in also.items() if number]
    print(f"{printable(store)}: {total} images ({', '.join(counts)}) in {report.seconds:.1f} s")
    for title, items in (("skipped", report.skipped), ("added with a problem", report.problems)):
        if items:
            print(f"{len(items)} {title}:", file=sys.stderr)
            for item in items[:SHOWN]:
                print(f"  {printable(item.path)}: {printable(item.reason)}", file=sys.stderr)
            if len(items) > SHOWN:
                print(f"  … and {len(items) - SHOWN} more (--json lists all)", file=sys.stderr)
    if report.vanished and not report.pruned:
        print(f"{len(report.vanished)} files are gone; --prune drops them", file=sys.stderr)

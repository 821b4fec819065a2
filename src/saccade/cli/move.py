"""`saccade move`: catalog and log into another database, and back."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import printable, progress


def move(
    store: Path = typer.Argument(help="The store."),
    to: str = typer.Option(
        ..., "--to", help="postgresql://ana@db/photos, or sqlite for a file in the store again."
    ),
) -> None:
    """Move a store's catalog and log into PostgreSQL, or back; every row is read back.

    Pictures, columns and thumbnails stay where they are. Interrupted at any moment, the store is
    where it was, and the same command goes on. Servers that have it open find that it has moved.
    """
    from saccade.engine import Progress
    from saccade.store.moving import move as moved_to

    with progress() as watch:
        report = moved_to(store, to, lambda done, total: watch(Progress("moving", done, total)))
    contents = f"{report.images} images and {report.events} events"
    if not report.rows:
        print(f"{printable(store)}: {contents} are in {report.place} already")
        return
    rows = f"{report.rows} rows, {report.written} of them written now, each read back"
    print(f"{printable(store)}: {contents} are in {report.place} ({rows})")

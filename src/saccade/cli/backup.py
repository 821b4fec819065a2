"""`saccade backup`: a copy that can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Store, printable

if TYPE_CHECKING:
    from saccade.store.store import Store as Opened

Damaged = typer.Option(
    False, "--damaged", help="Copy what is damaged as it is, and say so: exit code 1."
)


def backup(
    place: Path = typer.Argument(help="A folder that does not exist yet."),
    store: Path = Store,
    damaged: bool = Damaged,
) -> None:
    """Copy a store while it is used; every file of the copy is read back and verified.

    The copy is a store: search it, or bring it back with `saccade restore`.
    """
    from saccade.store.store import Store

    copy(Store(store, create=False), place, damaged)


def copy(opened: Opened, place: Path, damaged: bool) -> None:
    """Copy a store and say what was verified; exit code 1 where something was not."""
    from saccade.store.backup import back_up

    try:
        report = back_up(opened, place, damaged=damaged)
    finally:
        opened.close()
    contents = f"{report.images} images and {report.events} events in {report.files} files"
    print(f"{printable(report.place)}: {contents}, {report.size / 2**20:.1f} MiB", end="")
    if not report.damaged:
        print(", read back and verified")
        return
    print(f"; {len(report.damaged)} things are damaged:")
    for what in report.damaged:
        print(f"  {printable(what)}")
    raise typer.Exit(1)

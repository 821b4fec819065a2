"""`saccade restore`: a backup becomes a store again."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.backup import Damaged, copy
from saccade.cli.common import DEFAULT_STORE


def restore(
    backup: Path = typer.Argument(help="A copy that `saccade backup` made."),
    into: Path = typer.Option(DEFAULT_STORE, "--into", help="Where; it must not exist yet."),
    damaged: bool = Damaged,
) -> None:
    """Copy a backup to where a store should be, and verify it there; the backup stays."""
    from saccade.store.store import Store

    copy(Store(backup, create=False, to_read=True), into, damaged)

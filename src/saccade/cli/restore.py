"""`saccade restore`: a backup becomes a store again."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import DEFAULT_STORE, opened


def restore(
    backup: Path = typer.Argument(help="A copy that `saccade backup` made."),
    into: Path = typer.Option(DEFAULT_STORE, "--into", help="Where; it must not exist yet."),
) -> None:
    """Copy a backup to where a store should be, and verify it there; the backup stays."""
    with opened(backup, warm=False) as engine:
        print(f"{engine.backup(into)}: {len(engine)} images, verified")

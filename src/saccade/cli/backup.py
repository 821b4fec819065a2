"""`saccade backup`: a copy that can be trusted."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import Store, opened


def backup(
    place: Path = typer.Argument(help="A folder that does not exist yet."), store: Path = Store
) -> None:
    """Copy a store while it is used; every file of the copy is read back and verified.

    The copy is a store: search it, or bring it back with `saccade restore`.
    """
    with opened(store, warm=False) as engine:
        print(f"{engine.backup(place)}: {len(engine)} images, verified")

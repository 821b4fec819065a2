"""`saccade replay`: the log is the truth."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import Json, Store, opened, print_json


def replay(store: Path = Store, json: bool = Json) -> None:
    """Rebuild every model from the log and say whether it equals the live one."""
    with opened(store, warm=False) as engine:
        live, rebuilt = engine.digest, engine.replay()
    if json:
        print_json({"digest": rebuilt, "live": live, "equal": live == rebuilt})
    else:
        print(f"{rebuilt}  {'equal to the live models' if live == rebuilt else f'live: {live}'}")
    if live != rebuilt:
        raise typer.Exit(1)

"""`saccade neighbours`: the look-alikes of a picture."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import Json, Store, opened, print_json


def neighbours(
    picture: str = typer.Argument(..., help="A picture of the collection: its path or image id."),
    store: Path = Store,
    k: int = typer.Option(10, "-k", min=1, max=1000, help="How many at most."),
    json: bool = Json,
) -> None:
    """List the pictures most like one of the collection, by the neighbour graph.

    The number before each is how like they are, up to 1. A blank picture has no look-alikes.
    """
    with opened(store, warm=False) as engine:
        found = engine.graph.look_alikes(engine.find(picture).image_id, k)
    if json:
        print_json(list(found))
        return
    for one in found:
        print(f"{one.similarity:6.3f}  {one.image_id[:8]}  {one.path}")
    if not found:
        print("no look-alikes: nothing sets this picture apart, or it is alone")

"""`saccade neighbours`: the look-alikes of a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, User, opened, print_json

if TYPE_CHECKING:
    from saccade.types import LookAlike


def neighbours(
    picture: str = typer.Argument(..., help="A picture of the collection: its path or image id."),
    store: Path = Store,
    k: int = typer.Option(10, "-k", min=1, max=1000, help="How many at most."),
    taught: bool = typer.Option(
        False, "--taught", help="By the links as marks have bent them, and what was said of them."
    ),
    user: str = User,
    json: bool = Json,
) -> None:
    """List the pictures most like one of the collection, by the neighbour graph.

    The number before each is how like they are, up to 1. A blank picture has no look-alikes. With
    --taught it is how like they would have to be for the link they have now; then it says what a
    person marked of the two.
    """
    with opened(store, warm=False) as engine:
        image_id = engine.library.find(picture).image_id
        look_alikes = engine.graph.look_alikes(image_id, k, taught=taught, user=user)
    if json:
        print_json(list(look_alikes))
        return
    for one in look_alikes:
        print(f"{one.linked:6.3f}  {one.image_id[:8]}  {one.path}{_remark(one)}")
    if not look_alikes:
        print("no look-alikes: nothing sets this picture apart, or it is alone")


def _remark(one: LookAlike) -> str:
    """What marks say of it and the picture asked about, in words; nothing where that is nothing."""
    if not one.sessions and not one.people:
        return ""
    way = "together" if one.evidence > 0 else "apart" if one.evidence < 0 else "both ways"
    searches = "1 search" if one.sessions == 1 else f"{one.sessions} searches"
    days = "1 day" if one.days == 1 else f"{one.days} days"
    own = f"in {searches} on {days}" if one.sessions else ""
    others = f"by {one.people} others" if one.people else ""
    was = f"{one.similarity:.3f} without" if one.similarity else "not linked without"
    return f"  ({way} {', '.join(filter(None, (own, others)))}; {was})"

"""`saccade tag`: names that people give to pictures."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import Json, Store, User, opened, print_json, printable

tag = typer.Typer(no_args_is_help=True)

_Name = typer.Argument(..., help="The tag: no slash, no colon.")


@tag.command("list")
def list_(user: str = User, store: Path = Store, json: bool = Json) -> None:
    """Every tag that a user sees: their own, and those that several others agree on."""
    with opened(store, warm=False) as engine:
        tags = engine.tags.list(user=user)
    if json:
        print_json(tags)
        return
    for one in tags:
        print(f"{one.images:6d} pictures  {one.own:6d} own  {printable(one.tag)}")


@tag.command()
def add(
    name: str = _Name,
    images: list[str] = typer.Argument(..., help="Pictures: paths or image ids."),
    user: str = User,
    store: Path = Store,
) -> None:
    """Give pictures a tag."""
    with opened(store, warm=False) as engine:
        image_ids = [engine.library.find(image).image_id for image in images]
        info = engine.tags.add(name, image_ids, user=user)
    print(f"{len(image_ids)} tagged {printable(info.tag)}, which {info.images} pictures have now")


@tag.command()
def remove(
    name: str = _Name,
    images: list[str] = typer.Argument(
        None, help="Pictures: paths or image ids; all unless given."
    ),
    user: str = User,
    store: Path = Store,
) -> None:
    """Take a tag off pictures, or off all, for the user alone."""
    with opened(store, warm=False) as engine:
        image_ids = [engine.library.find(image).image_id for image in images or ()]
        info = engine.tags.remove(name, image_ids or None, user=user)
    print(f"{printable(info.tag)} is taken off; {info.images} pictures have it still")

"""`saccade concept`: pictures of a keyword in a taught order, and the regions that count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, User, opened, print_json, printable, progress

if TYPE_CHECKING:
    from saccade.engine import Engine
    from saccade.types import Concept

concept = typer.Typer(no_args_is_help=True)

_Name = typer.Argument(..., help="The concept: a folder's name, a tag, or a saved search.")
_Image = typer.Argument(..., help="A picture of the concept: its path or image id.")


@concept.command("list")
def list_(user: str = User, store: Path = Store, json: bool = Json) -> None:
    """Every concept: folders, the user's tags and saved searches."""
    with opened(store, warm=False) as engine:
        found = engine.concepts.list(user)
    if json:
        print_json(found)
        return
    for one in found:
        print(f"{one.images:6d} pictures  {one.preferences:4d} preferences  {one.graded:4d} graded"
              f"  {printable(one.name)}")  # fmt: skip


@concept.command()
def prefer(
    name: str = _Name,
    better: str = _Image,
    worse: str = typer.Argument(..., help="A picture of the concept that is not as good."),
    user: str = User,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Say that one picture of a concept is better than another."""
    with opened(store, warm=False) as engine:
        first, second = _id(engine, better), _id(engine, worse)
        told = engine.concepts.prefer(name, first, second, user=user)
    _print_told(told, json)


@concept.command()
def grade(
    name: str = _Name,
    image: str = _Image,
    grade: str = typer.Argument(..., help="good, ok or junk."),
    user: str = User,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Call a picture of a concept good, ok or junk."""
    with opened(store, warm=False) as engine:
        told = engine.concepts.grade(name, _id(engine, image), grade, user=user)
    _print_told(told, json)


@concept.command()
def tag(
    name: str = typer.Argument(..., help="The tag: no slash, no colon."),
    images: list[str] = typer.Argument(..., help="Pictures: paths or image ids."),
    off: bool = typer.Option(False, "--off", help="Take the tag off instead."),
    user: str = User,
    store: Path = Store,
) -> None:
    """Give pictures a tag, or take it off."""
    with opened(store, warm=False) as engine:
        found = [_id(engine, image) for image in images]
        engine.concepts.tag(name, () if off else found, without=found if off else (), user=user)
    print(f"{len(found)} {'freed of' if off else 'tagged'} {printable(name)}")


@concept.command()
def rank(
    name: str = _Name,
    user: str = User,
    k: int = typer.Option(20, "-k", min=1, help="How many pictures."),
    batch: bool = typer.Option(
        False, "--batch", help="Fit anew, with settings chosen by cross-validation."
    ),
    store: Path = Store,
    json: bool = Json,
) -> None:
    """The pictures of a concept, the best first, as the user taught it."""
    with opened(store, warm=False) as engine, progress() as watch:
        found = engine.concepts.rank(name, user=user, k=k, batch=batch, watch=watch)
    if json:
        print_json(found)
        return
    for place, one in enumerate(found.images, 1):
        print(f"{place:4d}  {one.score:+.4f}  {one.grade:<4}  {printable(one.path)}")
    if not found.learned:
        print("nothing is said to be better than anything yet: the collection's own order")


@concept.command()
def show(
    name: str = _Name,
    image: str = _Image,
    out: Path = typer.Option(
        None, "--out", help="Write the picture, its regions and what counts side by side (PNG)."
    ),
    user: str = User,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Which regions of a picture count for a concept."""
    with opened(store, warm=False) as engine:
        found = engine.concepts.regions(_id(engine, image), name, user=user)
        if out is not None:
            from saccade.cli.describe import write_png
            from saccade.images.relevance import triptych
            from saccade.scale.decoding import decode

            picture = decode(engine.original(found.image_id)).picture
            write_png(triptych(picture, found.masks(), found.each()), out)
    if json:
        print_json({**_plain(found), "out": None if out is None else str(out)})
        return
    for region in sorted(found.regions, key=lambda one: -one.relevance):
        top, left, bottom, right = region.box
        bar = "█" * round(24 * region.relevance)
        place = f"rows {top:4.0%}–{bottom:4.0%}, columns {left:4.0%}–{right:4.0%}"
        print(f"{region.number:3d}  {region.relevance:.2f}  {region.area:5.1%}  {place}  {bar}")


def _plain(found: object) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(found)  # type: ignore[call-overload,no-any-return]


def _id(engine: Engine, thing: str) -> str:
    return engine.find(thing).image_id


def _print_told(told: Concept, json: bool) -> None:
    if json:
        print_json(told)
    else:
        said = f"{told.preferences} preferences, {told.graded} graded"
        print(f"{printable(told.name)}: {said}, of {told.images} pictures")

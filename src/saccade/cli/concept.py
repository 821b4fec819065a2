"""`saccade concept`: pictures of a keyword in a taught order, and the parts that count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, User, opened, print_json, printable

if TYPE_CHECKING:
    from saccade.engine import Engine
    from saccade.types import Concept, Glow, Pixels

concept = typer.Typer(no_args_is_help=True)

_Name = typer.Argument(..., help="The concept: a folder's name, a tag, or a saved search.")
_Image = typer.Argument(..., help="A picture of the concept: its path or image id.")


@concept.command("list")
def list_(user: str = User, store: Path = Store, json: bool = Json) -> None:
    """Every concept: folders, the user's tags and saved searches."""
    with opened(store, warm=False) as engine:
        concepts = engine.concepts.list(user=user)
    if json:
        print_json(concepts)
        return
    for one in concepts:
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
        summary = engine.concepts.answer(name, first, second, user=user)
    _print_summary(summary, json)


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
        summary = engine.concepts.grade(name, _id(engine, image), grade, user=user)
    _print_summary(summary, json)


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
    with opened(store, warm=False) as engine:
        ranking = engine.concepts.order(name, user=user, k=k, batch=batch)
    if json:
        print_json(ranking)
        return
    for place, one in enumerate(ranking.images, 1):
        print(f"{place:4d}  {one.score:+.4f}  {one.grade:<4}  {printable(one.path)}")
    if not ranking.learned:
        print("nothing is said to be better than anything yet: the collection's own order")


@concept.command()
def show(
    name: str = _Name,
    image: str = _Image,
    out: Path = typer.Option(
        None, "--out", help="Write the picture and what counts in it side by side (PNG)."
    ),
    user: str = User,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """What of a picture counts for a concept."""
    with opened(store, warm=False) as engine:
        glow = engine.concepts.glow(_id(engine, image), name, user=user)
        if out is not None:
            from saccade.cli.describe import write_png

            write_png(_side_by_side(engine, glow), out)
    if json:
        plain = {"image_id": glow.image_id, "about": glow.about, "trusted": glow.trusted}
        place = {"brightest": list(glow.brightest), "out": None if out is None else str(out)}
        print_json({**plain, **place})
        return
    top, left, bottom, right = glow.brightest
    print(f"brightest  rows {top:4.0%}–{bottom:4.0%}, columns {left:4.0%}–{right:4.0%}")
    if not glow.trusted:
        print("what glows scores no higher by itself than the rest: no better than chance")


def _side_by_side(engine: Engine, glow: Glow) -> Pixels:
    import numpy as np
    from PIL import Image

    from saccade.images.glow import lit
    from saccade.scale.decoding import decode

    pixels = decode(engine.library.original(glow.image_id)).picture.rgb
    size = pixels.shape[1], pixels.shape[0]
    values = Image.fromarray(glow.values).resize(size, Image.Resampling.BILINEAR)
    gap = np.full((len(pixels), 12, 3), 255, np.uint8)
    return np.concatenate([pixels, gap, lit(pixels, np.asarray(values, np.float32))], axis=1)


def _id(engine: Engine, thing: str) -> str:
    return engine.library.find(thing).image_id


def _print_summary(summary: Concept, json: bool) -> None:
    if json:
        print_json(summary)
    else:
        counts = f"{summary.preferences} preferences, {summary.graded} graded"
        print(f"{printable(summary.name)}: {counts}, of {summary.images} pictures")

"""`saccade attribute`: teach what *natural* means, and order the collection by it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, User, opened, print_json, printable

if TYPE_CHECKING:
    from saccade.types import AttributeInfo

attribute = typer.Typer(no_args_is_help=True)

_Name = typer.Argument(..., help="What the attribute is called, such as natural.")


@attribute.command()
def create(
    name: str = _Name,
    descriptor: list[str] = typer.Option(
        [],
        "--descriptor",
        help="Go by this one; repeat for more. A good choice unless given.",
    ),
    store: Path = Store,
    json: bool = Json,
) -> None:
    """A new attribute to teach."""
    with opened(store, warm=False) as engine:
        _tell(engine.attributes.create(name, descriptor or None), json)


@attribute.command()
def label(
    name: str = _Name,
    image: str = typer.Argument(..., help="A picture of the collection: its path or id."),
    has: bool = typer.Option(None, "--has/--has-not", help="It has it, or has it not."),
    grade: int = typer.Option(None, "--grade", help="Or how much of it, as a whole number."),
    user: str = User,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Say that a picture has it, or has it not."""
    if (has is None) == (grade is None):
        raise typer.BadParameter("say --has, --has-not or --grade N")
    with opened(store, warm=False) as engine:
        image_id = engine.library.find(image).image_id
        value = grade if has is None else 1 if has else -1
        _tell(engine.attributes.label(name, image_id, value, user=user), json)


@attribute.command()
def compare(
    name: str = _Name,
    more: str = typer.Argument(..., help="The picture with more of it: its path or id."),
    less: str = typer.Argument(..., help="The picture with less of it."),
    alike: bool = typer.Option(False, "--alike", help="Both have about as much."),
    user: str = User,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Say which of two pictures has more of it, or that they are alike."""
    with opened(store, warm=False) as engine:
        first, second = (engine.library.find(one).image_id for one in (more, less))
        _tell(engine.attributes.answer(name, first, second, alike=alike, user=user), json)


@attribute.command()
def undo(name: str = _Name, user: str = User, store: Path = Store, json: bool = Json) -> None:
    """Take back what a user said last about it."""
    with opened(store, warm=False) as engine:
        _tell(engine.attributes.undo(name, user=user), json)


@attribute.command()
def order(
    name: str = _Name,
    k: int = typer.Option(10, "-k", help="How many pictures."),
    end: str = typer.Option("most", "--end", help="most, least, or both: evenly from least on."),
    user: str = User,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """The pictures with most of it, or least."""
    with opened(store, warm=False) as engine:
        hits = engine.attributes.order(name, user=user, k=k, end=end)
    if json:
        print_json(hits)
        return
    for hit in hits:
        sign = {1: "✓", -1: "✗", None: "≶" if hit.compared else " "}.get(hit.said, str(hit.said))
        print(f"{hit.place:6.1%}  {hit.score:+.3f} {sign} {printable(hit.path)}")


@attribute.command()
def suggest(
    name: str = _Name,
    seed: int = typer.Option(0, "--seed", help="Another number asks something else."),
    user: str = User,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """The pair of pictures whose comparison would teach most."""
    with opened(store, warm=False) as engine:
        asked = engine.attributes.ask(name, user=user, seed=seed)
    if json:
        print_json(asked)
        return
    assert asked.second is not None
    print(f"which is more {printable(name)}? The answer tells {asked.bits:.2f} bits.")
    for hit in (asked.first, asked.second):
        print(f"  {hit.image_id}  {printable(hit.path)}")


@attribute.command()
def show(
    name: str = typer.Argument(None, help="One attribute; all of them unless given."),
    user: str = User,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """How far an attribute is taught, and how sure it is."""
    with opened(store, warm=False) as engine:
        if name is not None:
            _tell(engine.attributes.show(name, user=user), json)
            return
        attributes = engine.attributes.list(user=user)
        away = engine.attributes.list(user=user, put_away=True)
    if json:
        print_json(attributes)
        return
    for one in attributes:
        _tell(one, json=False)
    if away:
        print(f"put away: {', '.join(printable(one.name) for one in away)}")


@attribute.command()
def classify(
    described: list[str] = typer.Argument(
        ..., help="What is said, as 'street = open: coast > street > forest'; repeat for more."
    ),
    user: str = User,
    k: int = typer.Option(20, "-k", help="How many pictures to print."),
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Tell described categories without pictures; folders are those they are compared with."""
    by_category: dict[str, list[str]] = {}
    for line in described:
        category, sign, sentence = line.partition("=")
        if not sign or ":" in category:
            raise typer.BadParameter(f"{line!r}: write CATEGORY = ATTRIBUTE: MORE > CATEGORY")
        by_category.setdefault(category.strip(), []).append(sentence.strip())
    with opened(store, warm=False) as engine:
        guesses = engine.attributes.classify(by_category, user=user)
    if json:
        print_json(guesses)
        return
    for one in sorted(guesses, key=lambda one: -one.share)[:k]:
        print(f"{one.category:<20} {one.share:6.1%}  {printable(one.path)}")


@attribute.command()
def delete(name: str = _Name, user: str = User, store: Path = Store) -> None:
    """Put an attribute away for a user; it stays for everybody else, and can be brought back."""
    with opened(store, warm=False) as engine:
        engine.attributes.delete(name, user=user)
    print(f"{printable(name)} is put away; `saccade attribute restore` brings it back")


@attribute.command()
def restore(name: str = _Name, user: str = User, store: Path = Store, json: bool = Json) -> None:
    """Bring an attribute back that a user has put away."""
    with opened(store, warm=False) as engine:
        _tell(engine.attributes.restore(name, user=user), json)


def _tell(info: AttributeInfo, json: bool) -> None:
    if json:
        print_json(info)
        return
    sure = "" if info.sure is None else f", about {info.sure:.0%} of pairs in the right order"
    needs = f"; {info.needs} more answers would help" if info.needs else ""
    others = f" ({info.others} of others)" if info.others else ""
    noun = "answer" if info.answers == 1 else "answers"
    print(f"{printable(info.name)}: {info.answers} {noun}{others}{sure}{needs}")

"""`saccade saved`: searches kept under a name, with all that was marked in them."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import Json, Store, User, opened, print_json

saved = typer.Typer(no_args_is_help=True)

_Name = typer.Argument(..., help="What the search is called.")


@saved.command("list")
def list_(user: str = User, store: Path = Store, json: bool = Json) -> None:
    """A user's saved searches."""
    with opened(store, warm=False) as engine:
        searches = engine.sessions.list(user=user)
    if json:
        print_json(searches)
        return
    for one in searches:
        print(f"{one.name}: {len(one.liked)} marked right, {len(one.disliked)} wrong")


@saved.command()
def save(
    page: str = typer.Argument(..., help="The page's id, as `saccade search --json` prints it."),
    name: str = _Name,
    store: Path = Store,
) -> None:
    """Keep the search of a page under a name."""
    with opened(store, warm=False) as engine:
        search = engine.sessions.save(page, name)
    print(f"{search.name} is saved for {search.user}")


@saved.command("open")
def open_(
    name: str = _Name,
    user: str = User,
    k: int = typer.Option(10, "-k", help="How many results."),
    store: Path = Store,
    json: bool = Json,
) -> None:
    """The results of a saved search as they rank now."""
    with opened(store, warm=False) as engine:
        page = engine.sessions.open(name, user=user, k=k)
    if json:
        hits = [{"image_id": h.image_id, "path": h.path, "score": h.score} for h in page.hits]
        marks = {"liked": sorted(page.liked), "disliked": sorted(page.disliked)}
        print_json({"page_id": page.page_id, "session": page.session, **marks, "hits": hits})
        return
    for hit in page.hits:
        sign = {True: "✓"}.get(hit.image_id in page.liked, " ")
        print(f"{hit.score:8.3f} {sign} {hit.path}")


@saved.command()
def delete(name: str = _Name, user: str = User, store: Path = Store) -> None:
    """Give a name up; what was learned stays."""
    with opened(store, warm=False) as engine:
        engine.sessions.delete(name, user=user)
    print(f"{name} is no longer saved")

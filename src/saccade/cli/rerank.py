"""`saccade rerank`: candidates that another engine found, in the order that people teach."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, User, opened, print_json, printable
from saccade.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from saccade.types import CandidatePage

_MOST_LINES = 10_000
"""More than any list may have: who sends more is told so by the engine, and not by memory."""


def rerank(
    file: Path | None = typer.Argument(
        None, help="JSON lines, a candidate each, the best first; - reads standard input."
    ),
    text: str | None = typer.Option(None, "--text", help="What was asked for in words."),
    picture: str | None = typer.Option(
        None, "--picture", help="What was asked for: a path or an image id."
    ),
    page: str | None = typer.Option(None, "--page", help="Teach: the page that is spoken of."),
    like: list[str] = typer.Option([], "--like", help="An id that is right; repeat for more."),
    dislike: list[str] = typer.Option([], "--dislike", help="An id that is wrong."),
    clear: list[str] = typer.Option([], "--clear", help="An id whose mark is taken off."),
    k: int | None = typer.Option(None, "-k", min=1, help="How many to print; all unless given."),
    explain: bool = typer.Option(False, "--explain", help="Show what each score is made of."),
    store: Path = Store,
    user: str = User,
    json: bool = Json,
) -> None:
    """Rank candidates by what people taught; in the order given until somebody did.

    A line is {"id": "sku-1", "features": {"bm25": 7.1}}; it may have vectors, and an image_id of a
    picture of the store. The answer names its page: rerank --page PAGE --like ID teaches on it,
    and prints the list ranked anew. The store is made where it is missing.
    """
    if (file is None) == (page is None):
        raise InvalidInput("give a file of candidates, or --page with marks on one")
    if page is None and (like or dislike or clear):
        raise InvalidInput("marks are on a page: name it by --page")
    candidates = [] if file is None else _read(file)
    with opened(store, create=page is None, warm=False) as engine:
        if page is not None:
            ranking = engine.candidates.react(
                page, liked=like, disliked=dislike, cleared=clear, k=k
            )
        else:
            ranking = engine.candidates.rerank(
                candidates, text=text, picture=picture, user=user, k=k, explain=explain
            )
    if ranking.unlogged:
        print(f"saccade: this page was not logged: {ranking.unlogged}", file=sys.stderr)
    if json:
        print_json(_as_json(ranking))
        return
    print(f"page {ranking.page_id}, led by {ranking.leading}")
    for rank, hit in enumerate(ranking, 1):
        print(f"{rank:4d}  {hit.score:+.4f}  {printable(hit.id)}")
        for name, part in sorted(hit.why.items(), key=lambda item: -abs(item[1])):
            print(f"               {part:+.4f}  {printable(name)}")


def _read(file: Path) -> list[Mapping[str, object]]:
    """The candidates of a file, a line each."""
    named = "standard input" if str(file) == "-" else str(file)
    if named == str(file) and not file.is_file():
        raise NotFound(f"there is no file {named}")
    try:
        with nullcontext(sys.stdin) if named != str(file) else file.open(encoding="utf-8") as lines:
            return list(_candidates(islice(lines, _MOST_LINES), named))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{named} is no text in UTF-8", hint="save it as UTF-8") from error


def _candidates(lines: Iterable[str], named: str) -> Iterable[Mapping[str, object]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            one = jsonlib.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{named}:{number}: this is not JSON") from error
        if not isinstance(one, Mapping):
            raise InvalidInput(f"{named}:{number}: this is no candidate, such as {{'id': 'sku-1'}}")
        yield one


def _as_json(page: CandidatePage) -> dict[str, object]:
    """A page for programs."""
    return {
        "page_id": page.page_id,
        "user": page.user,
        "text": page.text,
        "leading": page.leading,
        "model": page.model,
        "unlogged": page.unlogged,
        "hits": [
            {
                "id": hit.id,
                "score": hit.score,
                "given": hit.given,
                **({"why": hit.why} if hit.names else {}),
            }
            for hit in page
        ],
    }

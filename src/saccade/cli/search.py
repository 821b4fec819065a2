"""`saccade search`: pictures of what words say, or like a picture.

Its options are those of `saccade.engine.SearchRequest`, each with the help that stands there.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from saccade.cli.common import Database, Json, Store, User, opened, print_json, printable
from saccade.engine import CLAUSES, Clause, Less, More, SearchRequest, described

if TYPE_CHECKING:
    from saccade.engine import Engine
    from saccade.types import Hit, Page

_FLAGS = {
    "k": ("-k",),
    "schemes": ("--scheme",),
    "expert": ("--expert", "--ranker"),
    "part": ("--part", "--region", "--box"),
}
"""Options that are not called as their field is, or by older words as well."""
_DEFAULTS = {"k": 10}
_SHOWN = {"query", "like", "user", "where"}
"""Fields that are no options of their own: the pictures are arguments, and so on."""


def _options() -> Iterator[tuple[str, type[Any], Any]]:
    """Name, type and declaration of each parameter."""
    pictures = typer.Argument(None, help="Pictures to search with: paths or image ids.")
    yield "query", list[str], pictures
    for name, one in described(SearchRequest).items():
        if name in _SHOWN:
            continue
        flags = _FLAGS.get(name, (f"--{name}",))
        default: object = _DEFAULTS.get(name, one.default)
        kind: Any = one.plain if one.plain in (str, int, float) else str
        if one.repeated:
            default, kind = [], list[str]
        yield name, kind, typer.Option(default, *flags, help=_plain(one.help))
    for word, clause in CLAUSES.items():
        about = f"Only {_plain(clause.__doc__ or '').lower()} {clause.form}."
        yield word, list[str], typer.Option([], f"--{word}", help=about.replace(". ", ": ", 1))
    first = "Show what fits --" + ", --".join(CLAUSES) + " first, and the rest behind it."
    yield "prefer", bool, typer.Option(False, "--prefer", help=first)
    yield "store", Path, Store
    yield "database", str, Database
    yield "user", str, User
    central = typer.Option(False, "--pagerank", help="Show how central each result is.")
    yield "pagerank", bool, central
    shares = typer.Option(False, "--explain", help="Show each scheme's share of a score.")
    yield "explain", bool, shares
    yield "json", bool, Json


def _plain(text: str) -> str:
    """Help for a terminal: no marks of code."""
    return text.replace("`", "")


def _taking(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the parameters that `_options` names."""
    options = list(_options())
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, _, default in options
        ]
    )
    command.__annotations__ = {name: kind for name, kind, _ in options}
    return command


@_taking
def search(
    *,
    store: Path,
    database: str,
    pagerank: bool,
    explain: bool,
    json: bool,
    prefer: bool,
    **options: Any,
) -> None:
    """Search by words, by a picture, or by several that are meant and not meant."""
    words = {word: options.pop(word) for word in CLAUSES}
    pictures = options.pop("query") or []
    options["schemes"] = options["schemes"] or None
    with opened(store, warm=False, database=database) as engine:
        alone = len(pictures) == 1
        request = SearchRequest(
            query=pictures[0] if alone else None,
            like=() if alone else tuple(pictures),
            where=tuple(_clauses(engine, words, prefer=prefer)),
            **options,
        )
        page = engine.search_for(request)
        ranks = engine.library.pageranks() if pagerank else {}
    if page.unlogged:
        print(f"saccade: this search was not logged: {page.unlogged}", file=sys.stderr)
    if page.missing:
        print(f"saccade: {page.missing} pictures could not be searched now", file=sys.stderr)
    if json:
        print_json(as_json(page, explain=explain, ranks=ranks))
        return
    if request.configuration is not None:
        print(ranked_by(page))
    for line in understood(page):
        print(line)
    for rank, hit in enumerate(page.hits, 1):
        central = "  ".join(f"{value:6.3f}" for value in ranks.get(hit.image_id, ()))
        print(
            f"{rank:4d}  {hit.score:.4f}  {central}{'  ' if central else ''}{printable(hit.path)}"
        )
        if explain:
            print_shares(hit)


def understood(page: Page) -> Iterator[str]:
    """How the words of a text were read, a line each; what is not known, with words to try."""
    for term in page.terms:
        kinds = ", ".join(term.kinds) + (", …" if term.count > len(term.kinds) else "")
        means = {
            "kinds": f"names {kinds}",
            "near": f"a guess, by what goes with it: {kinds}",
            "colour": f"the colour {term.colour}",
            "name": "a name of files or folders, or one you gave",
        }.get(term.how, "not known here")
        read = f" (read as {term.word})" if term.mended else ""
        yield f"{'' if term.wanted else '-'}{printable(term.text)}{read}: {means}"
    if page.unknown and not page.hits:
        others = f"; words that are known: {', '.join(page.offered)}" if page.offered else ""
        yield f"nothing to show for {printable(page.text)!r} yet{others}"
        yield "English nouns are known; to teach a word, search with it and a picture, and mark"


def ranked_by(page: Page) -> str:
    """Which configuration ranked a page, and whether it was a trial."""
    if not page.configuration:
        return f"ranked as usual: {page.unconfigured}"
    tried = "; tried a different configuration in one place of ten" if page.explored else ""
    lost = f"; without {', '.join(page.dropped)}, which failed" if page.dropped else ""
    chance = f"chosen with a chance of {page.propensity:.0%}"
    return f"ranked by {page.configuration}, {chance}{tried}{lost}"


def _clauses(engine: Engine, words: dict[str, list[str]], *, prefer: bool) -> Iterator[Clause]:
    """What narrows the search; a picture to compare with is a path or an id."""
    for word, texts in words.items():
        for text in texts:
            for clause in CLAUSES[word].from_json(text, prefer=prefer):
                if isinstance(clause, More | Less) and isinstance(clause.than, str):
                    yield replace(clause, than=engine.library.find(clause.than).image_id)
                else:
                    yield clause


def as_json(
    page: Page, *, explain: bool, ranks: dict[str, tuple[float, float]]
) -> dict[str, object]:
    """A page for programs."""
    hits = [
        {
            "image_id": hit.image_id,
            "path": hit.path,
            "score": hit.score,
            **({} if hit.inliers is None else {"inliers": hit.inliers}),
            **({"why": hit.why} if explain else {}),
            **({"pagerank": ranks[hit.image_id]} if ranks else {}),
        }
        for hit in page.hits
    ]
    return {
        "page_id": page.page_id,
        "user": page.user,
        "expert": page.expert,
        "model": page.model,
        "configuration": page.configuration,
        "unconfigured": page.unconfigured,
        "dropped": list(page.dropped),
        "explored": page.explored,
        "propensity": page.propensity,
        "searched": page.searched,
        "unlogged": page.unlogged,
        "missing": page.missing,
        "seconds": page.seconds,
        "text": page.text,
        "terms": [asdict(term) for term in page.terms],
        "unknown": list(page.unknown),
        "offered": list(page.offered),
        "hits": hits,
    }


def print_shares(hit: Hit) -> None:
    """The shares of one score, largest first, as bars."""
    shares = sorted(hit.why.items(), key=lambda item: -abs(item[1]))
    largest = max((abs(share) for _, share in shares), default=0.0) or 1.0
    for scheme, share in shares:
        bar = "█" * round(24 * abs(share) / largest)
        print(f"            {share:+.4f}  {scheme:<28} {bar}")

"""`saccade search`: pictures like a picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, User, opened, print_json, printable, progress
from saccade.errors import InvalidInput

if TYPE_CHECKING:
    from saccade.engine import Engine
    from saccade.types import Hit, Page


def search(
    query: list[str] = typer.Argument(None, help="Pictures to search with: paths or image ids."),
    text: str = typer.Option(None, "--text", help="Search by words, where an encoder has them."),
    unlike: list[str] = typer.Option([], "--unlike", help="A picture that is not meant."),
    store: Path = Store,
    user: str = User,
    k: int = typer.Option(10, "-k", help="How many results."),
    scheme: list[str] = typer.Option([], "--scheme", help="Use only this scheme; repeat for more."),
    ranker: str = typer.Option(
        "guarded",
        "--ranker",
        help="guarded: all experts as far as they pay; or one of plain, learned, shared, "
        "best-scheme, uniform, spread, contrast, rocchio, margin.",
    ),
    verify: int | None = typer.Option(
        None,
        "--verify",
        help="Check so many of the best by geometry, and put those confirmed first; 0 none. "
        "Unless given, those whose words stand out.",
    ),
    configuration: str | None = typer.Option(
        None,
        "--configuration",
        help="Rank by words alone: auto (what feedback has found best), vote (of all), or a name "
        "that `saccade choosers show` lists.",
    ),
    exploring: float | None = typer.Option(
        None, "--exploring", help="Largest chance that auto tries another than the best; 0: none."
    ),
    more: list[str] = typer.Option(
        [], "--more", help="More of an attribute than a picture or a place: NAME=ID, NAME=0.7."
    ),
    less: list[str] = typer.Option([], "--less", help="Less of an attribute, likewise."),
    prefer: bool = typer.Option(False, "--prefer", help="Those of --more and --less first."),
    region: int | None = typer.Option(
        None, "--region", min=0, help="Look for this region of the picture alone, by its number."
    ),
    box: str | None = typer.Option(
        None, "--box", help="Look for this part alone: TOP,LEFT,BOTTOM,RIGHT as shares, 0 to 1."
    ),
    pagerank: bool = typer.Option(False, "--pagerank", help="Show how central each result is."),
    explain: bool = typer.Option(False, "--explain", help="Show each scheme's share of a score."),
    json: bool = Json,
) -> None:
    """Search by picture, or by several that are meant and not meant."""
    with opened(store, warm=False) as engine:
        part = region if box is None else _box(box)
        if part is not None:
            with progress() as watch:
                engine.concepts.prepare(watch=watch)
        alone = part is not None and len(query or []) == 1
        page = engine.search(
            query[0] if alone else None,
            region=part,
            text=text,
            like=[] if alone else query or [],
            unlike=unlike,
            user=user,
            k=k,
            schemes=scheme or None,
            ranker=ranker,
            verify=verify,
            configuration=configuration,
            exploring=exploring,
            more=_than(engine, more),
            less=_than(engine, less),
            prefer=prefer,
        )
        ranks = engine.pageranks() if pagerank else {}
    if page.unlogged:
        print(f"saccade: this search was not logged: {page.unlogged}", file=sys.stderr)
    if json:
        print_json(as_json(page, explain=explain, ranks=ranks))
        return
    if configuration is not None:
        print(ranked_by(page))
    for rank, hit in enumerate(page.hits, 1):
        central = "  ".join(f"{value:6.3f}" for value in ranks.get(hit.image_id, ()))
        print(
            f"{rank:4d}  {hit.score:.4f}  {central}{'  ' if central else ''}{printable(hit.path)}"
        )
        if explain:
            print_shares(hit)


def ranked_by(page: Page) -> str:
    """Which configuration ranked a page, and whether it was a trial."""
    if not page.configuration:
        return f"ranked as usual: {page.unconfigured}"
    tried = "; tried a different configuration than the best so far" if page.explored else ""
    lost = f"; without {', '.join(page.dropped)}, which failed" if page.dropped else ""
    chance = f"chosen with a chance of {page.propensity:.0%}"
    return f"ranked by {page.configuration}, {chance}{tried}{lost}"


def _than(engine: Engine, given: list[str]) -> dict[str, str | float]:
    """`natural=0.7` or `natural=PICTURE`; a picture is a path or an id."""
    found: dict[str, str | float] = {}
    for one in given:
        name, sign, than = one.partition("=")
        if not (name and sign and than):
            raise typer.BadParameter(f"{one!r}: write NAME=ID or NAME=0.7")
        try:
            found[name] = float(than)
        except ValueError:
            found[name] = engine.find(than).image_id
    return found


def _box(text: str) -> list[float]:
    """Four shares of a picture."""
    try:
        return [float(edge) for edge in text.split(",")]
    except ValueError:
        raise InvalidInput(
            f"box {text!r}: expected four numbers, such as 0.1,0.2,0.9,0.8"
        ) from None


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
        "ranker": page.ranker,
        "model": page.model,
        "configuration": page.configuration,
        "unconfigured": page.unconfigured,
        "dropped": list(page.dropped),
        "explored": page.explored,
        "propensity": page.propensity,
        "searched": page.searched,
        "unlogged": page.unlogged,
        "seconds": page.seconds,
        "hits": hits,
    }


def print_shares(hit: Hit) -> None:
    """The shares of one score, largest first, as bars."""
    shares = sorted(hit.why.items(), key=lambda item: -abs(item[1]))
    largest = max((abs(share) for _, share in shares), default=0.0) or 1.0
    for scheme, share in shares:
        bar = "█" * round(24 * abs(share) / largest)
        print(f"            {share:+.4f}  {scheme:<28} {bar}")

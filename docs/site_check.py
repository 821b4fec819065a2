"""Looks at a built site: every link leads somewhere, nothing is asked of another host.

    python docs/site_check.py site

mkdocs checks the links of the pages it reads; this one reads what it wrote, the pages of the
studies, the theme and the reference included.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from os.path import normpath
from pathlib import Path
from urllib.parse import unquote, urlsplit

TO_READ = {"a"}  # what a person may follow elsewhere; anything else is fetched by the browser
NOT_FETCHED = {"canonical", "next", "prev", "alternate"}
REMOTE = re.compile(r"""(?:@import\s+|url\(\s*)["']?((?:https?:)?//[^"')\s]+)""")


class Seen(HTMLParser):
    """The links, the fetched things and the anchors of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note what one element points at, and what it is called."""
        named = {name: value or "" for name, value in attributes}
        self.anchors |= {named[key] for key in ("id", "name") if named.get(key)}
        if tag == "link" and named.get("rel") in NOT_FETCHED:
            return
        for key in ("href", "src", "data", "poster", "action"):
            if named.get(key):
                self.links.append((tag, named[key]))


def problems(site: Path) -> Iterator[str]:
    """What is wrong with a site, one sentence each."""
    site = site.resolve()
    pages = {page: Seen(page.read_text("utf-8")) for page in sorted(site.rglob("*.html"))}
    for page, seen in pages.items():
        told = page.relative_to(site)
        for tag, link in seen.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https") or parts.netloc:
                if tag not in TO_READ:
                    yield f"{told}: <{tag}> is fetched from {link}"
            elif parts.scheme in ("", "file"):
                yield from (f"{told}: {why}" for why in _dead(site, page, link, pages))
    for sheet in sorted(site.rglob("*.css")):
        for found in REMOTE.findall(sheet.read_text("utf-8")):
            yield f"{sheet.relative_to(site)}: fetches {found}"


def _dead(site: Path, page: Path, link: str, pages: dict[Path, Seen]) -> Iterator[str]:
    parts = urlsplit(link)
    base = site if parts.path.startswith("/") else page.parent
    there = Path(normpath(base / unquote(parts.path).lstrip("/"))) if parts.path else page
    if there not in pages:
        there = there / "index.html" if there.is_dir() else there
        if not there.is_relative_to(site) or not there.exists():
            yield f"{link} leads nowhere"
    anchor = unquote(parts.fragment)
    if there in pages and anchor and anchor not in pages[there].anchors:
        yield f"{link}: no {anchor!r} there"


def unnamed(site: Path) -> Iterator[str]:
    """Public names that the reference does not have."""
    import saccade

    anchors = {
        anchor.rpartition(".")[2]
        for page in (site / "reference").glob("*.html")
        for anchor in Seen(page.read_text("utf-8")).anchors
    }
    for name in saccade.__all__:
        if name not in anchors and name != "__version__":
            yield f"saccade.{name} is not in the reference"


def main() -> None:
    """Print what is wrong; exit with 1 where anything is."""
    site = Path(sys.argv[1])
    wrong = [*problems(site), *unnamed(site)]
    print(*wrong[:60], sep="\n", end="\n" * bool(wrong))
    pages = sum(1 for _ in site.rglob("*.html"))
    print(f"{site}: {pages} pages, {len(wrong) or 'nothing'} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

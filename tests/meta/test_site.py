"""The site says what the repository says; `make docs` builds it and looks at all of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import saccade
from scripts import script

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def nav() -> list[str]:
    """The pages that mkdocs.yml lists."""
    _, _, text = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")
    return re.findall(r"([\w/.-]+\.md)$", text, re.MULTILINE)


def test_every_page_is_in_the_site() -> None:
    """Whatever lies in docs/ is listed, but decisions and studies, which pages of theirs list."""
    made = {
        f"reference/{name}.md" for name in ("README", "http", *script("docs/pages.py").REFERENCE)
    }
    made |= {"performance.md", "notebook.md", "results/README.md"}
    written = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    decisions = {name for name in written if re.match(r"adr/\d", name)}
    studies = {name for name in written if name.startswith("studies/")}
    assert len(nav()) == len(set(nav()))
    assert set(nav()) == (written - decisions - studies) | made | set(
        script("docs/pages.py").PROJECT
    )
    for some, page in ((decisions, "adr/README.md"), (studies, "studies.md")):
        listed = (DOCS / page).read_text()
        assert all(Path(name).name in listed for name in some)


def test_links_are_bent_where_they_leave_the_pages() -> None:
    """docs/ is the root of the site, results/ a part of it; what is no file stays as written."""
    pages = script("docs/pages.py")
    bent = pages.bent(
        "[a](../results/search.md) [b](concepts) [c](https://x.y) [d](no.md)", DOCS / "x.md"
    )
    assert bent == "[a](results/search.md) [b](concepts/README.md) [c](https://x.y) [d](no.md)"
    assert pages.bent("![m](docs/images/page.png)", ROOT / "README.md") == "![m](images/page.png)"
    there = pages.bent("[r](../docs/reliability.md#how)", ROOT / "results" / "x.md")
    assert there == "[r](../reliability.md#how)"


def test_examples_in_docstrings_are_shown_as_code() -> None:
    """And the text around them is left alone."""
    text = "Adds.\n\n>>> 1 + 1\n2\n\nMore.\n    >>> 2\n    2"
    shown = script("docs/fenced.py").fenced(text)
    assert shown == (
        "Adds.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore.\n    ```pycon\n    >>> 2\n    2\n```"
    )


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ('<a href="b.html#here">b</a><img src="p.png">', []),
        ('<a href="https://elsewhere.example">may be read</a>', []),
        ('<link rel="canonical" href="https://elsewhere.example/a.html">', []),
        ('<script src="https://cdn.example/x.js"></script>', ["<script> is fetched from"]),
        ('<link rel="stylesheet" href="//fonts.example/f.css">', ["<link> is fetched from"]),
        ('<a href="c.html">c</a>', ["c.html leads nowhere"]),
        ('<a href="../../outside.html">o</a>', ["leads nowhere"]),
        ('<a href="b.html#there">b</a>', ["no 'there' there"]),
    ],
)
def test_the_check_of_a_site_sees(body: str, wrong: list[str], tmp_path: Path) -> None:
    """What is fetched from elsewhere, and links that lead nowhere."""
    (tmp_path / "a.html").write_text(f"<html><body>{body}</body></html>")
    (tmp_path / "b.html").write_text('<p id="here">b</p>')
    (tmp_path / "p.png").write_bytes(b"")
    found = list(script("docs/site_check.py").problems(tmp_path))
    assert len(found) == len(wrong)
    assert all(part in sentence for part, sentence in zip(wrong, found, strict=True))


def test_style_sheets_ask_nobody_either(tmp_path: Path) -> None:
    """An address in a style sheet is fetched, too."""
    (tmp_path / "a.css").write_text("p { background: url('https://elsewhere.example/p.png') }")
    (sentence,) = script("docs/site_check.py").problems(tmp_path)
    assert sentence == "a.css: fetches https://elsewhere.example/p.png"


def test_a_public_name_without_a_place_in_the_reference_is_named(tmp_path: Path) -> None:
    """Only `Engine` is there."""
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "engine.html").write_text('<h2 id="saccade.engine.engine.Engine">')
    missing = set(script("docs/site_check.py").unnamed(tmp_path))
    public = {name for name in saccade.__all__ if name not in ("Engine", "__version__")}
    assert missing == {f"saccade.{name} is not in the reference" for name in public}


def test_the_page_of_figures_reads_them_all() -> None:
    """Each figure is in results/, with the page that tells more of it."""
    performance = script("docs/performance.py")
    page = performance.page()
    rows = re.findall(
        r"^\| (?!what|---)(.*?) \| (.*?) \| \[.*?\]\(\.\./(.*?)\) \|$", page, re.MULTILINE
    )
    assert len(rows) == sum(map(len, performance.SECTIONS.values()))
    for what, figure, told in rows:
        assert re.search(r"\d", figure), what
        assert (ROOT / told).exists(), told


def test_the_notebook_is_true() -> None:
    """Its cells run, and say what it says: the words as they are, the figures nearly."""
    notebook = script("docs/notebook.py")
    kept = json.loads((DOCS / "notebook.ipynb").read_text("utf-8"))
    done = notebook.run(kept)
    told, now = notebook.printed(kept), notebook.printed(done)
    assert len(told) > 8
    words = [re.sub(r": (real|may be chance)$|[-+]?\d[\d.]*", "#", line) for line in told]
    assert words == [re.sub(r": (real|may be chance)$|[-+]?\d[\d.]*", "#", line) for line in now]
    figures = [
        [float(x) for x in re.findall(r"[-+]?\d+\.\d+", "".join(one))] for one in (told, now)
    ]
    assert figures[1] == pytest.approx(figures[0], abs=0.05)
    drawn = [one for cell in done["cells"] for one in cell.get("outputs", ()) if "data" in one]
    assert len(drawn) == 1
    tested = re.findall(r"p = ([\d.]+).*: (real|may be chance)$", "".join(now), re.MULTILINE)
    assert len(tested) == 3
    assert all((verdict == "real") is (float(p) < 0.05) for p, verdict in tested)

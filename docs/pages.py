"""What the site has beyond docs/: mkdocs calls this while it builds (`make docs`, mkdocs.yml).

A page may link to any file of the repository, and the same link works in the repository and in the
site: README.md, the pages of the project and everything in results/ are pages of the site, other
files that a page links to come along as they are, and links between docs/ and the rest are bent
here. The reference is made from docstrings and from /openapi.json when the site is built.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PROJECT = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md")
LINK = re.compile(r"(\]\(|src=\"|href=\")(?![a-z]+:|#|/)([^)#\"\s]+)")

REFERENCE = {
    "engine": ("Engine", ["saccade.engine.open", "saccade.engine.engine.Engine"]),
    "rooms": ("Rooms of an engine", []),  # found by the engine's own list
    "requests": (
        "Requests and filters",
        ["saccade.engine.request", "saccade.engine.recipe.Recipe"],
    ),
    "records": ("Records", ["saccade.types"]),
    "errors": ("Errors", ["saccade.errors"]),
    "client": ("Client, and lists of others", ["saccade.client", "saccade.engine.Reranker"]),
    "rankers": (
        "Rankers",
        [
            "saccade.rankers",
            "saccade.contracts.Ranker",
            "saccade.contracts.OnlineRanker",
            "saccade.contracts.LabelRanker",
            "saccade.contracts.BagRanker",
            "saccade.rankers.selection",
            "saccade.rankers.tuning",
        ],
    ),
    "choosers": (
        "Choosers",
        [
            "saccade.choosers",
            "saccade.contracts.Chooser",
            "saccade.contracts.ExpertChooser",
            "saccade.contracts.BanditChooser",
        ],
    ),
    "descriptors": (
        "Descriptors",
        [
            "saccade.descriptors",
            "saccade.contracts.Descriptor",
            "saccade.contracts.Picture",
            "saccade.features.similarities",
        ],
    ),
    "testbed": (
        "Testbed",
        [
            "saccade.testbed.worlds",
            "saccade.testbed.datasets",
            "saccade.testbed.people",
            "saccade.testbed.sessions",
            "saccade.testbed.measures",
            "saccade.testbed.significance",
            "saccade.testbed.folds",
            "saccade.testbed.letor",
            "saccade.testbed.tables",
        ],
    ),
    "checks": (
        "Checks for plug-ins",
        [
            f"saccade.checks.{name}"
            for name in ("descriptors", "rankers", "labels", "bags", "choosers", "indexes")
        ],
    ),
}
"""Pages of the reference: title, and whose docstrings they show, in this order."""

ABOUT_REFERENCE = """# Reference

What `import saccade` offers, from its docstrings: every name has an example, and the tests run them
all, on drawn pictures: `engine` is open on a store of 36, `pictures` is the folder they lie in,
`server` the address of a server around it, `folder` an empty place to write to. The
[command line](../cli.md) and the [HTTP API](../http.md) have pages of their own.

| name | what it is |
|---|---|
"""


AS_NOTEBOOK = """
This page is [notebook.ipynb](notebook.ipynb): `python docs/notebook.py` runs it again, and a test
holds its figures.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what lies outside docs/, and what is made while building."""
    outside = [ROOT / name for name in PROJECT]
    outside += [
        file
        for file in sorted((ROOT / "results").rglob("*"))
        if file.is_file() and "parts" not in file.relative_to(ROOT).parts[:-1]
    ]
    pages = [*DOCS.rglob("*.md"), *(file for file in outside if file.suffix == ".md")]
    linked = {there for page in pages for _, there in links(page.read_text("utf-8"), page)}
    outside += [there for there in linked if there.is_file() and not there.is_relative_to(DOCS)]
    for file in dict.fromkeys(outside):
        files.append(File.generated(config, address(file), abs_src_path=str(file)))
    for name, text in reference():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Bend the links that leave docs/, or lead into it."""
    source = page.file.abs_src_path
    return markdown if source is None else bent(markdown, Path(source))


def bent(markdown: str, page: Path) -> str:
    """A page of the repository with its links as they are in the site."""
    here = Path(address(page)).parent

    def one(found: re.Match[str]) -> str:
        there = target(page, found[2])
        if not there.exists():
            return found[0]
        return found[1] + Path(os.path.relpath(address(there), here)).as_posix()

    return LINK.sub(one, markdown)


def links(markdown: str, page: Path) -> Iterator[tuple[str, Path]]:
    """What a page links to in the repository: as written, and the file."""
    for found in LINK.finditer(markdown):
        yield found[2], target(page, found[2])


def target(page: Path, written: str) -> Path:
    """The file that a link of a page means; of a folder the page that speaks for it."""
    there = Path(os.path.normpath(page.parent / written))
    return there / "README.md" if there.is_dir() else there


def address(file: Path) -> str:
    """Where a file of the repository is in the site: docs/ is its root, results/ a part of it."""
    return file.relative_to(DOCS if file.is_relative_to(DOCS) else ROOT).as_posix()


def reference() -> Iterator[tuple[str, str]]:
    """The pages that are made from docstrings, and from what the server says of itself."""
    import saccade

    rows = []
    for name in saccade.__all__:
        thing = getattr(saccade, name)
        said = (getattr(thing, "__doc__", None) or "").strip().partition("\n")[0]
        if name != "__version__":
            rows.append(f"| `saccade.{name}` | {said} |")
    yield "reference/README.md", ABOUT_REFERENCE + "\n".join(rows) + "\n"
    for page, (title, names) in REFERENCE.items():
        parts = [shown(name) for name in names]
        if page == "rooms":
            parts = [f"## `engine.{room}`\n\n{shown(name, 3)}" for room, name in rooms().items()]
        yield f"reference/{page}.md", f"# {title}\n\n" + "\n\n".join(parts) + "\n"
    yield "performance.md", bent(beside("performance").page(), DOCS / "performance.md")
    notebook = json.loads((DOCS / "notebook.ipynb").read_text("utf-8"))
    yield "notebook.md", beside("notebook").markdown(notebook) + AS_NOTEBOOK
    document = openapi()
    yield "reference/openapi.json", json.dumps(document, indent=1)
    yield "reference/http.md", http(document)


def rooms() -> dict[str, str]:
    """The rooms of an engine, and whose docstrings tell of them."""
    from saccade.engine import Engine

    hints = get_type_hints(Engine)
    return {room: f"{kind.__module__}.{kind.__qualname__}" for room, kind in hints.items()}


def shown(name: str, level: int = 2) -> str:
    """The directive that shows whose docstrings."""
    options = ["    options:", f"      heading_level: {level}"]
    if name.rpartition(".")[2].islower() and name != "saccade.engine.open":
        options.append("      show_root_full_path: true")
        options.append("      show_if_no_docstring: false")
    return "\n".join([f"::: {name}", *options])


def beside(name: str) -> ModuleType:
    """A script of this folder as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its records are found by their module
    spec.loader.exec_module(module)
    return module


def openapi() -> dict[str, Any]:
    """What a server says of itself at /openapi.json."""
    from saccade.engine import Engine
    from saccade.service.app import create_app

    with (
        tempfile.TemporaryDirectory() as folder,
        Engine(Path(folder) / "empty.saccade", warm=False) as engine,
    ):
        return create_app(engine).openapi()


def http(document: dict[str, Any]) -> str:
    """The page that a server shows at /docs, as a page of the site."""
    from saccade.service.reference import reference as shown_by_a_server

    whole = shown_by_a_server(document)
    inside = whole[whole.index("</h1>") + len("</h1>") : whole.index("</main>")]
    inside = inside.replace('"/openapi.json"', '"openapi.json"')
    return f'# HTTP, every operation\n\n<div class="operations">\n{inside}\n</div>\n'

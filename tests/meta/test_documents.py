from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.cli import VERBS
from saccade.studies import load
from saccade.studies.declaration import KINDS

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "results").rglob("*.md")]
)


def test_the_readmes_python_runs(world: Path, tmp_path: Path) -> None:
    """The example people copy first works as it is printed."""
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(code.strip().splitlines()) <= 12
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, picture in enumerate(sorted(world.rglob("*.jpg"))[:12]):
        shutil.copy(picture, folder / f"{number}.jpg")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link and picture in the documents exists."""
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_files_that_code_names_are_there() -> None:
    """A result, a page or a test that a docstring or comment points to exists."""
    named = re.compile(
        r"(?<![\w/.])(?:results|docs|tests|benchmarks|tools)/[\w./-]+\.(?:md|py|json)"
    )
    gone = [
        f"{file.relative_to(ROOT)}: {name}"
        for folder in ("src", "benchmarks", "tools")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for name in named.findall(file.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    ]
    assert not gone


def test_every_verb_is_documented() -> None:
    """`saccade --help` and the documents name every verb."""
    text = "\n".join(page.read_text() for page in PAGES)
    for verb in VERBS:
        assert f"saccade {verb}" in text, verb


def test_make_help_lists_the_verbs() -> None:
    """The same few verbs on a laptop and in continuous integration."""
    shown = subprocess.run(
        ["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    verbs = "setup demo check quick test bench studies docs release help"
    for verb in verbs.split():
        assert f"make {verb}" in shown


def test_importing_saccade_loads_nothing_heavy() -> None:
    """The package and its command line start without numpy, numba, SQL or a web framework."""
    code = "import sys, saccade, saccade.cli.app as a; a.build(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    heavy = {"numba", "scipy", "sklearn", "sqlalchemy", "fastapi", "cv2", "onnxruntime", "faiss"}
    assert not heavy & set(done.stdout.split())


def test_the_learners_are_reached_from_the_package() -> None:
    """`import saccade; saccade.rankers.make(…)` needs no second import; other names are unknown."""
    code = """
import sys, saccade
assert "saccade.rankers" not in sys.modules and "numpy" not in sys.modules
assert "rankers" in dir(saccade)
print(saccade.rankers.make("opar1").name, hasattr(saccade, "ranker"))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.stdout.split() == ["opar1", "False"]


def test_no_file_records_where_packages_come_from() -> None:
    """Constraints are names and versions, never addresses."""
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.+]+", line), line


def test_the_layout_names_every_package_and_room() -> None:
    """docs/layout.md has a row for each package, and for each room of the engine; no other."""
    text = (ROOT / "docs" / "layout.md").read_text()
    table, rooms = text.split("## The rooms of `engine/`")
    source = ROOT / "src" / "saccade"

    def named(part: str) -> set[str]:
        rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
        return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}

    def there(folder: Path) -> set[str]:
        parts = [p for p in folder.iterdir() if p.name[0] not in "_." and p.name != "py.typed"]
        return {p.name + "/" * p.is_dir() for p in parts}

    assert named(table) == there(source)
    assert named(rooms) == there(source / "engine")


def test_the_layout_shows_the_import_graph_of_today() -> None:
    """`python docs/layout.py` draws it."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "layout.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr


def test_the_page_of_studies_is_what_was_measured() -> None:
    """The pages are made from results/studies, nobody has touched them since, and all is there."""
    spec = importlib.util.spec_from_file_location("studies_page", ROOT / "docs" / "studies.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "studies.md").read_text() == module.page()
    details = {file.name: file.read_text() for file in (ROOT / "docs" / "studies").glob("*.md")}
    assert details == module.pages()
    for name in module.PAPERS:  # every claim of a paper is in the row of one of its tables
        sources = {claim.source for claim in load(name).claims} - {"ours"}
        rows = [one.sources for one in module.PAPER_TABLES if one.study == name]
        assert sorted(sources) == sorted(source for some in rows for source in some)
    for _, record in module.records():
        assert record["commit"] not in ("", "unknown")
        assert not record["commit"].endswith("+")  # measured by code that is in the history
        assert record["machine"]["processor"]
        assert record["seeds"]
        for claim in record["claims"]:
            assert claim["verdict"] in KINDS
            numbers = [claim[key] for key in ("effect", "interval", "p")]
            assert (None in numbers) == (claim["verdict"] == "not measured")

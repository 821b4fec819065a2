"""What the pages show as Python runs: each page's blocks in their order, in one namespace."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade.cli.app import build
from saccade.engine import Engine
from saccade.engine.loop import experts
from saccade.engine.loop.experts import voices
from saccade.testbed import letor, measures, worlds

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = sorted(page for page in DOCS.rglob("*.md") if BLOCK.search(page.read_text()))

READ_ALONE = {
    "http.md": "serves until it is stopped; the client is tested in tests/service",
    "concepts/words.md": "trains a vocabulary of 100,000 words",
    "concepts/ranking-features.md": "needs seven descriptors; tests/unit/engine has the same",
    "concepts/worlds.md": "draws 340 pictures: tests/unit/testbed has the same calls",
    "howto/bring-your-own-encoder.md": "needs an encoder of one's own",
    "howto/write-a-study.md": "a declaration with gaps to fill in",
    "howto/add-a-descriptor.md": "installed and run by tests/unit/descriptors/test_plugins.py",
    "five-minutes.md": "run below, with what it types",
    "howto/add-a-capability.md": "followed below, in a copy of the tree",
}
"""Pages whose blocks are parsed, and why they are not run here."""


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text())


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """An engine with a little of everything, and the names that pages speak of."""
    place = tmp_path_factory.mktemp("pages")
    worlds.write(place / "pictures", images=36, seed=5, size=(96, 72))
    for kind, called in {"seaside": "coast", "fish": "elephants"}.items():
        (place / "pictures" / kind).rename(place / "pictures" / called)
    rng = np.random.default_rng(0)
    with (
        pytest.MonkeyPatch.context() as patch,
        Engine(place / "photos.saccade", warm=False) as engine,
    ):
        patch.chdir(place)
        engine.add("pictures", recipe="color-histogram,embedding,gist,words", workers=1)
        ids = [image.image_id for image in engine.images()]
        shutil.copy(engine.images()[0].paths[0], place / "query.jpg")
        elephants = [one.image_id for one in engine.images() if "elephants" in one.paths[0]]
        page = engine.search(ids[0], user="ana", k=12)
        engine.react(page, liked=[page.hits[2]], disliked=[page.hits[5]])
        X = rng.standard_normal((12, 4))
        yield {
            "engine": engine,
            "image_id": ids[1],
            "image": ids[1],
            "other": ids[2],
            "more": ids[3],
            "less": ids[4],
            "better": elephants[0],
            "worse": elephants[1],
            "page": page,
            "a": page.hits[1].image_id,
            "b": page.hits[4].image_id,
            "session": page.session,
            "X": X,
            "y": np.sign(X[:, 0]).astype(int),
            "A": X[:3],
            "B": X[3:6],
            "bags": [rng.standard_normal((3, 4)) for _ in range(4)],
            "pairs": [(0, 1), (2, 3)],
        }


def _letor(names: dict[str, Any]) -> None:
    """Files to rank."""
    rng = np.random.default_rng(0)
    for name in ("train.txt", "test.txt"):
        phi, groups = rng.random((60, 3)), np.repeat(np.arange(10), 6)
        grades = (phi[:, 0] > np.median(phi[:, 0])).astype(int)
        letor.write(name, phi, grades, groups)


def _measures(names: dict[str, Any]) -> None:
    """Two runs to compare."""
    rng = np.random.default_rng(0)
    grades, groups = rng.integers(0, 2, 60), np.repeat(np.arange(10), 6)
    for name in ("one", "other"):
        names[name] = measures.evaluate(["map"], rng.random(60), grades, groups)


def _choosers(names: dict[str, Any]) -> None:
    """A bank of vocabularies is small only in its own tests."""
    names["skip"] = "Bank("


def _attributes(names: dict[str, Any]) -> None:
    """An attribute that a table of kinds names."""
    engine = names["engine"]
    engine.attributes.create("open")
    images = [image.image_id for image in engine.images()]
    for lower, higher in pairwise(images):
        engine.attributes.compare("open", higher, lower)


PREPARED: dict[str, Callable[[dict[str, Any]], None]] = {
    "howto/rank-letor-files.md": _letor,
    "concepts/measures.md": _measures,
    "concepts/choosers.md": _choosers,
    "concepts/attributes.md": _attributes,
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_what_a_page_shows_is_python(page: Path) -> None:
    """Every block parses."""
    for block in blocks(page):
        ast.parse(block)


RUN = [page for page in PAGES if page.relative_to(DOCS).as_posix() not in READ_ALONE]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_what_a_page_shows_runs(
    page: Path, taught: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Block after block, with the names that the page speaks of."""
    for table in (voices.VOICES, experts.EXPERTS):
        monkeypatch.setitem(table, "nearest", None)  # a row that a page adds is taken off again
        del table["nearest"]
    name = page.relative_to(DOCS).as_posix()
    names = dict(taught)
    PREPARED.get(name, lambda _: None)(names)
    for block in blocks(page):
        if names.get("skip", "\0") not in block:
            exec(compile(block, name, "exec"), names)


def test_pages_that_are_only_read_exist() -> None:
    """The list above has no page that is gone."""
    assert {(DOCS / name) for name in READ_ALONE} <= set(PAGES)


def test_the_first_five_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page types, typed."""
    monkeypatch.chdir(tmp_path)
    worlds.write(tmp_path / "pictures", images=18, seed=5, size=(96, 72))
    (typed,) = re.findall(r"```bash\n(.*?)```", (DOCS / "five-minutes.md").read_text(), re.DOTALL)
    lines = typed.strip().splitlines()
    assert all(line.startswith("saccade ") for line in lines)
    recipe = ["--recipe", "color-histogram,lbp"]
    for line in lines:
        words = line.split()[1:]
        build()(words + recipe * (words[0] == "index"), standalone_mode=False)
    (code,) = blocks(DOCS / "five-minutes.md")
    exec(compile(code, "five-minutes.md", "exec"), {})


def test_a_capability_is_added_as_the_page_says(indexed: Path, tmp_path: Path) -> None:
    """A folder, a row, a room: then it writes, reads, replays and takes back."""
    package = tmp_path / "src" / "saccade"
    package.mkdir(parents=True)
    for part in Path(saccade.__file__).parent.iterdir():
        if part.name == "engine":
            shutil.copytree(part, package / "engine")
        else:  # the kernels in particular: a copy of them would be compiled anew
            (package / part.name).symlink_to(part)
    *files, use = blocks(DOCS / "howto" / "add-a-capability.md")
    for file in files:
        head, _, text = file.partition("\n")
        place = tmp_path / head.removeprefix("# ")
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    row = "from saccade.engine.notes.capability import NoteCapability\n"
    table, engine = package / "engine" / "capabilities.py", package / "engine" / "engine.py"
    _insert(table, before="\nCAPABILITIES:", text=row)
    _insert(table, before="    TagCapability,\n", text="    NoteCapability,\n")
    room = row + "from saccade.engine.notes.surface import Notes\n"
    _insert(engine, before="from saccade.engine.tags.capability import", text=room)
    line = "        self.notes = Notes(self._loop.capability(NoteCapability))\n"
    _insert(engine, before="        self.fields = Fields(", text=line)
    store = shutil.copytree(indexed, tmp_path / "copy.saccade")
    opened = (
        "import saccade, sys\n"
        "assert saccade.__file__.startswith(sys.argv[2])\n"
        "engine = saccade.Engine(sys.argv[1], warm=False)\n"
        "image_id = engine.images()[0].image_id\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", opened + use + "engine.close()", store, tmp_path],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
    )
    assert done.returncode == 0, done.stderr


def _insert(file: Path, *, before: str, text: str) -> None:
    whole = file.read_text()
    assert before in whole, f"{file.name}: no {before!r}"
    file.write_text(whole.replace(before, text + before, 1))

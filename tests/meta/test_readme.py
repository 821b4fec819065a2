"""What README.md says of Saccade is held by a test or by a figure in results/."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from PIL import Image

import saccade
from saccade.descriptors import DEFAULT
from saccade.features.similarities import SIMILARITIES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()

HELD = {
    "typed words find untagged pictures": (
        "unit/engine/test_typed_words.py",
        "test_a_picture_is_found_by_the_word_for_what_it_shows",
    ),
    "search by an example": (
        "unit/engine/test_search.py",
        "test_path_bytes_and_id_are_the_same_query",
    ),
    "right and wrong examples in one search": (
        "unit/engine/test_search.py",
        "test_examples_with_signs_join_in_one_query",
    ),
    "each mark re-ranks, and lasts for later searches": (
        "unit/engine/test_remembered.py",
        "test_what_was_marked_together_leads_later_searches",
    ),
    "learned weights over many descriptors": (
        "unit/engine/test_feedback.py",
        "test_what_was_learned_holds_in_later_searches",
    ),
    'measured against "no learning" at every mark': (
        "unit/engine/test_feedback.py",
        "test_profile_measures_learning_before_it_learns",
    ),
    "models rebuilt from a log, bit for bit": (
        "laws/test_replay.py",
        "test_replay_gives_the_live_models_bit_for_bit",
    ),
}
"""What the table says Saccade has, and the test that would fail without it."""


def table() -> dict[str, list[str]]:
    """The rows of the table beside others."""
    _, _, part = README.partition("## Beside others")
    part = part.partition("\n## ")[0]
    rows = [line.strip("| ").split("|") for line in part.splitlines() if line.startswith("| ")]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows[1:]}


@pytest.mark.parametrize("row", HELD)
def test_what_the_table_says_is_tested(row: str) -> None:
    """Each *yes* of ours names a test that exists."""
    file, name = HELD[row]
    assert table()[row][0].startswith("yes")
    assert f"def {name}(" in (ROOT / "tests" / file).read_text()


def test_every_yes_is_held() -> None:
    """And there is none without a test."""
    yes = {row for row, cells in table().items() if cells[0].startswith("yes")}
    assert yes == HELD.keys()
    assert all(len(cells) == 5 for cells in table().values())


def test_its_figures_are_those_that_were_measured() -> None:
    """Milliseconds of a search, of reading and of marks; cuts of power; schemes."""
    found = json.loads((ROOT / "results" / "search.json").read_text())
    said = re.search(
        r"search of 100,000 images takes (\d+) ms.*?once takes (\d+); ten\s+more marks.*?(\d+) ms",
        README,
        re.DOTALL,
    )
    assert said is not None
    assert found["images"] == 100_000
    measured = (
        found["search"]["p95_ms"],
        found["stream_same_bytes_ms"],
        found["feedback_ten_judged"]["p95_ms"],
    )
    assert [int(figure) for figure in said.groups()] == [round(one) for one in measured]
    cuts = json.loads((ROOT / "results" / "reliability.json").read_text())["cuts of power"]
    assert f"{cuts['cuts']:,} cuts of power" in README
    assert cuts["wrong"] == []
    described = len(DEFAULT) + 1  # visual words are the other one
    assert table()["learned weights over many descriptors"][0] == (
        f"yes, {described} × {len(SIMILARITIES)}"
    )


def test_its_size_is_that_of_the_release() -> None:
    """What an installation takes, with its day, is what the changelog measured on that Python."""
    said = re.search(r"`pip install \.` takes (\d+) MiB.*?\((3\.\d+), measured", README, re.DOTALL)
    assert said is not None
    size, python = said.groups()
    log = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(rf"\b{size}( MiB)? on (Python )?{re.escape(python)}\b", log)


def test_the_start_is_as_good_as_the_best_single_scheme() -> None:
    """What *What it is not* says of a new collection: within .002, on the three sets it names."""
    for name in ("corel1k", "osr", "pubfig"):
        measured = json.loads((ROOT / "results" / f"schemes-{name}.json").read_text())["map"]
        best = max(value for scheme, value in measured.items() if ":" in scheme)
        assert measured["the start"] == pytest.approx(best, abs=0.002)


def test_the_moving_picture_moves() -> None:
    """And is small enough to be looked at."""
    place = ROOT / "docs" / "images" / "teaching.webp"
    with Image.open(place) as film:
        assert film.n_frames > 20
    assert place.stat().st_size < 2**20


def test_citation_and_package_say_the_same() -> None:
    """One version, one licence, and the five papers of the studies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert project["version"] == saccade.__version__
    assert f"version: {saccade.__version__}\n" in citation
    assert f"license: {project['license']}\n" in citation
    titles = re.findall(r'^    title: "(.+)"$', citation, re.MULTILINE)
    assert len(titles) == 5
    papers = "\n".join(
        (ROOT / "src" / "saccade" / "studies" / name / "__init__.py").read_text()
        for name in ("wan2015", "li2012", "chen2015", "aly2011", "hu2008")
    )
    together = re.sub(r'"\s+"', "", papers)
    assert all(title in together for title in titles)


def test_licences_of_what_is_shipped_are_in_the_package() -> None:
    """Every notice in the tree is among the licence files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    notices = {one.relative_to(ROOT).as_posix() for one in (ROOT / "src").rglob("NOTICE*")}
    assert set(project["license-files"]) == {"LICENSE", *notices}

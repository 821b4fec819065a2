"""The command line as a person types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from saccade import __version__
from saccade.engine import Engine
from saccade.store.formats import FORMAT
from saccade.studies.machine import UNKNOWN, commit
from saccade.testbed import worlds

SACCADE = Path(sys.executable).with_name("saccade")
RECIPE = "color-histogram,lbp"
IMAGES = 18


def saccade(*arguments: object, code: int = 0, **options: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(SACCADE), *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def read(*arguments: object, code: int = 0) -> Any:
    return json.loads(saccade(*arguments, "--json", code=code).stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cli") / "pictures"
    worlds.write(place, images=IMAGES, seed=2, size=(64, 48))
    (place / "bad.png").write_bytes(b"no picture")
    return place


@pytest.fixture(scope="module")
def store(folder: Path) -> Path:
    """Indexed by the command line, with a little feedback of ana."""
    place = folder.parent / "cli.saccade"
    done = saccade("index", folder, "--into", place, "--recipe", RECIPE)
    assert f"{IMAGES} images ({IMAGES} added, 0 known)" in done.stdout
    assert "1 skipped" in done.stderr
    assert "bad.png: not a JPEG" in done.stderr
    with Engine(place, warm=False) as engine:
        page = engine.search(engine.images(0, 1)[0].image_id, user="ana", k=8)
        for _ in range(2):
            page = engine.react(page, liked=[page.hits[-1].image_id])
    return place


def test_indexing_again_finds_everything_known(folder: Path, store: Path) -> None:
    """For people and for programs."""
    found = read("index", folder, "--into", store)
    assert (found["images"], found["report"]["added"], found["report"]["known"]) == (18, 0, 18)
    assert [Path(s["path"]).name for s in found["report"]["skipped"]] == ["bad.png"]


def test_search_prints_pictures_and_explains_them(folder: Path, store: Path) -> None:
    """Shares sum to the score; a store may come from the environment."""
    query = sorted(folder.rglob("*.*"))[3]
    page = read("search", query, "--store", store, "-k", 4, "--explain", "--user", "ana")
    assert len(page["hits"]) == 4
    for hit in page["hits"]:
        assert sum(hit["why"].values()) == pytest.approx(hit["score"], abs=1e-9)
        assert Path(hit["path"]).exists()
    environment = {**os.environ, "SACCADE_STORE": str(store)}
    shown = saccade("search", query, "-k", 4, "--explain", "--user", "ana", env=environment)
    lines = shown.stdout.splitlines()
    assert [line.split()[2] for line in lines if line.lstrip()[0].isdigit()] == [
        hit["path"] for hit in page["hits"]
    ]
    assert any("█" in line and ":spread" in line for line in lines)


def test_a_profile_is_shown_taken_back_moved_and_forgotten(store: Path, tmp_path: Path) -> None:
    """The whole life of a profile, in commands."""
    assert "ana: 2 rounds of feedback" in saccade("profile", "show", "ana", "--store", store).stdout
    before = read("replay", "--store", store)
    assert before["equal"]
    file = tmp_path / "ana.json"
    saccade("profile", "export", "ana", "--store", store, "--out", file)
    taken = saccade("profile", "import", "eva", "-", "--store", store, input=file.read_text())
    assert "2 rounds of feedback taken in" in taken.stdout
    assert len(read("profile", "undo", "eva", "--store", store)["liked"]) == 1
    assert "2 rounds" in saccade("profile", "forget", "eva", "--yes", "--store", store).stdout
    assert read("replay", "--store", store) == before
    saccade("profile", "undo", "eva", "--store", store, code=3)
    saccade("profile", "forget", "ana", "--store", store, code=1, input="n\n")


def test_an_attribute_is_taught_asked_and_put_away(folder: Path, store: Path) -> None:
    """The whole life of an attribute, in commands."""
    dark, light, middle = sorted(folder.rglob("*.jpg"))[:3]
    about = ("--store", store, "--user", "teacher")
    assert read("attribute", "create", "light", "--store", store)["needs"] == 20
    saccade("attribute", "order", "light", *about, code=3)
    done = saccade("attribute", "compare", "light", light, dark, *about)
    assert "light: 1 answer; 19 more answers would help" in done.stdout
    assert read("attribute", "label", "light", dark, "--has-not", *about)["points"] == 1
    saccade("attribute", "label", "light", dark, *about, code=2)
    saccade("attribute", "compare", "light", dark, dark, *about, code=2)
    assert read("attribute", "compare", "light", dark, middle, "--alike", *about)["pairs"] == 2
    order = read("attribute", "order", "light", "-k", 18, *about)
    places = {Path(hit["path"]).name: hit["place"] for hit in order}
    assert places[light.name] > places[dark.name]
    assert "✗" in saccade("attribute", "order", "light", "--end", "both", *about).stdout
    asked = saccade("attribute", "suggest", "light", *about).stdout.splitlines()
    assert len(asked) == 3
    page = read("search", middle, "--more", "light=0.5", *about)
    assert all(places[Path(hit["path"]).name] > 0.5 for hit in page["hits"])
    saccade("search", middle, "--more", "light", *about, code=2)
    told = read("attribute", "classify", f"new = light: {light.parent.name} > new", *about)
    assert told == []  # every folder has a name of its own
    assert [one["name"] for one in read("attribute", "show", *about)] == ["light"]
    assert read("attribute", "undo", "light", *about)["answers"] == 2
    assert read("replay", "--store", store)["equal"]
    assert "put away" in saccade("attribute", "delete", "light", *about).stdout
    saccade("attribute", "show", "light", *about, code=3)
    assert "put away: light" in saccade("attribute", "show", *about).stdout
    assert "2 answers" in saccade("attribute", "restore", "light", *about).stdout


def test_the_doctor_finds_and_repairs(store: Path) -> None:
    """Exit code 1 while something is wrong."""
    assert "healthy" in saccade("doctor", "--store", store).stdout
    lost = next((store / "columns" / "lbp").glob("*.vectors.npy"))
    before = lost.read_bytes()
    lost.unlink()
    found = read("doctor", "--store", store, code=1)
    assert not found["healthy"]
    assert found["findings"][0]["remedy"].startswith("would be computed again")
    done = saccade("doctor", "--repair", "--store", store)
    assert "repaired" in done.stdout
    assert next((store / "columns" / "lbp").glob("*.vectors.npy")).read_bytes() == before
    assert read("doctor", "--store", store)["healthy"]


def test_schemes_are_listed_with_or_without_a_store(store: Path, tmp_path: Path) -> None:
    """What there is, and what could be."""
    found = read("schemes", "--store", store)
    assert {s["scheme"] for s in found["schemes"]} >= {"lbp:l1", "color-histogram:chi2"}
    assert [d["descriptor"] for d in found["descriptors"] if d["in_recipe"]] == [
        "color-histogram",
        "lbp",
    ]
    assert "gist" in saccade("schemes", "--store", tmp_path / "none").stdout


def test_the_version_names_the_code_and_the_stores_it_writes() -> None:
    """Version, commit where it is known, and the format of the store; nothing else."""
    found = commit()
    built = "" if found == UNKNOWN else f"commit {found}, "
    line = f"saccade {__version__} ({built}store format {FORMAT})\n"
    assert saccade("--version").stdout == line


def test_the_module_is_the_command_line() -> None:
    """`python -m saccade` where the script is not on the path."""
    done = subprocess.run(
        [sys.executable, "-m", "saccade", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == saccade("--version").stdout


def test_the_demo_draws_and_indexes_and_knows_its_work_again(tmp_path: Path) -> None:
    """With every default descriptor; the second run computes nothing."""
    arguments = ("demo", "--no-serve", "--into", tmp_path / "demo", "--count", 18)
    assert "18 images (18 added, 0 known)" in saccade(*arguments).stdout
    assert "18 images (0 added, 18 known)" in saccade(*arguments).stdout

"""The walks that docs/layout.md writes down are the ways that things go."""

from __future__ import annotations

import re
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

import saccade

ROOT = Path(__file__).parents[2]
SOURCE = str(Path(saccade.__file__).parent)
MOST = {"A search": 20, "A mark": 28}


def written() -> dict[str, tuple[int, list[str]]]:
    """The number and the names of each walk's hops."""
    _, _, text = (ROOT / "docs" / "layout.md").read_text().partition("## Five walks")
    text = text.partition("\n## ")[0]
    found = re.findall(r"\*\*([^*]+)\*\* \((\d+)\): ((?:`[^`]+`[\s→]*)+)", text)
    return {name: (int(number), re.findall(r"`([^`]+)`", hops)) for name, number, hops in found}


def entered(act: Callable[[], object]) -> list[str]:
    """The functions of Saccade that are entered, in order, each as often as it is."""
    names: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            names.append(frame.f_code.co_qualname)

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return names


def walked(tmp_path: Path, pictures: Path) -> dict[str, list[str]]:
    """What is entered on each of the walks."""
    ways: dict[str, list[str]] = {}
    with saccade.Engine(tmp_path / "walked.saccade", warm=False) as engine:
        for folder in sorted(one for one in pictures.iterdir() if one.is_dir())[3:]:
            shutil.rmtree(folder)  # few enough to be described in this process
        ways["Adding a folder"] = entered(
            lambda: engine.add(pictures, recipe="color-histogram,edge-directions,lbp")
        )
        images = [record.image_id for record in engine.images()]
        engine.attributes.create("natural")
        ways["A search"] = entered(lambda: engine.search(images[0], user="ana", k=5))
        page = engine.search(images[1], user="ana", k=5)
        marks = {"liked": [page.hits[1]], "disliked": [page.hits[2]]}
        ways["A mark"] = entered(lambda: engine.react(page, **marks))
        ways["An answer about an attribute"] = entered(
            lambda: engine.attributes.compare("natural", *images[2:4], user="ana")
        )
        ways["Forgetting somebody"] = entered(lambda: engine.forget("ana"))
    return ways


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory, world: Path) -> dict[str, list[str]]:
    """The walks on a small collection."""
    place = tmp_path_factory.mktemp("walks")
    return walked(place, Path(shutil.copytree(world, place / "pictures")))


def test_every_walk_is_written_down(ways: dict[str, list[str]]) -> None:
    """And no other; the number before the hops is theirs, and small where that was promised."""
    assert written().keys() == ways.keys()
    for name, (number, hops) in written().items():
        assert number == len(hops), name
        assert number <= MOST.get(name, 20), name


@pytest.mark.parametrize("name", sorted(written()))
def test_a_walk_meets_its_hops_in_their_order(name: str, ways: dict[str, list[str]]) -> None:
    """Each is entered after the one before it."""
    rest = iter(ways[name])
    for hop in written()[name][1]:
        assert any(one == hop for one in rest), hop

"""`saccade choosers`, and searches by configuration on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from covers import write_covers
from saccade.cli.app import build
from saccade.engine import Engine
from saccade.engine.configurations.source import ConfigurationView


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_covers(tmp_path_factory.mktemp("shelf"), count=4)


@pytest.fixture(scope="module")
def store(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("store") / "covers.saccade"
    with Engine(place, warm=False) as engine:
        engine.add(shelf, recipe="lbp,words", workers=1)
    return place


def run(*arguments: object) -> str:
    done = CliRunner().invoke(build(), [str(a) for a in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_what_was_learned_is_shown_and_drawn(store: Path, shelf: Path, tmp_path: Path) -> None:
    """Nothing at first; after reactions weights, losses and regret, in text, JSON and a picture."""
    assert "nothing learned yet" in run("choosers", "show", "--store", store)
    with Engine(store, warm=False, seed=0) as engine:
        for name in ("1.png", "2.png"):
            page = engine.search(shelf / name, configuration="auto")
            engine.react(page, liked=[page.hits[0]])
    shown = run("choosers", "show", "--store", store, "--out", tmp_path / "plot.png")
    assert "auto: hedge, 2 reactions" in shown
    assert "behind the usual ranking by" in shown
    assert (tmp_path / "plot.png").read_bytes()[:4] == b"\x89PNG"
    drawn = (tmp_path / "plot.svg").read_text()
    assert "akm-large:binary,l1,l1" in drawn
    assert "regret against the best single one" in drawn
    told = json.loads(run("choosers", "show", "--store", store, "--json"))
    assert [one["rounds"] for one in told["choosers"]] == [2, 0]
    assert told["choosers"][0]["history"]["rounds"] == [0, 1, 2]


def test_a_search_says_what_ranked_it(store: Path, shelf: Path) -> None:
    """The configuration, its chance, whether it was a trial; as JSON too."""
    picture = shelf / "3.png"
    name = "akm-large:none,l2,l2"
    at = ("--store", store, "-k", 2, "--configuration")
    assert run("search", picture, *at, name).startswith(f"ranked by {name}, chosen with a chance")
    steady = run("search", picture, *at, "auto", "--exploring", 0)
    assert "a chance of 100%" in steady.splitlines()[0]
    assert "tried a different" not in steady
    tried = [run("search", picture, *at, "auto", "--exploring", 1) for _ in range(12)]
    assert any("tried a different configuration" in one for one in tried)
    told = json.loads(run("search", picture, *at, "vote", "--json"))
    assert (told["configuration"], told["propensity"], told["explored"]) == ("vote", 1.0, False)
    assert "as usual: no configuration can" in run("search", shelf / "blank.png", *at, "auto")


def test_a_search_says_who_failed(
    store: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is left out is named; when the one asked for fails, so is why the usual serves."""
    at = ("search", shelf / "3.png", "--store", store, "-k", 2, "--configuration")
    lost, name = ["akm-large:binary,l1,l1"], "saccade.engine.configurations.source.RawBags.scores"
    sound = ConfigurationView.scores

    def scores(self: Any, configuration: str, example: Any) -> Any:
        if configuration in lost:
            raise RuntimeError("out of order")
        return sound(self, configuration, example)

    monkeypatch.setattr(ConfigurationView, "scores", scores)
    assert run(*at, "vote").splitlines()[0].endswith(f"; without {lost[0]}, which failed")
    monkeypatch.setattr(name, lambda self, example: 1 / 0)
    first = run(*at, lost[0]).splitlines()[0]
    assert first == f"ranked as usual: {lost[0]} failed"
    told = json.loads(run(*at, lost[0], "--json"))
    assert (told["unconfigured"], told["dropped"]) == (f"{lost[0]} failed", lost)


def test_further_vocabularies_are_trained_by_a_command(store: Path) -> None:
    """It says what there is then; again, there is nothing to do."""
    told = json.loads(run("choosers", "train", "--store", store, "--json"))
    assert len(told["configurations"]) == 21
    assert "21 configurations" in run("choosers", "train", "--store", store)

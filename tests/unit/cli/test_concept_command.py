"""`saccade concept`, as a program would use it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import discs
from saccade.cli.app import build
from saccade.engine import Engine
from saccade.errors import SaccadeError


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the discs beside their pictures."""
    folder = tmp_path_factory.mktemp("concept")
    with Engine(folder / "discs.saccade", warm=False) as engine:
        engine.add(discs.draw(folder / "pictures"), recipe="embedding")
    return folder


@pytest.fixture
def say(place: Path):
    """Run a verb; what it prints, as JSON where that was asked for."""

    def run(*words: object, user: str = "ana") -> object:
        more = ["--store", str(place / "discs.saccade"), "--user", user]
        result = CliRunner().invoke(build(), ["concept", *map(str, words), *more])
        if isinstance(result.exception, SaccadeError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout) if "--json" in words else result.stdout

    return run


def test_a_concept_is_taught_ranked_and_shown(say, place, tmp_path) -> None:
    """Prefer, grade, rank, show: the same words as in Python, and a drawing of two panels."""
    things = place / "pictures" / "things"
    assert "folder:things" in say("list")
    told = say("prefer", "things", things / "disc-0.png", things / "plain-0.png", "--json")
    assert (told["name"], told["preferences"]) == ("folder:things", 1)
    assert "1 graded" in say("grade", "things", things / "disc-1.png", "good")
    found = say("rank", "things", "-k", 3, "--json")
    assert len(found["images"]) == 3
    assert found["learned"]
    assert Path(found["images"][0]["path"]).stem.startswith("disc")
    assert found["images"][0]["path"] in say("rank", "things")
    assert say("rank", "things", "--batch", "--json")["method"] == "mi-softmax"
    out = tmp_path / "maps" / "disc.png"
    shown = say("show", "things", things / "disc-5.png", "--out", out, "--json")
    assert (shown["about"], shown["trusted"], len(shown["brightest"])) == ("folder:things", True, 4)
    drawn = np.asarray(Image.open(out))
    assert drawn.shape == (72, 2 * 96 + 12, 3)
    assert np.array_equal(drawn[:, :96], np.asarray(Image.open(things / "disc-5.png")))
    # Some of the third panel is dark, which the picture itself is nowhere.
    assert drawn[:, -96:].max(axis=2).min() < 40 < drawn[:, :96].max(axis=2).min()


def test_before_anything_is_said_the_command_says_so(say) -> None:
    """The order is the collection's own."""
    assert "nothing is said" in say("rank", "others", user="bob")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("rank", "nothing"), 2),
        (("grade", "things", "{}", "great"), 2),
        (("show", "things", "/nowhere.png"), 3),
        (("show", "things", "{}", "--out", "/dev/null/x.png"), 2),
    ],
)
def test_what_cannot_be_done_has_an_exit_code(say, place, words, code) -> None:
    """And one sentence."""
    picture = str(place / "pictures" / "things" / "disc-0.png")
    with pytest.raises(SaccadeError) as caught:
        say(*(word.format(picture) for word in words))
    assert caught.value.exit_code == code

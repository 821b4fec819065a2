"""`saccade describe`: drawings a person can judge, and numbers for programs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from saccade.cli.describe import describe
from saccade.errors import InvalidInput, NotAnImage, NotFound


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    pixels = np.full((90, 120, 3), (60, 120, 60), np.uint8)
    pixels[:40] = (120, 170, 230)
    pixels[50:75, 30:60] = (200, 40, 40)
    path = tmp_path / "spot.png"
    Image.fromarray(pixels).save(path)
    return path


def run(*arguments: object) -> object:
    app = typer.Typer()
    app.command()(describe)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_drawings_are_written_beside_each_other(photo, tmp_path):
    """One PNG for saliency, one for regions, in a folder made when missing."""
    folder = tmp_path / "seen" / "here"
    text = run(photo, "--saliency", "--regions", "--out", folder)
    for name in ("spot-saliency.png", "spot-regions.png"):
        assert name in text
        with Image.open(folder / name) as drawn:
            assert drawn.size == (120, 90)


def test_json_names_regions_and_files(photo, tmp_path):
    """Programs read the same facts: regions with box and share, and where drawings lie."""
    found = json.loads(run(photo, "--saliency", "--regions", "--out", tmp_path, "--json"))
    assert Path(found["saliency"]).exists()
    assert Path(found["regions_drawn"]).exists()
    assert 4 <= len(found["regions"]) <= 12
    assert sum(region["area"] for region in found["regions"]) == pytest.approx(1, abs=0.01)
    assert "descriptors" not in found


def test_descriptors_are_computed_when_asked_for(photo):
    """Only those named, as whole vectors."""
    found = json.loads(run(photo, "--descriptor", "lbp", "--descriptor", "gist", "--json"))
    assert [(row["descriptor"], len(row["vector"])) for row in found["descriptors"]] == [
        ("lbp", 59),
        ("gist", 512),
    ]


def test_a_missing_file_is_named(tmp_path):
    """Not found is an error of its own."""
    with pytest.raises(NotFound, match=r"nothing\.jpg"):
        run(tmp_path / "nothing.jpg")


def test_a_file_that_is_no_picture_is_named(tmp_path):
    """The message says which file."""
    path = tmp_path / "notes.jpg"
    path.write_text("milk, eggs")
    with pytest.raises(NotAnImage, match=r"notes\.jpg"):
        run(path)


def test_a_folder_that_cannot_be_made_is_named(photo, tmp_path):
    """A file in the way of --out is an input error, with the next step."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(InvalidInput, match="--out"):
        run(photo, "--regions", "--out", tmp_path / "taken")

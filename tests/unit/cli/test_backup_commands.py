"""`saccade backup` and `saccade restore`, as a person types them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saccade.cli.app import build
from saccade.engine import Engine
from saccade.errors import InvalidInput, SaccadeError, StoreError


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build(), [str(argument) for argument in arguments])


@pytest.fixture
def store(indexed: Path, tmp_path: Path) -> Path:
    """A store that was taught."""
    place = shutil.copytree(indexed, tmp_path / "s.saccade")
    with Engine(place, warm=False) as engine:
        page = engine.search(engine.images(0, 1)[0].image_id, user="ana", k=5)
        engine.react(page, liked=[page.hits[1].image_id])
    return place


def digest(place: Path) -> str:
    told: str = json.loads(run("replay", "--store", place, "--json").output)["digest"]
    return told


def test_a_backup_comes_back_as_it_was(store: Path, tmp_path: Path) -> None:
    """Backed up, lost, restored: the same models, and the doctor is content."""
    before, backup = digest(store), tmp_path / "backup.saccade"
    assert run("backup", backup, "--store", store).exit_code == 0
    shutil.rmtree(store)
    assert run("restore", backup, "--into", store).exit_code == 0
    assert digest(store) == before
    assert run("doctor", "--store", store).exit_code == 0


def test_neither_writes_over_anything(store: Path, tmp_path: Path) -> None:
    """A place that exists is refused with exit code 2, and stays as it is."""
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "letter.txt").write_text("dear")
    for arguments in (("backup", taken, "--store", store), ("restore", store, "--into", taken)):
        error = run(*arguments).exception
        assert isinstance(error, InvalidInput)
        assert (error.exit_code, "exists already" in error.message) == (2, True)
    assert [file.name for file in taken.iterdir()] == ["letter.txt"]


def test_what_is_no_backup_is_not_restored(store: Path, tmp_path: Path) -> None:
    """Nothing there: exit code 3. A damaged one: 4. Neither leaves a store behind."""
    backup, into = tmp_path / "backup.saccade", tmp_path / "new.saccade"
    error = run("restore", backup, "--into", into).exception
    assert isinstance(error, SaccadeError)
    assert error.exit_code == 3
    run("backup", backup, "--store", store)
    file = next(backup.rglob("columns/lbp/*.npy"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    error = run("restore", backup, "--into", into).exception
    assert isinstance(error, StoreError)
    assert error.exit_code == 4
    assert not into.exists()

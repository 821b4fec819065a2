"""What the command line tells about itself, and to whom."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

SACCADE = [sys.executable, "-c", "from saccade.cli import main; main()"]


def run(*arguments: object, **environment: str) -> str:
    """What a command wrote on standard error."""
    done = subprocess.run(
        [*SACCADE, *map(str, arguments)],
        capture_output=True, text=True, check=True, env=os.environ | environment,
    )  # fmt: skip
    return done.stderr


@pytest.fixture
def store(indexed: Path, tmp_path: Path) -> Path:
    """A copy of the indexed store, whose note of the last event cannot be read."""
    copy = Path(shutil.copytree(indexed, tmp_path / "a \x1b[2J.saccade"))
    (copy / "log.witness").unlink(missing_ok=True)
    (copy / "log.witness").mkdir()
    return copy


def test_a_verb_is_quiet(store: Path) -> None:
    """What is put up with is nobody's business until somebody asks."""
    assert run("retention", "--store", store) == ""


@pytest.mark.parametrize("asked", [("--verbose",), ("-v",), ("-vv",)])
def test_verbose_tells_what_is_done_and_what_was_put_up_with(
    store: Path, asked: tuple[str, ...]
) -> None:
    """Lines of key=value under the module's name, and a traceback."""
    told = run(*asked, "retention", "--store", store)
    assert "INFO saccade.store.store: opened store=" in told
    assert "WARNING saccade.store.witness: swallowed doing='reading which event was" in told
    assert "error=IsADirectoryError" in told
    assert told.count("Traceback") == 1


def test_a_name_cannot_move_the_cursor(store: Path) -> None:
    """Control characters of a path are written out."""
    told = run("--verbose", "retention", "--store", store)
    assert "\x1b" not in told
    assert "a \\x1b[2J.saccade" in told


def test_the_environment_can_ask_too(store: Path) -> None:
    """SACCADE_LOG is --verbose for whoever cannot change the command."""
    for level in ("INFO", "debug", "yes"):
        told = run("retention", "--store", store, SACCADE_LOG=level)
        assert "INFO saccade.store.store: opened" in told
    assert "INFO" not in run("retention", "--store", store, SACCADE_LOG="WARNING")


def test_processes_that_it_starts_tell_as_much(tmp_path: Path) -> None:
    """What a decoding process puts up with is on the same standard error."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    Image.new("RGB", (32, 24), "teal").save(folder / "odd.png", icc_profile=b"no profile")
    told = run("-vv", "index", folder, "--into", tmp_path / "s", "--recipe", "lbp")
    assert "DEBUG saccade.scale.processes: started module=saccade.scale.decoder" in told
    assert "WARNING saccade.images.colour: swallowed doing='applying a colour profile'" in told

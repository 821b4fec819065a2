"""`saccade jobs`: asked for, listed, done and cancelled from a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import taken
from saccade.cli.app import build
from saccade.engine import Engine


@pytest.fixture
def say(tmp_path: Path):
    """Run the verb on an empty store; what it prints."""
    Engine(tmp_path / "jobs.saccade", warm=False).close()

    def run(*words: object) -> str:
        more = ["--store", str(tmp_path / "jobs.saccade")]
        result = CliRunner().invoke(build(), ["jobs", *map(str, words), *more])
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def test_a_job_is_asked_for_and_done(say, tmp_path: Path) -> None:
    """By the same program, where no server is."""
    folder = taken.draw(tmp_path / "pictures")
    more = ("--folder", folder, "--recipe", "color-histogram", "--json")
    job = json.loads(say("post", "index", *more))
    assert job["state"] == "waiting"
    assert job["job_id"] in say("list")
    (done,) = json.loads(say("run", "--json"))
    assert (done["state"], done["result"]["added"]) == ("done", 5)
    assert say("run") == ""


def test_a_job_is_cancelled(say) -> None:
    """Before anybody works on it; the kinds are told."""
    job = json.loads(say("post", "reindex", "--json"))
    assert "cancelled" in say("cancel", job["job_id"])
    assert "backup" in say("kinds")

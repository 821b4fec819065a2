"""`saccade token`: made, listed, taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saccade.cli.app import build
from saccade.engine import Engine


def run(*arguments: object) -> str:
    """What a command prints."""
    done = CliRunner().invoke(build(), [str(one) for one in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store without pictures: whoever re-ranks needs none."""
    Engine(tmp_path / "shop.saccade", warm=False).close()
    return tmp_path / "shop.saccade"


def test_a_token_is_made_listed_and_taken_back(store: Path) -> None:
    """Printed once, known by its short name, and gone."""
    done = run("token", "create", "--user", "ana", "--role", "viewer", "--store", store)
    key, told = done.splitlines()
    assert key.startswith("saccade_")
    assert "ana comes in as viewer" in told
    (one,) = json.loads(run("token", "list", "--json", "--store", store))
    assert (one["user"], one["role"], one["expires"]) == ("ana", "viewer", None)
    assert key not in run("token", "list", "--store", store)
    assert one["token_id"] in told
    assert "opens nothing" in run("token", "revoke", one["token_id"], "--store", store)
    assert "no tokens" in run("token", "list", "--store", store)


def test_a_token_says_when_it_ends(store: Path) -> None:
    """In the list, too."""
    done = run("token", "create", "--user", "bob", "--days", "30", "--json", "--store", store)
    made = json.loads(done)
    assert made["expires"] == made["created"] + 30 * 86_400
    assert made["role"] == "teacher"
    listed = run("token", "list", "--store", store)
    assert made["token_id"] in listed
    assert "always" not in listed

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from saccade.studies import machine


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with nothing in it."""
    monkeypatch.setattr(machine, "PACKAGE", tmp_path)
    return tmp_path


def test_a_built_package_has_its_commit_written_down(package: Path) -> None:
    """Where there is no git and no history."""
    (package / machine.STAMP).write_text("0123456789ab+\n")
    assert machine.commit() == "0123456789ab+"


@pytest.mark.parametrize("stamp", [None, b"", b"\n", b"\xff\xfe"])
def test_without_a_stamp_or_a_history_the_commit_is_unknown(
    package: Path, stamp: bytes | None
) -> None:
    """Missing, empty or no text: nothing fails."""
    if stamp is not None:
        (package / machine.STAMP).write_bytes(stamp)
    assert machine.commit() == machine.UNKNOWN


def test_the_commit_of_somebody_elses_repository_is_not_ours(package: Path) -> None:
    """Installed inside a project under git, the package has no commit of its own."""
    for command in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(["git", "-C", str(package), *command], check=True)
    assert machine.commit() == machine.UNKNOWN


def test_without_git_the_commit_is_unknown(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has none."""
    monkeypatch.setenv("PATH", str(package))
    assert machine.commit() == machine.UNKNOWN

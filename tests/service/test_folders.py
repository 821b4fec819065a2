"""Pictures that come, go or move in a folder are noticed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from saccade.service.folders import FolderWatch


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "1.jpg").write_bytes(b"1")
    return tmp_path


def later(folder: Path, by: int) -> None:
    """A folder's time, so many seconds later: clocks of disks are coarse."""
    os.utime(folder, ns=(1, folder.stat().st_mtime_ns + by * 10**9))


def test_a_change_is_told_once_it_has_been_quiet(root: Path) -> None:
    """Not at the first look, not while more comes, and once."""
    watch, roots = FolderWatch(), [str(root)]
    assert watch.changed(roots) == []
    assert watch.changed(roots) == []
    (root / "a" / "deep" / "2.jpg").write_bytes(b"2")
    later(root / "a" / "deep", 1)
    assert watch.changed(roots) == []
    later(root / "a" / "deep", 2)
    assert watch.changed(roots) == []
    assert watch.changed(roots) == roots
    assert watch.changed(roots) == []


def test_a_new_folder_and_a_lost_one_are_changes(root: Path) -> None:
    """And what lies in the new one is looked at from then on."""
    watch, roots = FolderWatch(), [str(root)]
    watch.changed(roots)
    (root / "b").mkdir()
    later(root, 1)
    assert (watch.changed(roots), watch.changed(roots)) == ([], roots)
    later(root / "b", 1)
    assert (watch.changed(roots), watch.changed(roots)) == ([], roots)
    (root / "b").rmdir()
    later(root, 3)
    assert (watch.changed(roots), watch.changed(roots)) == ([], roots)


def test_a_root_that_is_away_is_left_alone(root: Path, tmp_path: Path) -> None:
    """A drive that is not there is no reason to do anything, and nothing has changed after it."""
    watch, roots = FolderWatch(), [str(root / "a")]
    watch.changed(roots)
    (root / "a").rename(root / "z")
    assert [watch.changed(roots) for _ in range(2)] == [[], []]
    (root / "z").rename(root / "a")
    assert [watch.changed(roots) for _ in range(2)] == [[], []]
    assert watch.changed([str(root / "nowhere")]) == []

"""The power fails at any moment: nothing acknowledged is lost."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from random import Random

import pytest

from powerloss.disk import Disk
from powerloss.recorder import Step, record, why_not
from powerloss.trial import Life, cuts, differences, lived, trial
from saccade.testbed import worlds

RECORDED = pytest.mark.skipif(why_not() is not None, reason=f"no recording: {why_not()}")


def after(*steps: Step, fate: str = "lost", seed: int = 0) -> dict[str, bytes | None]:
    """What is found of a tree `/d` after some steps."""
    disk = Disk("/d")
    for step in (Step("mkdir", "/d"), Step("sync", "/"), *steps):
        disk.take(step)
    found = disk.after_power_loss(fate, Random(seed))
    assert found.pop("/d") is None
    return found


NEW = (Step("create", "/d/a"), Step("write", "/d/a", data=b"new"))


def test_a_file_without_a_sync_is_lost() -> None:
    """Bytes or name alone are not enough."""
    assert after(*NEW) == {}
    assert after(*NEW, Step("sync", "/d/a")) == {}
    assert after(*NEW, Step("sync", "/d")) == {"/d/a": b""}
    assert after(*NEW, Step("sync", "/d/a"), Step("sync", "/d")) == {"/d/a": b"new"}


def test_a_new_folder_is_lost_with_all_that_is_in_it() -> None:
    """Unless the folder above it was synced."""
    steps = (
        Step("mkdir", "/d/e"),
        Step("create", "/d/e/a"),
        Step("write", "/d/e/a", data=b"x"),
        Step("sync", "/d/e/a"),
        Step("sync", "/d/e"),
    )
    assert after(*steps) == {}
    assert after(*steps, Step("sync", "/d")) == {"/d/e": None, "/d/e/a": b"x"}


def test_a_rename_lasts_when_its_folder_is_synced() -> None:
    """Until then the old name is found, or the new one, and never the new one half."""
    safe = (*NEW, Step("sync", "/d/a"), Step("sync", "/d"))
    moved = (*safe, Step("rename", "/d/a", "/d/b"))
    assert after(*moved) == {"/d/a": b"new"}
    assert after(*moved, Step("sync", "/d")) == {"/d/b": b"new"}
    assert after(*moved, fate="kept") == {"/d/b": b"new"}
    assert {tuple(after(*moved, fate="torn", seed=n)) for n in range(20)} == {("/d/a",), ("/d/b",)}


def test_a_renamed_file_whose_bytes_were_not_synced_is_empty() -> None:
    """The classic: the name is there and nothing behind it."""
    steps = (*NEW, Step("rename", "/d/a", "/d/b"))
    assert after(*steps, fate="names") == {"/d/b": b""}


def test_unsynced_writes_are_torn_in_every_way() -> None:
    """Sectors kept, lost, and zeros where a file grew; never a byte that was not written."""
    old, new = b"o" * 1024, b"n" * 1024
    steps = (
        Step("create", "/d/a"),
        Step("write", "/d/a", data=old),
        Step("sync", "/d/a"),
        Step("sync", "/d"),
        Step("write", "/d/a", offset=512, data=new),
    )
    found = {after(*steps, fate="torn", seed=n)["/d/a"] for n in range(200)}
    head, kept, zero = b"o" * 512, b"n" * 512, bytes(512)
    assert found == {
        old,
        head + kept + kept,
        head + kept,
        head + b"o" * 512 + kept,
        old + zero,
    }


PROGRAM = """
    import os, shutil, sqlite3, sys
    sys.path.insert(0, {support!r})
    from powerloss.recorder import announce_to
    announce_to(int(sys.argv[-1]))
    os.chdir({folder!r})
    os.makedirs("one/two")
    with open("one/a", "w") as file:
        file.write("first")
        file.flush()
        os.fsync(file.fileno())
    with open("one/a", "a") as file:
        file.write(" second")
    with open("one/a", "r+") as file:
        file.seek(3)
        file.write("XY")
        file.truncate(9)
    shutil.copyfile("one/a", "one/copy")
    os.rename("one", "uno")
    os.link("uno/a", "uno/same")
    os.replace("uno/copy", "uno/two/moved")
    os.mkdir("gone"); os.rmdir("gone")
    open("gone", "w").close(); os.unlink("gone")
    base = sqlite3.connect("base.sqlite")
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("CREATE TABLE t (n)")
    for n in range(50):
        with base:
            base.execute("INSERT INTO t VALUES (?)", [n * "x"])
    base.execute("PRAGMA wal_checkpoint(PASSIVE)")
    with base:
        base.execute("DELETE FROM t WHERE length(n) > 25")
    os.write(os.open("../marks", os.O_WRONLY | os.O_CREAT, 0o644), b"done")
    os._exit(0)   # the files are left as they are
"""


@RECORDED
def test_every_change_of_a_program_is_recorded(tmp_path: Path) -> None:
    """Replayed, the recording gives the files the program left behind, SQLite's among them."""
    folder = tmp_path.resolve() / "disk"
    folder.mkdir()
    support = str(Path(__file__).parents[1] / "support")
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(PROGRAM).format(support=support, folder=str(folder)))
    steps = record([sys.executable, str(script)], folder)
    assert differences(Life(folder, tuple(steps))) == []
    assert (folder / "uno" / "two" / "moved").read_text() == "firXY sec"
    assert steps[-1] == Step("mark", "", data=b"done")
    synced = [step.path for step in steps if step.kind == "sync"]
    assert str(folder / "one" / "a") in synced
    assert str(folder / "base.sqlite-wal") in synced or str(folder / "base.sqlite") in synced


@RECORDED
def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    """A life in a store, cut at some moments; `endurance/power_cuts.py` cuts it at a thousand."""
    worlds.write(tmp_path / "pictures", images=14, seed=4, size=(96, 72))
    life = lived(tmp_path, tmp_path / "pictures")
    assert differences(life) == []
    assert {json.loads(s.data)["act"] for s in life.steps if s.kind == "mark"} >= {"trained"}
    for cut, fate in cuts(life, 16, seed=1):
        outcome = trial(life, cut, fate, tmp_path / "found")
        assert not outcome.wrong, outcome

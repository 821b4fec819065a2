"""A copy says that it is verified where it is, and what is damaged where something is."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from typer.testing import CliRunner, Result

from saccade.cli.app import build
from saccade.engine import Engine
from saccade.errors import StoreError, StoreFull
from saccade.store import backup as copying
from saccade.store import files
from saccade.testbed import worlds


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("backups")
    worlds.write(place / "pictures", images=12, seed=2, size=(96, 72))
    with Engine(place / "sound.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp,words")
        page = engine.search(engine.images(0, 1)[0].image_id, user="ana", k=6)
        engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])
    return place / "sound.saccade"


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "s.saccade")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build(), [str(argument) for argument in arguments])


def flip(file: Path) -> None:
    """Turn one bit round in the middle of a file."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x10
    file.write_bytes(data)


def damage(store: Path, kind: str) -> str:
    """Damage something of a kind; returns what must be told of it."""
    if kind == "event":
        with sqlite3.connect(store / "catalog.sqlite") as raw:
            raw.execute("UPDATE events SET at = at + 1 WHERE event = 2")
        raw.close()
        return "event 2"
    pattern = {"words": "words/*.npz", "thumbs": "thumbs/*/*.webp", "columns": "columns/lbp/*"}
    file = sorted(store.glob(pattern[kind]))[0]
    flip(file)
    return file.name


KINDS = ["event", "words", "thumbs", "columns"]


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_named_and_nothing_is_called_verified(
    store: Path, tmp_path: Path, kind: str
) -> None:
    """No copy is made; with --damaged one is, which says so and fails."""
    told = damage(store, kind)
    done = run("backup", tmp_path / "b.saccade", "--store", store)
    assert isinstance(done.exception, StoreError)
    assert told in done.exception.message
    assert not (tmp_path / "b.saccade").exists()
    done = run("backup", tmp_path / "b.saccade", "--store", store, "--damaged")
    assert (done.exit_code, told in done.stdout) == (1, True)
    assert "verified" not in done.output
    assert (tmp_path / "b.saccade" / "catalog.sqlite").exists()
    done = run("restore", tmp_path / "b.saccade", "--into", tmp_path / "r.saccade")
    assert isinstance(done.exception, StoreError)
    assert not (tmp_path / "r.saccade").exists()


def test_what_is_told_is_counted(store: Path, tmp_path: Path) -> None:
    """As many files, images and events as there are; the manifest lists each with its checksum."""
    done = run("backup", tmp_path / "b.saccade", "--store", store)
    listed = json.loads((tmp_path / "b.saccade" / "manifest.json").read_text())["files"]
    there = [path for path in (tmp_path / "b.saccade").rglob("*") if path.is_file()]
    names = {str(path.relative_to(tmp_path / "b.saccade")) for path in there}
    assert names - {"manifest.json"} == set(listed)
    assert f"12 images and 3 events in {len(listed)} files" in done.stdout
    assert done.stdout.endswith("read back and verified\n")
    for name, digest in listed.items():
        assert files.digest_of(tmp_path / "b.saccade" / name) == digest


@pytest.mark.parametrize("change", ["another name", "one less", "one more"])
def test_a_list_that_names_other_files_is_found(store: Path, tmp_path: Path, change: str) -> None:
    """A file that the list of a copy leaves out is verified by nobody."""
    backup = tmp_path / "b.saccade"
    run("backup", backup, "--store", store)
    manifest = json.loads((backup / "manifest.json").read_text())
    name = next(name for name in manifest["files"] if name.startswith("thumbs/"))
    if change != "one more":
        digest = manifest["files"].pop(name)
    if change != "one less":
        manifest["files"]["thumbs/00/another.webp"] = "0" * 64 if change == "one more" else digest
    (backup / "manifest.json").write_text(json.dumps(manifest))
    done = run("restore", backup, "--into", tmp_path / "r.saccade")
    assert isinstance(done.exception, StoreError)
    assert ("another.webp" if change == "one more" else name) in str(done.exception)
    assert not (tmp_path / "r.saccade").exists()


def test_a_bit_that_turns_in_any_file_of_a_copy_is_found(store: Path, tmp_path: Path) -> None:
    """When it is brought back, by the name of the file, whatever kind of file it is."""
    backup, into = tmp_path / "b.saccade", tmp_path / "r.saccade"
    run("backup", backup, "--store", store)
    kinds: dict[tuple[str, str], Path] = {}
    for path in sorted(path for path in backup.rglob("*") if path.is_file()):
        place = path.relative_to(backup)
        kinds.setdefault((place.parts[0], place.name.split(".", 1)[-1]), path)
    wanted = {kind: path for kind, path in kinds.items() if path.name != "log.witness"}
    assert len(wanted) > 8
    for path in wanted.values():
        before = path.read_bytes()
        flip(path)
        done = run("restore", backup, "--into", into)
        assert isinstance(done.exception, StoreError), path
        assert path.name in str(done.exception), path
        assert not into.exists()
        path.write_bytes(before)
    assert run("restore", backup, "--into", into).exit_code == 0


def test_a_copy_that_cannot_be_read_back_is_not_verified(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk below it gives other bytes than were written."""
    plain = files.digest_of

    def digest_of(file: Path, *, cached: bool = True) -> str:
        return "other" if not cached and "lbp" in str(file) else plain(file, cached=cached)

    monkeypatch.setattr(files, "digest_of", digest_of)
    done = run("backup", tmp_path / "b.saccade", "--store", store)
    assert isinstance(done.exception, StoreError)
    assert "cannot be read back as it was written" in done.exception.message
    assert os.listdir(tmp_path) == ["s.saccade"]


def test_a_disk_without_room_for_a_copy_is_one_sentence(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the catalog has no room or a file; nothing is left of the attempt."""
    plain = sqlite3.connect

    def small(file: str, *args: object, **options: object) -> sqlite3.Connection:
        made = plain(file, *args, **options)  # type: ignore[call-overload]
        if ".part" in str(file):
            made.execute("PRAGMA max_page_count = 2")
        return made

    with monkeypatch.context() as full:
        full.setattr(sqlite3, "connect", small)
        done = run("backup", tmp_path / "b.saccade", "--store", store)
    assert isinstance(done.exception, StoreFull)
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", lambda handle: _no_room())
        done = run("backup", tmp_path / "b.saccade", "--store", store)
    assert isinstance(done.exception, StoreFull)
    assert os.listdir(tmp_path) == ["s.saccade"]


def _no_room() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_every_folder_of_a_copy_is_synced(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names in words and thumbs last like those of columns."""
    synced: set[str] = set()
    plain = files.sync_folder

    def sync_folder(folder: Path) -> None:
        synced.add(str(folder))
        plain(folder)

    monkeypatch.setattr(files, "sync_folder", sync_folder)
    assert run("backup", tmp_path / "b.saccade", "--store", store).exit_code == 0
    draft = str(tmp_path / f".b.saccade.{os.getpid()}.part")
    folders = [path for path in (tmp_path / "b.saccade").rglob("*") if path.is_dir()]
    wanted = {str(path).replace(str(tmp_path / "b.saccade"), draft) for path in folders}
    assert wanted | {draft, str(tmp_path)} <= synced


def test_a_store_in_use_has_no_manifest(store: Path, tmp_path: Path) -> None:
    """A copy that is searched and taught is a store like others, and comes back as one."""
    backup = tmp_path / "b.saccade"
    run("backup", backup, "--store", store)
    assert (backup / "manifest.json").exists()
    with Engine(backup, warm=False) as engine:
        engine.undo("ana")
    assert not (backup / "manifest.json").exists()
    done = run("restore", backup, "--into", tmp_path / "r.saccade")
    assert (done.exit_code, "verified" in done.stdout) == (0, True)


def test_bringing_back_changes_nothing_in_a_copy(store: Path, tmp_path: Path) -> None:
    """Not a byte, not a file beside it."""
    backup = tmp_path / "b.saccade"
    run("backup", backup, "--store", store)
    before = {path: path.read_bytes() for path in backup.rglob("*") if path.is_file()}
    assert run("restore", backup, "--into", tmp_path / "r.saccade").exit_code == 0
    assert {path: path.read_bytes() for path in backup.rglob("*") if path.is_file()} == before


def killed_copy(store: Path, place: Path) -> None:
    """A process that makes a copy and is killed before it has its name."""
    code = (
        "import os, sys; from saccade.store import backup; from saccade.store.store import Store\n"
        "backup._verified = lambda *_: os._exit(9)\n"
        "backup.back_up(Store(sys.argv[1]), sys.argv[2])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(store), str(place)], check=False)
    assert done.returncode == 9


def test_what_killed_copies_left_is_removed_by_the_next(store: Path, tmp_path: Path) -> None:
    """And nothing else: not the draft of one that lives, not a folder of somebody's."""
    killed_copy(store, tmp_path / "b.saccade")
    (left,) = tmp_path.glob(".b.saccade.*.part")
    assert (left / "catalog.sqlite").exists()
    living = shutil.copytree(left, tmp_path / ".c.saccade.1.part")
    strange = tmp_path / ".letters.2.part"
    strange.mkdir()
    (strange / "mother.txt").write_text("dear")
    (tmp_path / f".d.saccade.{os.getpid()}.part").mkdir()  # it has no lock yet
    with FileLock(living / copying.LOCK):
        assert run("backup", tmp_path / "e.saccade", "--store", store).exit_code == 0
    left_now = sorted(path.name for path in tmp_path.glob(".*.part"))
    assert left_now == sorted([living.name, strange.name, f".d.saccade.{os.getpid()}.part"])
    assert run("backup", tmp_path / "f.saccade", "--store", store).exit_code == 0
    assert not living.exists()

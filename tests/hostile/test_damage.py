"""One bit flips, in any file of a store: it is found by name and mended; searching goes on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from saccade.engine import Engine, opened
from saccade.errors import StoreError
from saccade.store import columns
from saccade.store.store import Store
from saccade.testbed import worlds

RECIPE = "color-histogram,lbp,words"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("damage")
    worlds.write(place / "pictures", images=12, seed=2, size=(96, 72))
    with Engine(place / "sound.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe=RECIPE)
    return place / "sound.saccade"


def kinds(store: Path) -> Iterator[Path]:
    """One file of each kind; SQLite looks after its own."""
    seen: set[tuple[str, ...]] = set()
    for file in sorted(path for path in store.rglob("*") if path.is_file()):
        place = file.relative_to(store)
        folder = place.parts[:-1] if place.parts[0] == "columns" else place.parts[:1]
        kind = (*folder, place.name.split(".", 1)[-1])
        if kind not in seen and len(place.parts) > 1:
            seen.add(kind)
            yield place


def found(engine: Engine) -> list[str]:
    image = engine.images(2, 1)[0].image_id
    return [hit.image_id for hit in engine.search(image, k=8).hits]


def test_a_flipped_bit_anywhere_is_named_and_mended(sound: Path, tmp_path: Path) -> None:
    """The store opens and searches before the repair; after it, it answers as it did."""
    with Engine(shutil.copytree(sound, tmp_path / "same.saccade"), warm=False) as engine:
        expected = found(engine)
    every = list(kinds(sound))
    assert len(every) > 12
    for place in every:
        copy = shutil.copytree(sound, tmp_path / "s.saccade", dirs_exist_ok=False)
        data = bytearray((copy / place).read_bytes())
        data[len(data) * 2 // 3] ^= 0x40
        (copy / place).write_bytes(data)
        with Engine(copy, warm=False) as engine:
            assert found(engine), place
            told = [f"{f.place} {f.problem}" for f in engine.library.doctor()]
            assert any(place.name in one for one in told), place
            findings = engine.library.doctor(repair=True)
            assert findings, place
            assert all(finding.repaired for finding in findings), place
            assert engine.library.doctor() == (), place
            assert found(engine) == expected, place
        shutil.rmtree(copy)


def test_a_damaged_thumbnail_is_never_shown(sound: Path, tmp_path: Path) -> None:
    """It is made again as soon as somebody looks at it."""
    with Engine(shutil.copytree(sound, tmp_path / "s.saccade"), warm=False) as engine:
        image = engine.images(0, 1)[0].image_id
        before = engine.library.thumbnail(image)
        file = engine.path / "thumbs" / image[:2] / f"{image}.webp"
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        assert engine.library.thumbnail(image) == before
        assert engine.library.doctor() == ()


def loop(file: Path) -> None:
    """A link to itself in the place of a file."""
    file.unlink(missing_ok=True)
    file.symlink_to(file)


def folder(file: Path) -> None:
    """A folder with something in it in the place of a file."""
    file.unlink(missing_ok=True)
    file.mkdir()
    (file / "letter.txt").write_text("Dear mother,")


@pytest.mark.parametrize("damage", [folder, loop])
@pytest.mark.parametrize("pattern", ["thumbs/*/*.webp", "words/*.npz"])
def test_what_is_no_file_is_mended_as_a_missing_one(
    sound: Path, tmp_path: Path, pattern: str, damage: Callable[[Path], None]
) -> None:
    """The store opens and searches; the repair makes way, and deletes nothing that has content."""
    copy = shutil.copytree(sound, tmp_path / "s.saccade")
    with Engine(copy, warm=False) as engine:
        expected = found(engine)
    file = sorted(copy.glob(pattern))[0]
    damage(file)
    with Engine(copy, warm=False) as engine:
        assert found(engine)
        assert all(finding.repaired for finding in engine.library.doctor(repair=True))
        assert engine.library.doctor() == ()
        assert found(engine) == expected
    assert file.is_file()
    kept = [place.read_text() for place in copy.rglob("letter.txt")]
    assert kept == (["Dear mother,"] if damage is folder else [])


def test_a_folder_in_the_place_of_the_lock_locks_nothing(sound: Path, tmp_path: Path) -> None:
    """It is put aside, and whoever indexes holds the lock."""
    copy = shutil.copytree(sound, tmp_path / "s.saccade")
    folder(copy / "index.lock")
    with Engine(copy, warm=False) as engine:
        assert engine.library.doctor() == ()
    assert (copy / "index.lock.1.aside" / "letter.txt").exists()


def vectors_of(store: Path) -> Path:
    """A file of a column that a search reads."""
    return next((store / "columns" / "color-histogram").glob("*.vectors.npy"))


def test_a_large_file_is_verified_behind_and_let_go_where_it_is_damaged(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is open before; afterwards its column is named, and the others serve."""
    monkeypatch.setattr(columns, "BEHIND", 0)
    monkeypatch.setattr(opened, "_PAUSE", 0.0)
    copy = shutil.copytree(sound, tmp_path / "s.saccade")
    with Engine(copy, warm=False) as engine:
        verified(engine)
        assert engine.library.report().incomplete == ()
        expected = found(engine)
    file = vectors_of(copy)
    data = bytearray(file.read_bytes())
    data[-5] ^= 0x01
    file.write_bytes(data)
    with Engine(copy, warm=False) as engine:
        verified(engine)
        assert "color-histogram" in engine.library.report().incomplete
        assert found(engine)
        assert all(finding.repaired for finding in engine.library.doctor(repair=True))
        assert found(engine) == expected


def test_what_is_made_of_columns_is_made_of_verified_ones(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever indexes waits for large files, too: joined segments get checksums of their own."""
    monkeypatch.setattr(columns, "BEHIND", 0)
    copy = shutil.copytree(sound, tmp_path / "s.saccade")
    data = bytearray(vectors_of(copy).read_bytes())
    data[-5] ^= 0x01
    vectors_of(copy).write_bytes(data)
    with closing(Store(copy)) as store:
        (segment,) = [s for s in store.columns.segments() if s.name == "color-histogram"]
        assert "vectors" in store.columns.load(segment)
        with store.indexing(), pytest.raises(StoreError, match="does not match its checksum"):
            store.columns.load(segment)


def test_closing_does_not_wait_for_what_is_verified_behind(
    sound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it would take."""
    monkeypatch.setattr(columns, "BEHIND", 0)
    monkeypatch.setattr(opened, "_PAUSE", 3600.0)
    Engine(sound, warm=False).close()


def verified(engine: Engine) -> None:
    """Wait until all that is mapped is verified."""
    thread = engine._opened._verifying
    assert thread is not None
    thread.join()
    assert not engine._opened.store.columns.owed

from __future__ import annotations

import errno
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sql

from inside import database_of, store_of
from saccade.engine import Engine
from saccade.errors import InvalidInput, NotFound, StoreBusy, StoreError, StoreFormat
from saccade.store import arrays as bundles
from saccade.store import files
from saccade.store.catalog import NewImage
from saccade.store.formats import FORMAT
from saccade.store.store import Store

RECIPE = "color-histogram,lbp"


def ids(engine: Engine) -> list[str]:
    return [image.image_id for image in engine.images(0, 1000)]


@contextmanager
def every_connection(engine: Engine, inside: str, outside: str) -> Iterator[None]:
    """Runs one statement on each connection as it is used within the block, another after it."""
    now = inside

    def prepare(raw: sqlite3.Connection, *_: object) -> None:
        raw.execute(now)

    pool = database_of(engine)._engine
    sql.event.listen(pool, "checkout", prepare)
    try:
        yield
    finally:
        now = outside


# -- opening ---------------------------------------------------------------------------------------


def test_a_newer_format_is_refused_by_its_number(tmp_path: Path) -> None:
    """Nothing in the store is touched."""
    place = tmp_path / "new.saccade"
    Store(place).close()
    with sqlite3.connect(place / "catalog.sqlite") as raw:
        raw.execute("UPDATE meta SET value = '7' WHERE key = 'format'")
    raw.close()
    before = (place / "catalog.sqlite").read_bytes()
    with pytest.raises(StoreFormat, match=rf"format 7, this Saccade reads up to {FORMAT}"):
        Store(place)
    assert (place / "catalog.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    "name", ["what? ana", "a%20b#frag", "100%", "a+b&c=d", ":memory:", "file:x?mode=ro", "é\udcff"]
)
def test_any_name_of_a_folder_is_a_place_for_a_store(tmp_path: Path, name: str) -> None:
    """The catalog lies in the folder that was named, and in no other."""
    one, two = Store(tmp_path / name), Store(tmp_path / f"{name}2")
    one.commit(images=[NewImage("a" * 32, 4, 3)])
    assert [store.catalog.total() for store in (one, two)] == [1, 0]
    one.close()
    two.close()
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / name, tmp_path / f"{name}2"])
    again = Store(tmp_path / name, create=False)
    assert again.catalog.total() == 1
    again.close()


def test_a_folder_of_other_things_is_no_store(tmp_path: Path) -> None:
    """Somebody's files are left alone."""
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "mother.txt").write_text("Dear")
    with pytest.raises(StoreFormat, match="holds other files and is no store"):
        Store(tmp_path / "letters")
    assert [file.name for file in (tmp_path / "letters").iterdir()] == ["mother.txt"]


def test_a_file_is_no_store(tmp_path: Path) -> None:
    """Nor is a place below a file."""
    file = tmp_path / "photos.saccade"
    file.write_text("a file")
    with pytest.raises(InvalidInput, match="is a file; a store is a folder"):
        Store(file)
    with pytest.raises(StoreError, match="cannot be used: Not a directory"):
        Store(file / "below" / "it")


def test_a_missing_store_is_not_made_when_only_looking(tmp_path: Path) -> None:
    """A typing error makes no folder."""
    with pytest.raises(NotFound, match="no store at"):
        Store(tmp_path / "tpyo.saccade", create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_catalog_of_garbage_is_refused(tmp_path: Path, content: bytes) -> None:
    """The sentence says that it is damaged."""
    (tmp_path / "catalog.sqlite").write_bytes(content)
    with pytest.raises(StoreFormat, match="not a Saccade catalog, or damaged"):
        Store(tmp_path)


def test_an_empty_catalog_is_the_beginning_of_a_store(tmp_path: Path) -> None:
    """A process killed in its first moment leaves one."""
    (tmp_path / "catalog.sqlite").touch()
    store = Store(tmp_path)
    assert store.catalog.total() == 0
    store.close()


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.EPERM])
def test_a_read_only_place_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Permissions do not bind the user that tests may run as, so the answer is simulated."""

    def refuse(self: Path, *args: object, **kwargs: object) -> None:
        raise OSError(code, "no")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreError, match=r"read-only for this user.*another place"):
        Store(tmp_path / "store")


def test_a_folder_that_cannot_be_looked_into_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check for a store must not end in a traceback itself."""

    def refuse(self: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "exists", refuse)
    with pytest.raises(StoreError, match="cannot write to"):
        Store(tmp_path / "store")


def test_a_read_only_catalog_is_one_sentence(engine: Engine, first: str) -> None:
    """Feedback that cannot be stored is refused; a search goes on and says it was not logged."""
    page = engine.search(first, k=3)
    before = engine.digest
    with every_connection(engine, "PRAGMA query_only=ON", "PRAGMA query_only=OFF"):
        with pytest.raises(StoreError, match="read-only"):
            engine.react(page, liked=[page.hits[-1].image_id])
        again = engine.search(first, k=3)
    assert again.unlogged == "the store is read-only"
    assert [hit.image_id for hit in again.hits] == [hit.image_id for hit in page.hits]
    assert engine.people.list() == ()
    assert engine.digest == before


# -- a full disk -----------------------------------------------------------------------------------


def test_a_disk_full_of_columns_loses_nothing(
    tmp_path: Path, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was stored stays, the run ends with one sentence, the next one completes it."""
    written = 0
    plain = files.write_array

    def full(file: Path, array: np.ndarray) -> str:
        nonlocal written
        written += 1
        if written > 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        return plain(file, array)

    monkeypatch.setattr("saccade.engine.indexing.crew.FILES_A_TASK", 8)
    monkeypatch.setattr("saccade.engine.indexing.run.IMAGES_A_COMMIT", 8)
    with Engine(tmp_path / "store.saccade", warm=False) as engine:
        with monkeypatch.context() as patch:
            patch.setattr(files, "write_array", full)
            with pytest.raises(StoreError, match=r"disk that holds .* is full; nothing stored"):
                engine.add(pictures, recipe=RECIPE)
        assert len(engine) == 8
        assert engine.library.report().incomplete == ("graph",)  # it was not its turn yet
        assert engine.add(pictures).added == 28
        assert engine.library.doctor() == ()


def test_a_disk_full_of_rows_loses_nothing(tmp_path: Path, pictures: Path) -> None:
    """SQLite's own limit stands in for the disk's."""
    with Engine(tmp_path / "store.saccade", warm=False) as engine:
        for file in sorted(pictures.rglob("*.*"))[10:]:
            file.rename(tmp_path / f"{file.parent.name}-{file.name}")
        engine.add(pictures, recipe=RECIPE)
        before = ids(engine)
        for file in tmp_path.glob("*-*.*"):
            file.rename(pictures / file.name)
        # More rows than the last pages have room for, however short the names above them are.
        for number in range(60):
            (pictures / f"{number:0200d}.jpg").write_bytes(b"no picture")
        with database_of(engine).read() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        shown: list[str] = []

        def search_until_full() -> str:
            while not (page := engine.search(before[0], k=9)).unlogged:
                shown.append(page.page_id)
            return page.unlogged

        limit = "PRAGMA max_page_count"
        with every_connection(engine, f"{limit}={pages}", f"{limit}={1 << 30}"):
            with pytest.raises(StoreError, match="is full; nothing stored was lost"):
                engine.add(pictures)
            assert search_until_full() == "the disk is full"
            assert ids(engine) == before
        assert all(store_of(engine).log.page(page, "shown") is not None for page in shown)
        engine.add(pictures)
        assert len(engine) == 36
        assert ids(engine)[:10] == before
        assert engine.library.doctor() == ()


def test_a_write_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is whole or absent."""
    monkeypatch.setattr("os.fsync", lambda handle: (_ for _ in ()).throw(OSError(errno.EIO, "bad")))
    with pytest.raises(OSError, match="bad"):
        files.write_array(tmp_path / "deep" / "a.npy", np.zeros(3))
    assert list((tmp_path / "deep").iterdir()) == []


# -- the lock --------------------------------------------------------------------------------------


def test_one_process_indexes_at_a_time(tmp_path: Path) -> None:
    """The second is refused at once, and may go when the first is done."""
    one, two = Store(tmp_path / "s"), Store(tmp_path / "s")
    with one.indexing():
        with pytest.raises(StoreBusy, match="another process is indexing"), two.indexing():
            pass
        assert two.catalog.total() == 0
    with two.indexing():
        pass
    one.close()
    two.close()


def test_the_lock_opens_when_indexing_fails(tmp_path: Path) -> None:
    """An error inside is not a lock for ever."""
    store = Store(tmp_path / "s")
    with pytest.raises(ZeroDivisionError), store.indexing():
        raise ZeroDivisionError
    with store.indexing():
        pass
    store.close()


# -- thumbnails ------------------------------------------------------------------------------------


def test_a_thumbnail_made_as_jpeg_is_read_until_it_is_made_again(tmp_path: Path) -> None:
    """An older store's serve as they are; a new one takes the place of the old."""
    store, image = Store(tmp_path / "s"), "cd" * 16
    store.write_thumbnail(image, b"as it was")
    place = tmp_path / "s" / "thumbs" / "cd" / image
    place.with_suffix(".webp").rename(place.with_suffix(".jpg"))
    assert store.has_thumbnail(image)
    assert store.read_thumbnail(image) == b"as it was"
    store.write_thumbnail(image, b"made again")
    assert store.read_thumbnail(image) == b"made again"
    assert [file.suffix for file in place.parent.iterdir()] == [".webp"]
    store.close()


def test_threads_may_write_the_same_thumbnail(tmp_path: Path) -> None:
    """Everybody's draft is their own; the last one stays, whole."""
    store = Store(tmp_path / "s")
    barrier, failures = threading.Barrier(8), []

    def write(number: int) -> None:
        barrier.wait()
        for _ in range(30):
            try:
                store.write_thumbnail("ab" * 16, bytes([number]) * 5000)
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    data = store.read_thumbnail("ab" * 16)
    assert data is not None
    assert len(data) == 5000
    assert len(set(data)) == 1
    assert len(list((tmp_path / "s" / "thumbs" / "ab").iterdir())) == 1
    store.close()


# -- columns ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["missing", "empty", "short", "text", "rows"])
def test_a_damaged_column_is_named_and_the_others_serve(
    open_copy: Callable[[], Engine], damage: str
) -> None:
    """The store opens, search goes on, the doctor finds it, repairs it, bit for bit."""
    engine = open_copy()
    first = ids(engine)[0]
    before = [s for s in store_of(engine).columns.segments() if s.name == "lbp"]
    arrays = [bundles.copied(store_of(engine).columns.load(s)) for s in before]
    file = engine.path / before[0].files["vectors"]
    engine.close()
    data = file.read_bytes()
    if damage == "missing":
        file.unlink()
    elif damage == "rows":
        np.save(file, np.load(file)[:-1])
    else:
        file.write_bytes({"empty": b"", "short": data[:-100], "text": b"lbp"}[damage])
    engine = open_copy()
    assert engine.library.report().incomplete == ("lbp", "graph")  # which is made from it
    page = engine.search(first, k=5)
    assert not any(scheme.startswith("lbp") for scheme in page.schemes)
    assert len(page.hits) == 5
    found = engine.library.doctor()
    assert [finding.place for finding in found][:1] == ["column lbp, rows 0 to 35"]
    assert {finding.place for finding in found[1:]} <= {"graph"}
    assert all(finding.rebuildable and not finding.repaired for finding in found)
    assert all(finding.repaired for finding in engine.library.doctor(repair=True))
    assert engine.library.doctor() == ()
    assert engine.library.report().incomplete == ()
    after = [s for s in store_of(engine).columns.segments() if s.name == "lbp"]
    for old, segment in zip(arrays, after, strict=True):
        new = store_of(engine).columns.load(segment)
        assert old.keys() == new.keys()
        for name, array in old.items():
            assert np.array_equal(array, new[name])


def test_adding_beside_a_damaged_column_goes_on(
    open_copy: Callable[[], Engine], world: Path, tmp_path: Path
) -> None:
    """Small segments are merged around the damage, and the doctor mends it afterwards."""
    engine = open_copy()
    segment = next(s for s in store_of(engine).columns.segments() if s.name == "lbp")
    (engine.path / segment.files["norms"]).unlink()
    extra = tmp_path / "extra"
    extra.mkdir()
    file = sorted(world.rglob("*.*"))[0]
    from PIL import Image

    with Image.open(file) as picture:
        picture.transpose(Image.Transpose.ROTATE_180).save(extra / "turned.png")
    assert engine.add(extra).added == 1
    assert engine.library.report().incomplete == ("lbp",)
    assert all(finding.repaired for finding in engine.library.doctor(repair=True))
    assert engine.library.report().incomplete == ()
    assert len(engine) == 37


def test_what_an_interrupted_run_left_is_swept(engine: Engine) -> None:
    """Files no transaction names are found by the doctor and deleted by the next writer."""
    folder = engine.path / "columns" / "lbp"
    for name in ("000000036-abc.vectors.npy", ".000000036-abc.vectors.npy.77.part"):
        (folder / name).write_bytes(b"half")
    before = store_of(engine).columns.segments()
    assert [f.problem for f in engine.library.doctor()] == ["2 files nobody names"]
    assert store_of(engine).columns.sweep() == 2
    assert store_of(engine).columns.segments() == before
    assert engine.library.doctor() == ()


def test_a_copied_store_is_a_store(
    open_copy: Callable[[], Engine], tmp_path: Path, first: str
) -> None:
    """Nothing in it knows where it lies."""
    engine = open_copy()
    page = engine.search(first, user="ana", k=9)
    engine.react(page, liked=[page.hits[-1].image_id])
    digest = engine.digest
    engine.close()
    shutil.copytree(engine.path, tmp_path / "elsewhere")
    with Engine(tmp_path / "elsewhere", create=False, warm=False) as other:
        assert other.digest == digest == other.replay()
        assert len(other) == 36

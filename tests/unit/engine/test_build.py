from __future__ import annotations

import errno
import os
import shutil
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from inside import collection_of, store_of
from saccade import trace
from saccade.engine import Engine, Progress
from saccade.engine.indexing import crew, run
from saccade.engine.sources import dense
from saccade.errors import InvalidInput, StoreBusy, UnknownName
from saccade.images import files
from saccade.store.store import Store
from saccade.testbed import worlds

RECIPE = "color-histogram,lbp"


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Engine]:
    """Opens engines on stores beside the pictures; closed by their own `with`."""

    def open_one(name: str = "store.saccade") -> Engine:
        return Engine(tmp_path / name, warm=False)

    return open_one


@pytest.fixture
def few(pictures: Path) -> Path:
    """Five pictures, flat: `0.png` to `4.png`."""
    folder = pictures.parent / "few"
    folder.mkdir()
    for i, file in enumerate(sorted(pictures.rglob("*.*"))[:5]):
        shutil.copy(file, folder / f"{i}{file.suffix}")
    return folder


@pytest.fixture
def no_reading(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes every file that is read as a picture from now on."""
    read: list[str] = []
    plain = files.read_file

    def noted(path: str) -> bytes:
        read.append(str(path))
        return plain(path)

    monkeypatch.setattr(files, "read_file", noted)
    return read


def names(engine: Engine) -> dict[str, str]:
    """Every path below its folder's last name → id."""
    found = {}
    for image in engine.images(0, 1000):
        found.update({Path(path).name: image.image_id for path in image.paths})
    return found


def columns(engine: Engine) -> dict[str, NDArray[np.float32]]:
    """Each column as one array, in row order."""
    collection = collection_of(engine)
    rows = np.arange(len(collection.listing.ids))
    return {name: column.take(rows) for name, column in dense.of(collection).columns.items()}


def file_of(folder: Path, number: int) -> Path:
    return next(folder.glob(f"{number}.*"))


# -- incremental -----------------------------------------------------------------------------------


def test_a_second_run_reads_nothing(
    make: Callable[..., Engine], few: Path, no_reading: list[str]
) -> None:
    """Size and time are enough to know a file, good or bad."""
    (few / "bad.png").write_bytes(b"no picture")
    with make() as engine:
        first = engine.add(few, recipe=RECIPE)
        assert len(no_reading) == 6
        no_reading.clear()
        generation = store_of(engine).catalog.generation()
        second = engine.add(few)
        assert no_reading == []
        assert (first.added, first.known) == (5, 0)
        assert (second.added, second.known) == (0, 5)
        assert second.skipped == first.skipped
        assert store_of(engine).catalog.generation() == generation


def test_only_new_files_are_read(
    make: Callable[..., Engine], few: Path, no_reading: list[str]
) -> None:
    """One more file costs one file."""
    last = file_of(few, 4)
    aside = last.rename(few.parent / last.name)
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        no_reading.clear()
        aside.rename(last)
        report = engine.add(few)
        assert no_reading == [str(last)]
        assert (report.added, report.known) == (1, 4)


def test_a_touched_file_is_known_and_not_decoded(
    make: Callable[..., Engine], few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another time and the same bytes: hashed, recognised, left alone."""
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        os.utime(file_of(few, 2), (1, 1))
        monkeypatch.setattr("saccade.scale.decoding.decode", pytest.fail)
        report = engine.add(few)
        assert (report.added, report.known, report.duplicates, report.moved) == (0, 5, 0, 0)


# -- identity --------------------------------------------------------------------------------------


def test_the_same_bytes_twice_are_one_image(make: Callable[..., Engine], few: Path) -> None:
    """Within one run and between runs, a copy is one more path."""
    shutil.copy(file_of(few, 0), few / "copy.png")
    with make() as engine:
        assert engine.add(few, recipe=RECIPE).duplicates == 1
        shutil.copy(file_of(few, 1), few / "later.png")
        report = engine.add(few)
        assert (report.added, report.duplicates, report.known) == (0, 1, 6)
        assert len(engine) == 5
        image = engine.image(names(engine)["copy.png"])
        assert [Path(path).name for path in image.paths] == [file_of(few, 0).name, "copy.png"]


def test_a_moved_file_keeps_its_row_and_history(make: Callable[..., Engine], few: Path) -> None:
    """A new name and folder, the same image: what was said about it still counts."""
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        old = file_of(few, 3)
        image = engine.image(names(engine)[old.name])
        page = engine.search(names(engine)[file_of(few, 0).name], user="ana", k=4)
        engine.react(page, liked=[image.image_id])
        (few / "deep" / "er").mkdir(parents=True)
        new = old.rename(few / "deep" / "er" / "ünï — 名.png")
        report = engine.add(few)
        assert (report.added, report.moved, report.duplicates, report.vanished) == (0, 1, 0, ())
        after = engine.image(image.image_id)
        assert (after.row, after.paths) == (image.row, (str(new),))
        assert engine.people.show("ana").history[0].liked == (image.image_id,)


def test_a_renamed_folder_is_a_move(make: Callable[..., Engine], few: Path) -> None:
    """The old paths lie outside the folder that is indexed now; they are gone all the same."""
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        other = few.rename(few.parent / "another")
        report = engine.add(other)
        assert (report.added, report.moved, report.duplicates) == (0, 5, 0)
        for image in engine.images():
            assert [Path(path).parent for path in image.paths] == [other]


def test_vanished_files_are_reported_until_they_are_pruned(
    make: Callable[..., Engine], few: Path
) -> None:
    """Nothing is dropped unasked: a drive may be unplugged."""
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        lost = file_of(few, 1)
        image_id = names(engine)[lost.name]
        lost.unlink()
        for _ in range(2):
            report = engine.add(few)
            assert (report.vanished, report.pruned) == ((str(lost),), 0)
            assert len(engine) == 5
        report = engine.add(few, prune=True)
        assert (report.vanished, report.pruned) == ((str(lost),), 1)
        assert len(engine) == 4
        query = names(engine)[file_of(few, 0).name]
        assert image_id not in {hit.image_id for hit in engine.search(query, k=10).hits}
        assert engine.add(few, prune=True).vanished == ()


def test_a_copy_that_vanishes_leaves_its_image(make: Callable[..., Engine], few: Path) -> None:
    """Pruning drops the path; the image has another one."""
    copy = Path(shutil.copy(file_of(few, 0), few / "copy.png"))
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        copy.unlink()
        report = engine.add(few, prune=True)
        assert (report.vanished, report.pruned, len(engine)) == ((str(copy),), 0, 5)


def test_an_emptied_folder_can_be_pruned(make: Callable[..., Engine], few: Path) -> None:
    """A folder that once held pictures is no mistake."""
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        for file in few.iterdir():
            file.unlink()
        assert engine.add(few, prune=True).pruned == 5
        assert len(engine) == 0


def test_a_pruned_image_that_comes_back_lives_under_its_row(
    make: Callable[..., Engine], few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its columns are still there: nothing is computed again."""
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        file = file_of(few, 2)
        before = engine.image(names(engine)[file.name])
        aside = file.rename(few.parent / "aside.png")
        engine.add(few, prune=True)
        aside.rename(few / "again.png")
        monkeypatch.setattr("saccade.scale.decoding.decode", pytest.fail)
        report = engine.add(few)
        assert (report.added, report.known) == (1, 4)
        after = engine.image(before.image_id)
        assert after.row == before.row
        assert [Path(path).name for path in after.paths] == ["again.png"]


def test_a_file_with_new_contents_is_another_image(make: Callable[..., Engine], few: Path) -> None:
    """The old picture is nowhere any more and leaves; its copy elsewhere would keep it."""
    copy = Path(shutil.copy(file_of(few, 1), few / "copy.png"))
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        before = names(engine)
        for number in (0, 1):
            Image.new("RGB", (60, 40), (200, 30, 10 * number)).save(file_of(few, number), "PNG")
        report = engine.add(few)
        after = names(engine)
        assert (report.added, report.vanished, report.pruned) == (2, (), 0)
        zero, one = file_of(few, 0).name, file_of(few, 1).name
        assert after[zero] != before[zero]
        assert before[zero] not in after.values()
        assert after[copy.name] == before[one]
        assert all(image.paths for image in engine.images())
        assert len(engine) == 6


def test_an_image_that_becomes_rubbish_leaves(make: Callable[..., Engine], few: Path) -> None:
    """A file overwritten with something else is skipped, and its old picture is gone."""
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        file_of(few, 0).write_bytes(b"rubbish")
        report = engine.add(few)
        assert [skip.path for skip in report.skipped] == [str(file_of(few, 0))]
        assert len(engine) == 4


def test_a_store_inside_its_own_folder_is_not_indexed(
    make: Callable[..., Engine], few: Path
) -> None:
    """Thumbnails are no pictures of the user, whatever the store is called."""
    with make("few/index") as engine:
        assert engine.add(few, recipe=RECIPE).added == 5
        assert engine.add(few).added == 0
    with make("few/index") as engine, pytest.MonkeyPatch.context() as patch:
        patch.chdir(few)
        assert engine.add(".").added == 0


# -- files left out --------------------------------------------------------------------------------


def bad_files(folder: Path) -> dict[str, str]:
    """Files that are no pictures → a word of the reason."""
    good = file_of(folder, 0).read_bytes()
    (folder / "empty.png").write_bytes(b"")
    (folder / "truncated.png").write_bytes(good[: len(good) // 2])
    (folder / "text.png").write_text("a shopping list")
    bomb = Image.new("1", (15_000, 15_000))
    bomb.save(folder / "bomb.png", compress_level=9)
    return {
        "empty.png": "empty",
        "truncated.png": "truncated",
        "text.png": "not a JPEG",
        "bomb.png": "limit",
    }


def test_bad_files_are_listed_with_reasons_and_the_run_goes_on(
    make: Callable[..., Engine], few: Path
) -> None:
    """Every good picture is in, every bad file is named."""
    expected = bad_files(few)
    with make() as engine:
        report = engine.add(few, recipe=RECIPE)
        reasons = {Path(skip.path).name: skip.reason for skip in report.skipped}
        assert report.added == 5
        assert reasons.keys() == expected.keys()
        for name, word in expected.items():
            assert word in reasons[name], reasons[name]
        assert engine.library.report().skipped == 4
        assert engine.library.skipped(1, 2) == engine.library.skipped()[1:3]


def test_a_mended_file_comes_in(make: Callable[..., Engine], few: Path) -> None:
    """A file that changed is read again; the list of files left out is kept short."""
    file = few / "late.png"
    file.write_bytes(b"half")
    with make() as engine:
        assert len(engine.add(few, recipe=RECIPE).skipped) == 1
        Image.new("RGB", (30, 20), (1, 2, 3)).save(file)
        report = engine.add(few)
        assert (report.added, report.skipped, engine.library.skipped()) == (1, (), ())
        (few / "gone.png").write_bytes(b"half")
        engine.add(few)
        (few / "gone.png").unlink()
        assert engine.add(few).vanished == ()
        assert engine.library.skipped() == ()


def test_an_unreadable_file_is_tried_again(
    make: Callable[..., Engine], few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions change without a trace in size and time."""
    locked, plain = str(file_of(few, 2)), files.read_file

    def refuse(path: str) -> bytes:
        if path == locked:
            raise PermissionError(errno.EACCES, "Permission denied")
        return plain(path)

    with make() as engine:
        with monkeypatch.context() as patch:
            patch.setattr(files, "read_file", refuse)
            for _ in range(2):
                (skip,) = engine.add(few, recipe=RECIPE).skipped
                assert skip.path == locked
                assert skip.reason == "cannot be read: Permission denied"
        report = engine.add(few)
        assert (report.added, report.skipped) == (1, ())


def test_a_file_over_the_limit_is_refused_unread(
    make: Callable[..., Engine], few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of 300 MB costs nothing but its name."""
    with (few / "huge.tif").open("wb") as file:
        file.truncate(300_000_000)
    plain = os.open

    def small_only(path: str, *options: int) -> int:
        assert not str(path).endswith("huge.tif")
        return plain(path, *options)

    monkeypatch.setattr(os, "open", small_only)
    with make() as engine:
        (skip,) = engine.add(few, recipe=RECIPE).skipped
        assert "300,000,000 bytes are over the limit" in skip.reason


def test_folders_that_cannot_be_indexed_change_nothing(
    make: Callable[..., Engine], few: Path
) -> None:
    """Missing, a file, empty: one sentence, and the recipe stays as it was."""
    empty = few.parent / "empty"
    empty.mkdir()
    (empty / "notes.txt").write_text("no picture")
    with make() as engine:
        before = engine.recipe
        for folder, words in (
            (few / "missing", "no folder"),
            (file_of(few, 0), "is a file"),
            (empty, "no pictures in"),
        ):
            with pytest.raises(InvalidInput, match=words):
                engine.add(folder, recipe="lbp")
        assert engine.recipe == before
        engine.add(few, recipe=RECIPE)


# -- recipes and plug-ins --------------------------------------------------------------------------


def test_a_recipe_change_computes_only_what_is_missing(
    make: Callable[..., Engine], few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """+NAME computes one column, -NAME none; the columns that stay are the same files."""
    asked: list[str] = []
    plain = dense.describe

    def noted(descriptor, pictures, labels, **options):  # type: ignore[no-untyped-def]
        asked.extend([descriptor.name] * len(pictures))
        return plain(descriptor, pictures, labels, **options)

    with make() as engine:
        engine.add(few, recipe=RECIPE)
        before = columns(engine)
        monkeypatch.setattr(dense, "describe", noted)
        engine.add(few, recipe="+edge-directions")
        assert asked == ["edge-directions"] * 5
        assert list(columns(engine)) == ["color-histogram", "lbp", "edge-directions"]
        asked.clear()
        engine.add(few, recipe="-lbp")
        assert asked == []
        after = columns(engine)
        assert list(after) == ["color-histogram", "edge-directions"]
        assert np.array_equal(after["color-histogram"], before["color-histogram"])
        assert not any((engine.path / "columns" / "lbp").iterdir())
        engine.add(few, recipe="lbp,color-histogram")
        assert list(columns(engine)) == ["lbp", "color-histogram"]
        assert np.array_equal(columns(engine)["lbp"], before["lbp"])


def test_a_new_descriptor_never_takes_another_pictures_place(
    make: Callable[..., Engine], few: Path
) -> None:
    """A file that holds another picture by now fills that picture's row, not its old one's."""
    with make() as engine:
        engine.add(few, recipe="color-histogram")
        clean = names(engine)
        shutil.copy(file_of(few, 1), file_of(few, 0))  # picture 0 is gone; 1 has two paths
        report = engine.add(few, recipe="+lbp")
        assert report.problems == ()  # picture 0 has left; nobody misses what it lacks
        assert clean[file_of(few, 0).name] not in engine
        found = columns(engine)["lbp"]
        row = engine.image(clean[file_of(few, 1).name]).row
        assert np.count_nonzero(found[0]) == 0
        with make("clean.saccade") as other:
            other.add(few, recipe="lbp")
            twin = other.image(clean[file_of(few, 1).name]).row
            assert np.array_equal(found[row], columns(other)["lbp"][twin])


@pytest.mark.parametrize("prune", [False, True])
def test_a_picture_that_comes_back_fills_what_it_left_blank(
    make: Callable[..., Engine], few: Path, tmp_path: Path, prune: bool
) -> None:
    """A descriptor that joined while a file was away is computed when the file returns."""
    away = tmp_path / "away"
    away.mkdir()
    with make() as engine, make("whole.saccade") as whole:
        engine.add(few, recipe="lbp")
        file = file_of(few, 2)
        shutil.move(file, away)
        engine.add(few, recipe="+color-histogram,+words", prune=prune)
        row = 2
        assert not columns(engine)["color-histogram"][row].any()
        shutil.move(away / file.name, few)
        engine.add(few)
        whole.add(few, recipe="lbp,color-histogram,words")
        for name, expected in columns(whole).items():
            np.testing.assert_array_equal(columns(engine)[name], expected)
        returned = names(engine)[file.name]
        assert len(engine.search(returned, schemes=["words:cosine"], k=5).hits) == 4
        assert engine.library.doctor() == ()
        assert store_of(engine).catalog.setting("blank") == {}


def test_an_unknown_recipe_changes_nothing(make: Callable[..., Engine], few: Path) -> None:
    """Did you mean …, and the store stays as it was."""
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        for text in ("+gits", "-gist", "", "-lbp,-color-histogram"):
            with pytest.raises(InvalidInput):
                engine.add(few, recipe=text)
        with pytest.raises(UnknownName, match="did you mean 'gist'"):
            engine.add(few, recipe="+gits")
        assert engine.recipe.descriptors == ("color-histogram", "lbp")


PLUGIN = """
    import os
    import numpy as np

    class Moody:
        name, version, dimension, kind = "moody", "1", 2, "colour"

        def describe(self, pictures):
            for picture in pictures:
                if picture.rgb.shape[:2] == (1, 7):
                    if os.environ.get("MOOD") == "exit":
                        os._exit(3)
                    raise RuntimeError("I do not like stripes")
                if os.environ.get("MOOD") == "always":
                    raise OSError("out of order")
            return np.array([[p.gray.mean(), 1.0] for p in pictures], np.float32)
"""


@pytest.fixture
def moody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installs a descriptor that fails on pictures of one shape."""
    site = tmp_path / "site"
    notes = site / "moody-1.0.dist-info"
    notes.mkdir(parents=True)
    (site / "moody.py").write_text(textwrap.dedent(PLUGIN))
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: moody\nVersion: 1.0\n")
    (notes / "entry_points.txt").write_text("[saccade.descriptors]\nmoody = moody:Moody\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.delitem(sys.modules, "moody", raising=False)
    dense.descriptor_of.cache_clear()


def stripe(folder: Path) -> Path:
    file = folder / "stripe.png"
    Image.new("RGB", (7, 1), (9, 9, 9)).save(file)
    return file


def test_a_descriptor_that_fails_on_one_image_spoils_that_value_alone(
    make: Callable[..., Engine], few: Path, moody: None
) -> None:
    """The image is in, the problem is named and leaves a trace, every other value is there."""
    bad = stripe(few)

    def traces() -> int:
        kinds = [(cause.doing, cause.error, n) for cause, n in trace.counts().items()]
        return sum(n for *kind, n in kinds if kind == ["describing a picture", "RuntimeError"])

    before = traces()
    with make() as engine:
        report = engine.add(few, recipe="moody,lbp")
        assert traces() == before + 1
        assert (report.added, [p.path for p in report.problems]) == (6, [str(bad)])
        assert "RuntimeError: I do not like stripes" in report.problems[0].reason
        found = columns(engine)
        empty = ~found["moody"].any(1)
        assert empty.tolist() == [i == engine.image(names(engine)[bad.name]).row for i in range(6)]
        assert found["lbp"].any(1).all()
        assert engine.library.doctor() == ()


def test_a_descriptor_that_always_fails_leaves_the_others(
    make: Callable[..., Engine], few: Path, moody: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Search goes on with what there is."""
    monkeypatch.setenv("MOOD", "always")
    with make() as engine:
        report = engine.add(few, recipe="moody,lbp")
        assert (report.added, len(report.problems)) == (5, 5)
        page = engine.search(engine.images(0, 1)[0].image_id, k=4)
        assert len({hit.score for hit in page.hits}) == 4


def test_a_crash_costs_one_file(
    make: Callable[..., Engine], few: Path, moody: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that ends a worker is found and named; its neighbours come in."""
    monkeypatch.setenv("MOOD", "exit")
    monkeypatch.setattr(crew, "FEW", 2)
    monkeypatch.setattr(crew, "FILES_A_TASK", 3)
    for file in sorted(few.iterdir())[3:]:
        file.unlink()
    bad = stripe(few)
    with make() as engine:
        report = engine.add(few, recipe="moody", workers=1)
        assert (report.added, [Path(s.path) for s in report.skipped]) == (3, [bad])
        assert "ended the worker process (exit code 3)" in report.skipped[0].reason


def test_a_crash_while_a_column_is_filled_costs_one_value(
    make: Callable[..., Engine], few: Path, moody: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The image is there already; the new descriptor has nothing to say about it."""
    for file in sorted(few.iterdir())[2:]:
        file.unlink()
    bad = stripe(few)
    with make() as engine:
        engine.add(few, recipe="lbp")
        monkeypatch.setenv("MOOD", "exit")
        monkeypatch.setattr(crew, "FEW", 2)
        monkeypatch.setattr(crew, "FILES_A_TASK", 1)
        report = engine.add(few, recipe="+moody", workers=1)
        assert bad in [Path(p.path) for p in report.problems]
        found = columns(engine)["moody"]
        assert np.flatnonzero(~found.any(1)).tolist() == [engine.image(names(engine)[bad.name]).row]


# -- interruption and parallelism ------------------------------------------------------------------


def test_ctrl_c_keeps_what_is_described(
    make: Callable[..., Engine], pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run does the rest, and rows are those of a run without a break."""
    monkeypatch.setattr(crew, "FILES_A_TASK", 8)

    def stop(progress: Progress) -> None:
        if progress.stage == "describe" and progress.done >= 16:
            raise KeyboardInterrupt

    with make() as engine:
        with pytest.raises(KeyboardInterrupt):
            engine.add(pictures, recipe=RECIPE, watch=stop)
        assert len(engine) == 16
        assert [finding.place for finding in engine.library.doctor()] == ["graph"]  # it comes last
        report = engine.add(pictures)
        assert (report.added, report.known) == (20, 16)
        with make("whole.saccade") as whole:
            whole.add(pictures, recipe=RECIPE)
            assert whole.images(0, 99) == engine.images(0, 99)
            for name, array in columns(whole).items():
                assert np.array_equal(array, columns(engine)[name])


@pytest.mark.parametrize("call", [1, 9, 20])
def test_ctrl_c_between_two_thumbnails_tears_nothing(
    make: Callable[..., Engine], pictures: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    """An image never enters without its path and its columns."""
    monkeypatch.setattr(crew, "FILES_A_TASK", 8)
    calls = 0
    plain = Store.write_thumbnail

    def interrupted(self: Store, image_id: str, data: bytes) -> None:
        nonlocal calls
        calls += 1
        if calls == call:
            raise KeyboardInterrupt
        plain(self, image_id, data)

    with make() as engine:
        with monkeypatch.context() as patch:
            patch.setattr(Store, "write_thumbnail", interrupted)
            with pytest.raises(KeyboardInterrupt):
                engine.add(pictures, recipe=RECIPE)
        assert len(engine) == (call - 1) // 8 * 8
        assert set(engine.library.report().incomplete) <= {"graph"}
        assert all(image.paths for image in engine.images(0, 99))
        engine.add(pictures)
        assert len(engine) == 36
        assert all(array.any(1).all() for array in columns(engine).values())


def test_ctrl_c_in_a_commit_does_not_commit_twice(
    make: Callable[..., Engine], pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interrupt may come when the transaction is through already."""
    monkeypatch.setattr(crew, "FILES_A_TASK", 8)
    monkeypatch.setattr(run, "IMAGES_A_COMMIT", 8)
    plain = run.Indexer._commit

    def interrupted(self: run.Indexer, pending: run.Pending, names: tuple[str, ...]) -> None:
        plain(self, pending, names)
        raise KeyboardInterrupt

    with make() as engine:
        with monkeypatch.context() as patch:
            patch.setattr(run.Indexer, "_commit", interrupted)
            with pytest.raises(KeyboardInterrupt):
                engine.add(pictures, recipe=RECIPE)
        assert len(engine) == 8
        assert engine.add(pictures).added == 28


def test_the_number_of_workers_changes_nothing(
    make: Callable[..., Engine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process or in two others: the same rows, the same bits."""
    folder = tmp_path / "many"
    worlds.write(folder, images=18, seed=8, size=(64, 48))
    monkeypatch.setattr(crew, "FEW", 4)
    monkeypatch.setattr(crew, "FILES_A_TASK", 3)
    some = sorted(folder.rglob("*.*"))
    shutil.copy(some[3], folder / "copy.png")
    (folder / "bad.png").write_bytes(b"bad")
    recipe = "color-histogram,color-moments,edge-directions,lbp"
    with make("two.saccade") as two, make("one.saccade") as one:
        apart = two.add(folder, recipe=recipe, workers=2)
        monkeypatch.setattr(crew, "FEW", 1000)
        alone = one.add(folder, recipe=recipe, workers=1)
        assert (apart.added, apart.duplicates) == (alone.added, alone.duplicates) == (18, 1)
        assert apart.skipped == alone.skipped
        assert one.images(0, 99) == two.images(0, 99)
        here, there = columns(one), columns(two)
        assert here.keys() == there.keys()
        for name in here:
            assert np.array_equal(here[name], there[name]), name


def test_a_second_indexer_is_told_to_wait_while_readers_go_on(
    make: Callable[..., Engine], few: Path
) -> None:
    """One writer; search and feedback do not care."""
    with make() as engine, make() as other:
        engine.add(few, recipe=RECIPE)
        first = engine.images(0, 1)[0].image_id
        refused = []

        def meanwhile(progress: Progress) -> None:
            if progress.stage == "describe" and not refused:
                for rival in (other, engine):
                    for change in (partial(rival.add, few), rival.library.doctor):
                        try:
                            change()
                        except StoreBusy as error:
                            refused.append(error.message)
                page = other.search(first, user="ana", k=4)
                other.react(page, liked=[page.hits[-1].image_id])

        Image.new("RGB", (20, 30), (0, 90, 0)).save(few / "green.png")
        assert engine.add(few, watch=meanwhile).added == 1
        assert len(refused) == 4
        assert all("another process is indexing" in message for message in refused)
        assert len(other) == 6
        assert engine.digest == other.digest == engine.replay()


def test_thumbnails_are_made_once_and_again_when_lost(
    make: Callable[..., Engine], few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost or empty thumbnail costs one decoding."""
    with make() as engine:
        engine.add(few, recipe=RECIPE)
        first = engine.images(0, 1)[0].image_id
        with monkeypatch.context() as patch:
            patch.setattr("saccade.scale.decoding.decode", pytest.fail)
            data = engine.library.thumbnail(first)
        file = engine.path / "thumbs" / first[:2] / f"{first}.webp"
        file.unlink()
        assert engine.library.thumbnail(first) == data
        file.write_bytes(b"")
        assert engine.library.thumbnail(first) == data
        assert file.read_bytes().startswith(data)  # sealed: its checksum stands behind it

"""A world on disk: complete, labelled, resumed where it stopped, never mixed with another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saccade.errors import InvalidInput
from saccade.testbed.datasets import load
from saccade.testbed.worlds import ATTRIBUTES, CLASSES, World, write

SIZE = (64, 48)


def content(folder: Path) -> dict[str, bytes]:
    """Every picture's bytes by its name."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.jpg")}


def test_a_written_world_is_a_labelled_set(tmp_path: Path) -> None:
    """The loader reads it: files, classes and true strengths."""
    manifest = write(tmp_path / "w", images=20, size=SIZE)
    found = load(tmp_path / "w")
    assert manifest.drawn == len(found) == 20
    assert found.labels == tuple((CLASSES * 2)[:20])
    assert tuple(found.columns) == ATTRIBUTES
    first = manifest.pictures[0]
    assert found.numbers("warmth")[0] == first.attributes["warmth"]
    assert found.files[0] == manifest.folder / first.file


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """Two folders, one seed: no byte differs; another seed changes every picture."""
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write(tmp_path / name, images=18, seed=seed, size=SIZE)
    first, second, other = (content(tmp_path / name) for name in "abc")
    assert first == second
    assert (tmp_path / "a/labels.csv").read_bytes() == (tmp_path / "b/labels.csv").read_bytes()
    assert all(other[name] != first[name] for name in first)


def test_a_small_world_is_the_beginning_of_a_larger_one(tmp_path: Path) -> None:
    """Growing a folder keeps its pictures and equals drawing the larger world at once."""
    write(tmp_path / "grown", images=5, size=SIZE)
    small = content(tmp_path / "grown")
    assert write(tmp_path / "grown", images=9, size=SIZE).drawn == 4
    write(tmp_path / "whole", images=9, size=SIZE)
    whole = content(tmp_path / "whole")
    assert content(tmp_path / "grown") == whole
    assert small.items() <= whole.items()


def test_a_finished_world_is_not_drawn_again(tmp_path: Path, monkeypatch) -> None:
    """The second run paints nothing and touches no file; asking for fewer loses none."""
    write(tmp_path, images=4, size=SIZE)
    times = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    monkeypatch.setattr(World, "draw", lambda *_: pytest.fail("painted again"))
    assert write(tmp_path, images=4, size=SIZE).drawn == 0
    assert len(write(tmp_path, images=2, size=SIZE).pictures) == 4
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == times


def test_an_interrupted_run_is_completed(tmp_path: Path) -> None:
    """Stopped in the middle, the next run draws what is missing and nothing else."""

    def stop_after_three(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "w", images=7, size=SIZE, progress=stop_after_three)
    assert not (tmp_path / "w/labels.csv").exists()
    (tmp_path / "w" / CLASSES[1] / f"{CLASSES[1]}-0000.jpg").write_bytes(b"")  # a crashed disk
    assert write(tmp_path / "w", images=7, size=SIZE).drawn == 5
    write(tmp_path / "whole", images=7, size=SIZE)
    assert content(tmp_path / "w") == content(tmp_path / "whole")
    assert len(load(tmp_path / "w")) == 7


def test_progress_is_told_for_every_picture(tmp_path: Path) -> None:
    """Counted from one to all, whether drawn or found."""
    for _ in range(2):
        told: list[tuple[int, int]] = []
        write(tmp_path, images=3, size=SIZE, progress=lambda *count: told.append(count))  # noqa: B023
        assert told == [(1, 3), (2, 3), (3, 3)]


def test_masks_are_written_on_request(tmp_path: Path) -> None:
    """Beside the world, never in it, so that nobody indexes them; also for old pictures."""
    write(tmp_path / "w", images=2, size=SIZE)
    write(tmp_path / "w", images=2, size=SIZE, masks=tmp_path / "masks")
    drawn = World(size=SIZE).draw(CLASSES[1], 0)
    with Image.open(tmp_path / "masks" / CLASSES[1] / f"{CLASSES[1]}-0000.png") as mask:
        np.testing.assert_array_equal(np.asarray(mask) > 0, drawn.mask)
    assert not list((tmp_path / "w").rglob("*.png"))


def test_nothing_temporary_is_left(tmp_path: Path) -> None:
    """A finished folder holds pictures, the table and the marker alone."""
    write(tmp_path, images=3, size=SIZE)
    assert {file.suffix for file in tmp_path.rglob("*") if file.is_file()} == {
        ".jpg",
        ".csv",
        ".json",
    }


def test_another_world_is_not_mixed_in(tmp_path: Path) -> None:
    """A folder belongs to one seed and size; the message says which."""
    write(tmp_path, images=1, seed=1, size=SIZE)
    with pytest.raises(InvalidInput, match=r"another world .*'seed': 1.*give another folder"):
        write(tmp_path, images=1, seed=2, size=SIZE)


def test_a_persons_folder_is_left_alone(tmp_path: Path) -> None:
    """Files that are not a world's are never joined by one."""
    (tmp_path / "holiday.jpg").touch()
    with pytest.raises(InvalidInput, match="holds no world"):
        write(tmp_path, images=1, size=SIZE)
    assert [file.name for file in tmp_path.iterdir()] == ["holiday.jpg"]


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """No picture, a file in the way, a broken marker: one sentence each."""
    with pytest.raises(InvalidInput, match="images=0"):
        write(tmp_path / "w", images=0)
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="is a file"):
        write(tmp_path / "file", images=1)
    with pytest.raises(InvalidInput, match="cannot write"):
        write(tmp_path / "file" / "below", images=1)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/world.json").write_text("[]")
    with pytest.raises(InvalidInput, match=r"world\.json cannot be read"):
        write(tmp_path / "broken", images=1)

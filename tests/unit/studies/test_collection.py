"""A labelled folder becomes classes and φ."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saccade.engine import Engine
from saccade.errors import UnknownName
from saccade.studies import collection
from saccade.studies.declaration import Data, Options
from saccade.studies.remarks import DISTRACTOR
from saccade.studies.truth import asked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three red and three blue pictures in a folder each, one of the blue ones twice."""
    rng = np.random.default_rng(0)
    for name, colour in (("red", (200, 30, 30)), ("blue", (30, 30, 200))):
        (tmp_path / "set" / name).mkdir(parents=True)
        for number in range(3):
            pixels = np.clip(np.array(colour) + rng.integers(-25, 25, (48, 64, 3)), 0, 255)
            Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / "set" / name / f"{number}.png")
    copy = tmp_path / "set" / "blue" / "copy.png"
    copy.write_bytes((tmp_path / "set" / "blue" / "0.png").read_bytes())
    return tmp_path / "set"


def test_a_copy_is_whole_however_the_store_is_left(folder: Path, tmp_path: Path) -> None:
    """What was said a moment ago is in it; what is said to it stays in it."""
    store = tmp_path / "s.saccade"
    with Engine(store, warm=False) as engine:
        engine.add(folder, recipe="color-histogram")
        page = engine.search(engine.images()[0].image_id, user="ana", k=3)
        engine.react(page, liked=[page.hits[0]])
        before = engine.digest
        with collection.copied(str(store)) as copy:
            assert copy.digest == before
            engine.close()  # its journal goes
            copy.forget("ana")
            assert copy.people.list() == ()
    with Engine(store, warm=False) as engine:
        assert engine.digest == before


def test_workers_copy_a_store_in_turn(folder: Path, tmp_path: Path) -> None:
    """None is told that another is busy with it."""
    store = tmp_path / "s.saccade"
    with Engine(store, warm=False) as engine:
        engine.add(folder, recipe="color-histogram")

    def size(_: int) -> int:
        with collection.copied(str(store)) as copy:
            return len(copy)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(size, range(8))) == [6] * 8


def test_images_classes_and_phi_belong_together(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture is nearer to its own class by colour; the same bytes twice are one image, said so.

    Raw values and those measured against anchors rank alike but are not the same.
    """
    monkeypatch.setattr(collection, "CLASSICAL", ("color-histogram",))
    data = Data("set", str(folder), str(tmp_path / "s.saccade"))
    for form in ("raw", "anchored"):
        options = Options(phi=form)
        said = collection.prepare(data, options, lambda text: None)
        assert [line for line in said if "the same bytes 2 times" in line] == said
        with collection.opened(data, options) as images:
            assert len(images.labels) == len(images.paths) == 6
            assert images.schemes == tuple(
                f"color-histogram:{similarity}" for similarity in ("l1", "l2", "cosine", "chi2")
            )
            classes = np.array([path.split("/")[0] for path in images.paths])
            for image in range(6):
                phi = images.phi_of(image)
                assert phi.shape == (6, 4)
                # Raw, a picture is like itself to the full; anchored, it is merely outstanding.
                assert (phi[image] == 1.0).all() == (form == "raw")
                others = np.arange(6) != image
                same = (images.labels == images.labels[image]) & others
                assert (phi[same].min(0) > phi[others & ~same].max(0)).all()
                assert (classes[same] == classes[image]).all()


def test_distractors_are_ranked_and_belong_to_no_class(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pictures of another folder join the collection without a class."""
    monkeypatch.setattr(collection, "CLASSICAL", ("color-histogram",))
    (tmp_path / "more").mkdir()
    Image.fromarray(np.full((40, 40, 3), 99, np.uint8)).save(tmp_path / "more" / "grey.png")
    data = Data("set", str(folder), str(tmp_path / "s"), distractors=(str(tmp_path / "more"),))
    collection.prepare(data, Options(), lambda text: None)
    with collection.opened(data, Options()) as images:
        assert sorted(images.labels.tolist()) == [DISTRACTOR, 0, 0, 0, 1, 1, 1]
        assert images.paths[images.labels.tolist().index(DISTRACTOR)] == "grey.png"


def test_a_store_that_knows_more_keeps_it(folder: Path, tmp_path: Path) -> None:
    """Preparing a set for fewer descriptors takes none away; those that are missing are added."""
    store = tmp_path / "s.saccade"
    with Engine(store, warm=False) as engine:
        engine.add(folder, recipe="color-histogram,lbp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collection, "CLASSICAL", ("color-histogram", "edge-directions"))
        collection.prepare(Data("set", str(folder), str(store)), Options(), lambda text: None)
    with Engine(store, warm=False) as engine:
        assert engine.recipe.descriptors == ("color-histogram", "lbp", "edge-directions")


@pytest.mark.parametrize(
    "options", [Options(descriptors="clasical"), Options(phi="Raw")], ids=["descriptors", "phi"]
)
def test_unknown_options_are_refused(folder: Path, tmp_path: Path, options: Options) -> None:
    """Before anything is indexed."""
    with pytest.raises(UnknownName, match="did you mean"):
        collection.prepare(Data("s", str(folder), str(tmp_path / "s")), options, print)
    assert not (tmp_path / "s").exists()


def test_a_double_across_the_split_stays_on_the_training_side(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes in train and test are one image of the training side, and it is said."""
    monkeypatch.setattr(collection, "CLASSICAL", ("color-histogram",))
    (folder / "labels.csv").write_text(
        "file,class,split\nblue/0.png,blue,test\nblue/copy.png,sea,train\nred/0.png,red,test\n"
    )
    data = Data("set", str(folder), str(tmp_path / "s.saccade"))
    said = "\n".join(collection.prepare(data, Options(), lambda text: None))
    assert "copy.png is on several sides of the split; 'train' keeps it" in said
    assert "copy.png has several classes; 'sea' is used" in said
    with collection.opened(data, Options()) as images:
        assert sorted(images.rows.tolist()) == [-1, -1, -1, -1, 1, 2]
        kept = images.rows.tolist().index(1)
        assert images.dataset.classes[images.labels[kept]] == "sea"


def test_what_cannot_be_read_or_is_not_there_is_reported(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken picture and a label without a file are sentences of the page, and no images."""
    monkeypatch.setattr(collection, "CLASSICAL", ("color-histogram",))
    (folder / "red" / "broken.png").write_bytes(b"\x89PNG nothing more")
    (folder / "labels.csv").write_text(
        "file,class\nred/0.png,red\nred/broken.png,red\nblue/0.png,blue\nblue/9.png,blue\n"
    )
    data = Data("set", str(folder), str(tmp_path / "s.saccade"))
    said = collection.prepare(data, Options(), lambda text: None)
    assert any("blue/9.png (line 5)" in line for line in said)
    assert any(line.startswith("left out:") and "broken.png" in line for line in said)
    with collection.opened(data, Options()) as images:
        assert not any("broken" in path for path in images.paths)
        assert sorted(images.labels[images.labels >= 0].tolist()) == [0, 1]


def test_a_class_that_is_left_with_one_picture_is_said(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the labels name one alone, or the others are broken or doubles of it."""
    monkeypatch.setattr(collection, "CLASSICAL", ("color-histogram",))
    (folder / "red" / "2.png").write_bytes(b"GIF89a nothing more")
    (folder / "labels.csv").write_text(
        "file,class\nred/0.png,alone\nred/1.png,half\nred/2.png,half\nblue/0.png,twin\n"
        "blue/copy.png,twin\nblue/1.png,pair\nblue/2.png,pair\n"
    )
    data = Data("set", str(folder), str(tmp_path / "s.saccade"))
    said = collection.prepare(data, Options(), lambda text: None)
    single = [line for line in said if "classes have one picture" in line]
    assert single == ["3 classes have one picture, so it finds nothing relevant: alone, half, twin"]


def test_queries_of_lists_survive_doubles_and_are_missed_when_they_are_gone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A double asks as the image it is; a broken picture, or answers that are broken, are said."""
    monkeypatch.setattr(collection, "CLASSICAL", ("color-histogram",))
    flat = tmp_path / "flat"
    flat.mkdir()
    for file in folder.rglob("*.png"):
        (flat / f"{file.parent.name}-{file.name}").write_bytes(file.read_bytes())
    (flat / "red-2.png").write_bytes(b"nothing")
    lists = {
        "double": ("blue-copy", "blue-1\nblue-0"),
        "broken": ("red-2", "red-0"),
        "empty": ("red-0", "red-2"),
        **{f"sound{n}": ("red-0", "red-1") for n in range(5)},
    }
    for name, (query, good) in lists.items():
        (flat / f"{name}_query.txt").write_text(query)
        (flat / f"{name}_good.txt").write_text(good)
    data = Data("set", str(flat), str(tmp_path / "s.saccade"))
    said = collection.prepare(data, Options(), lambda text: None)
    gone = "2 queries are left out: their picture or all it should find is gone: broken, empty"
    assert gone in said
    assert any("the same bytes 2 times" in line for line in said)
    with collection.opened(data, Options()) as images:
        found = {one.name: one for one in asked(images, count=0, seed=0)}
        assert sorted(found) == ["double", *(f"sound{n}" for n in range(5))]
        names = {path: place for place, path in enumerate(images.paths)}
        double = found["double"]
        assert images.paths[double.image] in ("blue-0.png", "blue-copy.png")
        assert np.flatnonzero(double.grades).tolist() == [names["blue-1.png"]]

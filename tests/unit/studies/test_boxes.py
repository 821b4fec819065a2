"""The box of an Oxford-style query asks, and nothing else of its picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from covers import cover, seen_from
from saccade.features.li2012 import GLOBAL
from saccade.studies import collection
from saccade.studies.declaration import Data, Options
from saccade.studies.truth import asked
from saccade.testbed.datasets import check, load
from saccade.testbed.datasets.boxes import cut

LANDMARKS = 3
SIDE = 240


@pytest.fixture(scope="module")
def oxford(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three covers from two sides each; pictures that show two of them ask for one by a box."""
    folder = tmp_path_factory.mktemp("oxford")
    (folder / "jpg").mkdir()
    (folder / "gt").mkdir()
    prints = [np.asarray(Image.fromarray(cover(n)).resize((SIDE, SIDE))) for n in range(LANDMARKS)]
    for number, one in enumerate(prints):
        for turn in (-6, 7):
            view = seen_from(one, degrees=turn, scale=0.9)
            Image.fromarray(view).save(folder / "jpg" / f"place_{number}{turn % 3}.png")
    for number in range(LANDMARKS):
        pair = number, (number + 1) % LANDMARKS
        both = np.concatenate([prints[place] for place in pair], axis=1)
        Image.fromarray(both).save(folder / "jpg" / f"street_{number}.png")
        for half, place in enumerate(pair):
            name = f"place_{place}_{half + 1}"
            box = f"{half * SIDE} 0 {(half + 1) * SIDE} {SIDE}"
            (folder / "gt" / f"{name}_query.txt").write_text(f"oxc1_street_{number} {box}\n")
            views = sorted(file.stem for file in (folder / "jpg").glob(f"place_{place}*.png"))
            (folder / "gt" / f"{name}_good.txt").write_text("\n".join(views))
    return folder


@pytest.fixture(scope="module")
def images(oxford: Path, tmp_path_factory: pytest.TempPathFactory) -> collection.Images:
    data = Data("oxford", str(oxford), str(tmp_path_factory.mktemp("s") / "s.saccade"))
    wanted = (*GLOBAL, "words")
    assert collection.prepare(data, Options(), lambda text: None, wanted=wanted) == []
    with collection.opened(data, Options(descriptors="all")) as found:
        return found


def best(scores: np.ndarray, images: collection.Images) -> set[int]:
    """The two that come first among the pictures of one landmark."""
    single = np.array(["place" in path for path in images.paths])
    return set(np.argsort(np.where(single, -scores, np.inf))[:2].tolist())


def test_the_box_finds_what_is_inside_it(images: collection.Images) -> None:
    """By words of the 224 and by a scheme of words; all of a picture finds the other half too."""
    queries = asked(images, count=0, seed=0)
    assert len(queries) == 2 * LANDMARKS
    misled = 0
    words = images.schemes.index("words:cosine")
    for query in queries:
        good = set(np.flatnonzero(query.grades).tolist())
        assert query.box is not None
        assert len(good) == 2
        vsm = images.features_of(query.image, query.box)[:, 0]
        assert best(vsm, images) == good
        assert best(images.phi_of(query.image, query.box)[:, words], images) == good
        misled += best(images.features_of(query.image)[:, 0], images) != good
    assert misled >= LANDMARKS, "one of two halves cannot be meant by the whole"


def test_a_box_is_cut_in_pixels_of_the_picture(oxford: Path) -> None:
    """Left, top, right, bottom; what lies outside the picture is cut off."""
    file = oxford / "jpg" / "street_0.png"
    pixels = np.asarray(Image.open(file))
    found = cut(file, (10.0, 20.0, 60.0, 90.0))
    assert found is not None
    assert (found == pixels[20:90, 10:60]).all()
    over = cut(file, (400.0, -5.0, 999.0, 30.5))
    assert over is not None
    assert (over == pixels[:31, 400:]).all()
    assert cut(file, (2 * SIDE + 1.0, 0.0, 2 * SIDE + 90.0, 50.0)) is None


def test_a_box_outside_its_picture_is_reported(oxford: Path, tmp_path: Path) -> None:
    """By the check and by a study's preparation; then all of the picture asks."""
    (tmp_path / "set").mkdir()
    for file in oxford.rglob("*.*"):
        (tmp_path / "set" / file.name).write_bytes(file.read_bytes())
    (tmp_path / "set" / "place_0_1_query.txt").write_text("oxc1_street_0 900 0 990 50\n")
    said = "1 queries have a box outside their picture; all of it asks: place_0_1"
    assert check(load(tmp_path / "set")).problems == (said,)
    data = Data("set", str(tmp_path / "set"), str(tmp_path / "s.saccade"))
    wanted = ("lbp",)
    assert collection.prepare(data, Options(), lambda text: None, wanted=wanted) == [said]
    with collection.opened(data, Options(descriptors="all")) as found:
        lost = next(one for one in asked(found, count=0, seed=0) if one.name == "place_0_1")
        whole = found.phi_of(lost.image)
        assert found.phi_of(lost.image, lost.box).tobytes() == whole.tobytes()
        sound = next(one for one in asked(found, count=0, seed=0) if one.name == "place_0_2")
        assert found.phi_of(sound.image, sound.box).tobytes() != found.phi_of(sound.image).tobytes()

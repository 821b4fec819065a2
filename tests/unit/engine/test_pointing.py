"""Searching by a part of a picture."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import discs
from saccade.engine import Engine
from saccade.errors import InvalidInput


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the discs with their regions made; read only."""
    place = tmp_path_factory.mktemp("discs")
    with Engine(place / "discs.saccade", warm=False) as engine:
        engine.add(discs.draw(place / "pictures"), recipe="lbp")
        engine.concepts.prepare()
    return place / "discs.saccade"


@pytest.fixture
def engine(drawn: Path, tmp_path: Path) -> Iterator[Engine]:
    """An engine on a copy of the discs."""
    with Engine(shutil.copytree(drawn, tmp_path / "copy.saccade"), warm=False) as engine:
        yield engine


def disc(engine: Engine, number: int = 0) -> tuple[str, tuple[float, float, float, float]]:
    """A picture with a disc, and the rectangle around it."""
    record = next(r for r in engine.images() if r.paths[0].endswith(f"disc-{number}.png"))
    pixels = np.asarray(Image.open(record.paths[0]).convert("RGB")).astype(int)
    rows, columns = np.nonzero((pixels[:, :, 0] > 150) & (pixels[:, :, 1] < 100))
    height, width = pixels.shape[:2]
    box = rows.min() / height, columns.min() / width, rows.max() / height, columns.max() / width
    return record.image_id, tuple(map(float, box))


def names(page) -> list[str]:
    return [Path(hit.path).stem for hit in page.hits]


def test_a_rectangle_around_a_thing_finds_that_thing(engine) -> None:
    """Every other disc comes first; a rectangle of sky finds something else."""
    image, box = disc(engine)
    page = engine.search(image, region=box, k=16)
    assert all(name.startswith("disc") for name in names(page)[: discs.WITH - 1])
    assert "disc-0" not in names(page)
    assert page.hits[0].why.keys() == {"regions:match"}
    sky = engine.search(image, region=(0.0, 0.0, 0.15, 1.0), k=16)
    assert not all(name.startswith("disc") for name in names(sky)[: discs.WITH - 1])


def test_a_region_is_pointed_at_by_its_number(engine) -> None:
    """The region that holds the disc finds the others."""
    image, box = disc(engine)
    found = engine.concepts.regions(image)
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    row, column = (int(edge * found.side) for edge in middle)
    (number,) = np.flatnonzero(found.masks()[:, row, column])
    page = engine.search(image, region=int(number), k=16)
    assert all(name.startswith("disc") for name in names(page)[: discs.WITH - 1])


def test_a_picture_from_outside_can_be_pointed_at(engine, tmp_path) -> None:
    """As an array, as bytes and as a file, the same part finds the same pictures."""
    image, box = disc(engine, 1)
    pixels = np.asarray(Image.open(engine.image(image).paths[0]).convert("RGB")).copy()
    pixels[0, 0] = 255  # other bytes: it is not the one of the collection
    file = tmp_path / "outside.png"
    Image.fromarray(pixels).save(file)
    pages = [engine.search(query, region=box, k=9) for query in (pixels, file, file.read_bytes())]
    assert names(pages[0]) == names(pages[1]) == names(pages[2])
    assert all(name.startswith("disc") for name in names(pages[0])[:6])
    assert len(engine.search(file, region=0, k=4).hits) == 4


def test_marks_are_heard_and_a_restart_forgets_nothing(engine) -> None:
    """The part that was pointed at is in the log, of pictures of the collection and others."""
    image, box = disc(engine)
    outside = np.zeros((40, 60, 3), np.uint8)
    outside[10:30, 20:40] = (200, 40, 30)
    pages = [engine.search(image, region=box, k=12, user="ana")]
    pages.append(engine.search(outside, region=(0.25, 0.35, 0.75, 0.65), k=12, user="ana"))
    pages = [engine.react(page, liked=[page.hits[1]], disliked=[page.hits[-1]]) for page in pages]
    digest = engine.digest
    engine.close()
    with Engine(engine.path, warm=False) as again:
        for page in pages:
            shown = again.show(page, k=12)
            assert names(shown) == names(page)
            assert shown.schemes == ("regions:match",)
        assert again.replay() == digest


def test_an_ordinary_search_does_not_look_at_regions(engine) -> None:
    """They are no scheme that others weigh."""
    image, _ = disc(engine)
    page = engine.search(image, k=3)
    assert not any(name.startswith("regions") for name in (*page.schemes, *page.hits[0].why))
    assert "regions:match" not in {info.scheme for info in engine.schemes()}


def test_regions_that_are_lacking_are_made_by_the_search(drawn, tmp_path) -> None:
    """A new picture takes part."""
    pictures = shutil.copytree(drawn.parent / "pictures", tmp_path / "pictures")
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        engine.add(pictures, recipe="lbp")
        image, box = disc(engine)
        engine.search(image, region=box)
        assert engine.concepts.prepared().done == 16
        rng = np.random.default_rng(99)
        Image.fromarray(discs.field(rng, disc=True)[0]).save(pictures / "things" / "new.png")
        engine.add(pictures)
        assert "new" in names(engine.search(image, region=box, k=discs.WITH))


@pytest.mark.parametrize(
    "region", [99, -1, (0, 0, 0, 0), (0.5, 0, 0.2, 1), (0, 0, 2, 1), "x", True, (0, 1), [None] * 4]
)
def test_what_is_no_part_of_a_picture_is_refused(engine, region) -> None:
    """By a sentence."""
    image, _ = disc(engine)
    with pytest.raises(InvalidInput, match=r"region|rectangle"):
        engine.search(image, region=region)


@pytest.mark.parametrize(
    "more", [{"text": "red"}, {"schemes": ["lbp:l1"]}, {"unlike": ["x"]}, {"like": ["x"]}]
)
def test_a_region_belongs_to_one_picture(engine, more) -> None:
    """Nothing else can be meant beside it."""
    image, box = disc(engine)
    with pytest.raises(InvalidInput, match="one picture"):
        engine.search(image, region=box, **more)

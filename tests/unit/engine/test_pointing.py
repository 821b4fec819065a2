"""Searching by a part of a picture."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import discs
import encoders
from saccade.engine import Box, Engine, Spot
from saccade.errors import InvalidInput


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the discs; read only."""
    place = tmp_path_factory.mktemp("discs")
    with Engine(place / "discs.saccade", warm=False) as engine:
        engine.add(discs.draw(place / "pictures"), recipe="embedding")
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
    """Every other disc comes before every plain field; a rectangle of sky finds something else."""
    image, box = disc(engine)
    page = engine.search(image, part=Box(*box), k=16)
    fields = [name for name in names(page) if name != "dot"]
    assert all(name.startswith("disc") for name in fields[: discs.WITH - 1])
    assert "disc-0" not in names(page)
    assert page.hits[0].why.keys() == {"parts:match"}
    sky = engine.search(image, part=Box(0.0, 0.0, 0.15, 1.0), k=16)
    assert not all(name.startswith("disc") for name in names(sky)[: discs.WITH - 1])


def test_a_hit_says_where_the_part_is(engine) -> None:
    """The box of a found disc holds the middle of that disc; other searches have no such box."""
    image, box = disc(engine)
    page = engine.search(image, part=Box(*box), k=16)
    for hit in page.hits[:4]:
        top, left, bottom, right = disc(engine, int(Path(hit.path).stem[-1]))[1]
        assert hit.match is not None
        assert hit.match[0] <= (top + bottom) / 2 <= hit.match[2]
        assert hit.match[1] <= (left + right) / 2 <= hit.match[3]
    assert {hit.match for hit in engine.search(image, k=16).hits} == {None}


def test_a_press_on_a_thing_grows_to_it(engine) -> None:
    """A place on the disc finds the other discs."""
    image, (top, left, bottom, right) = disc(engine)
    page = engine.search(image, part=Spot((top + bottom) / 2, (left + right) / 2), k=16)
    fields = [name for name in names(page) if name != "dot"]
    assert all(name.startswith("disc") for name in fields[: discs.WITH - 1])


def test_where_the_file_is_gone_its_positions_serve(engine) -> None:
    """The part is the mean of the positions under it."""
    image, box = disc(engine)
    Path(engine.image(image).paths[0]).rename(engine.path / "away")
    try:
        page = engine.search(image, part=Box(*box), k=16)
    finally:
        Path(engine.path / "away").rename(engine.image(image).paths[0])
    assert sum(name.startswith("disc") for name in names(page)[:4]) >= 3


def test_a_store_without_positions_says_so(drawn, tmp_path) -> None:
    """And which recipe brings some."""
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        engine.add(drawn.parent / "pictures", recipe="lbp")
        image, box = disc(engine)
        with pytest.raises(InvalidInput, match=r"no embedding.*\+embedding"):
            engine.search(image, part=Box(*box))


def test_an_encoder_without_a_map_is_named(drawn, tmp_path) -> None:
    """Its pictures are compared as wholes, and a part of one is refused."""
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        engine.add(drawn.parent / "pictures", recipe=encoders.encoder_pair(tmp_path))
        image, box = disc(engine)
        assert len(engine.search(image, k=3).hits) == 3
        with pytest.raises(InvalidInput, match=r"colour\.onnx' says nothing of parts"):
            engine.search(image, part=Box(*box))


def test_a_picture_from_outside_can_be_pointed_at(engine, tmp_path) -> None:
    """As an array, as bytes and as a file, the same part finds the same pictures."""
    image, box = disc(engine, 1)
    pixels = np.asarray(Image.open(engine.image(image).paths[0]).convert("RGB")).copy()
    pixels[0, 0] = 255  # other bytes: it is not the one of the collection
    file = tmp_path / "outside.png"
    Image.fromarray(pixels).save(file)
    given = (pixels, file, file.read_bytes())
    pages = [engine.search(query, part=Box(*box), k=9) for query in given]
    assert names(pages[0]) == names(pages[1]) == names(pages[2])
    fields = [name for name in names(pages[0]) if name != "dot"]
    assert all(name.startswith("disc") for name in fields[:6])
    assert len(engine.search(file, part=Spot(0.5, 0.5), k=4).hits) == 4


def test_marks_are_heard_and_a_restart_forgets_nothing(engine) -> None:
    """The part that was pointed at is in the log, of pictures of the collection and others."""
    image, box = disc(engine)
    outside = np.zeros((40, 60, 3), np.uint8)
    outside[10:30, 20:40] = (200, 40, 30)
    pages = [engine.search(image, part=Box(*box), k=12, user="ana")]
    pages.append(engine.search(outside, part=Box(0.25, 0.35, 0.75, 0.65), k=12, user="ana"))
    pages = [engine.react(page, liked=[page.hits[1]], disliked=[page.hits[-1]]) for page in pages]
    digest = engine.digest
    engine.close()
    with Engine(engine.path, warm=False) as again:
        for page in pages:
            shown = again.show(page, k=12)
            assert names(shown) == names(page)
            assert shown.schemes == ("parts:match",)
        assert again.replay() == digest


def test_an_ordinary_search_does_not_look_at_parts(engine) -> None:
    """They are no scheme that others weigh."""
    image, _ = disc(engine)
    page = engine.search(image, k=3)
    assert not any(name.startswith("parts") for name in (*page.schemes, *page.hits[0].why))
    assert "parts:match" not in {info.scheme for info in engine.library.schemes()}


def test_a_new_picture_takes_part_at_once(drawn, tmp_path) -> None:
    """What `add` described is all that a search by a part needs."""
    pictures = shutil.copytree(drawn.parent / "pictures", tmp_path / "pictures")
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        engine.add(pictures, recipe="embedding")
        image, box = disc(engine)
        rng = np.random.default_rng(99)
        Image.fromarray(discs.field(rng, disc=True)[0]).save(pictures / "things" / "new.png")
        engine.add(pictures)
        assert "new" in names(engine.search(image, part=Box(*box), k=discs.WITH + 1))


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (20, 400)])
def test_any_picture_can_be_pointed_at(engine, shape) -> None:
    """Of one pixel, of one row, of twenty times its height; of one colour: all of it is a part."""
    pixels = np.full((*shape, 3), 120, np.uint8)
    for part in (Box(0.0, 0.0, 1.0, 1.0), Spot(1.0, 1.0)):
        assert len(engine.search(pixels, part=part, k=4).hits) == 4


@pytest.mark.parametrize("shape", [(16, 320), (320, 16), (64, 64)])
def test_an_indexed_picture_of_any_shape_and_one_colour_has_parts(drawn, tmp_path, shape) -> None:
    """It is searched by a part and found by one, has words and a map: finite, within 0..1."""
    with Engine(shutil.copytree(drawn, tmp_path / "copy.saccade"), warm=False) as engine:
        (tmp_path / "odd").mkdir()
        Image.fromarray(np.full((*shape, 3), 90, np.uint8)).save(tmp_path / "odd" / "odd.png")
        engine.add(tmp_path / "odd")
        odd = next(r for r in engine.images() if r.paths[0].endswith("odd.png")).image_id
        page = engine.search(odd, part=Box(0.2, 0.2, 0.8, 0.8), k=len(engine))
        assert len(page.hits) == len(engine) - 1
        image, box = disc(engine)
        others = engine.search(image, part=Box(*box), k=len(engine))
        assert odd in [hit.image_id for hit in others.hits]
        assert engine.words_of(odd, part=Spot(0.5, 0.5))
        glow = engine.maps.search(others, odd)
        assert glow.values.ndim == 2
        assert glow.values.min() >= 0.0
        assert glow.values.max() <= 1.0


@pytest.mark.parametrize(
    "region",
    [99, -1, (0, 0, 0, 0), (0.5, 0, 0.2, 1), (0, 0, 2, 1), "x", True, (0, 2), (0,), [None] * 4],
)
def test_what_is_no_part_of_a_picture_is_refused(engine, region) -> None:
    """By a sentence."""
    image, _ = disc(engine)
    with pytest.raises(InvalidInput, match=r"region|rectangle|spot"):
        engine.search(image, part=region)


@pytest.mark.parametrize(
    "more", [{"text": "red"}, {"schemes": ["lbp:l1"]}, {"unlike": ["x"]}, {"like": ["x"]}]
)
def test_a_region_belongs_to_one_picture(engine, more) -> None:
    """Nothing else can be meant beside it."""
    image, box = disc(engine)
    with pytest.raises(InvalidInput, match="one picture"):
        engine.search(image, part=Box(*box), **more)

"""Regions as a recipe's choice: cut when pictures are indexed, kept beside their other columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import discs
from inside import collection_of
from saccade.engine import Engine, Region
from saccade.engine.sources import cut, regions
from saccade.errors import InvalidInput
from saccade.images.picture import ArrayPicture
from saccade.images.relevance import labels_at, render_relevance, triptych


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the discs whose recipe has regions."""
    place = tmp_path_factory.mktemp("regions")
    with Engine(place / "own.saccade", warm=False) as engine:
        engine.add(discs.draw(place / "pictures"), recipe="embedding,regions")
    return place


@pytest.fixture
def engine(place: Path) -> Iterator[Engine]:
    with Engine(place / "own.saccade", warm=False) as engine:
        yield engine


def named(engine: Engine, name: str) -> str:
    return next(one.image_id for one in engine.images() if Path(one.paths[0]).stem == name)


def test_every_picture_is_cut_when_it_is_indexed(engine) -> None:
    """One of one pixel has one region; cut again it is the same, and the doctor has no word."""
    view = regions.of(collection_of(engine))
    assert view is not None
    assert all(view.has(row) for row in range(len(engine)))
    record = engine.image(named(engine, "disc-0"))
    from saccade.images.decode import decode

    again = cut.cut(decode(Path(record.paths[0]).read_bytes()).picture)
    assert np.array_equal(view.bag(record.row), again.vectors)
    assert np.array_equal(view.cut(record.row).masks, again.masks)
    assert view.count(engine.image(named(engine, "dot")).row) == 1
    assert engine.library.doctor() == ()


def test_concepts_speak_of_regions_where_a_recipe_has_them(engine) -> None:
    """As in the paper; the region of the disc is bright, and the map says that nobody checked."""
    for number in range(3):
        better, worse = named(engine, f"disc-{number}"), named(engine, f"plain-{number}")
        engine.concepts.prefer("things", better, worse, user="ana")
    found = engine.concepts.rank("things", user="ana")
    assert found.features == "paper"
    assert Path(found.images[0].path).stem.startswith("disc")
    glow = engine.concepts.glow(named(engine, "disc-5"), "things", user="ana")
    pixels, _ = discs.field(np.random.default_rng(4), disc=True)
    assert (glow.values.shape, glow.trusted) == (pixels.shape[:2], False)
    assert glow.values.max() == 1.0


def test_regions_are_no_scheme(engine) -> None:
    """They compare nothing: no search weighs them."""
    assert not any(info.scheme.startswith("regions") for info in engine.library.schemes())


def test_a_region_is_pointed_at_by_its_number(engine) -> None:
    """By the box around it; a number that the picture has not is refused."""
    image = named(engine, "disc-1")
    assert len(engine.search(image, part=Region(0), k=5).hits) == 5
    with pytest.raises(InvalidInput, match=r"region 99: this picture has \d+"):
        engine.search(image, part=Region(99))


def test_a_store_without_regions_points_otherwise(place, tmp_path) -> None:
    """The error names the other ways."""
    with Engine(tmp_path / "plain.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="embedding")
        with pytest.raises(InvalidInput, match=r"keeps no regions.*a box or a spot"):
            engine.search(named(engine, "disc-1"), part=Region(0))


def test_maps_of_regions_are_bright_where_it_counts() -> None:
    """In the drawing side by side; borders follow the masks."""
    rng = np.random.default_rng(0)
    pixels, inside = discs.field(rng, disc=True)
    found = cut.cut(ArrayPicture(pixels))
    labels = labels_at(found.masks, 72, 96)
    assert set(np.unique(labels)) <= set(range(len(found)))
    shares = [(inside & (labels == n)).sum() / inside.sum() for n in range(len(found))]
    disc = int(np.argmax(shares))
    relevance = np.zeros(len(found), np.float32)
    relevance[disc] = 1.0
    drawn = render_relevance(ArrayPicture(pixels), labels, relevance).astype(float)
    core = inside & (labels == disc)
    assert drawn[core].mean() > 0.8 * pixels[core].mean()
    far = labels != disc
    assert drawn[far].mean() < 0.35 * pixels[far].mean()
    assert triptych(ArrayPicture(pixels), found.masks, relevance).shape == (72, 3 * 96 + 24, 3)

"""Maps: where in a picture a score comes from, and when that is to be trusted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import discs
from inside import collection_of
from saccade.descriptors import classifier
from saccade.engine import Box, Engine, Spot
from saccade.engine.rooms.maps import brightest_of, grown
from saccade.engine.sources import parts
from saccade.errors import NoMap


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


def named(engine: Engine, name: str) -> str:
    return next(one.image_id for one in engine.images() if Path(one.paths[0]).stem == name)


def test_the_parts_of_a_score_add_up_to_the_score_of_the_embedding(engine) -> None:
    """Their mean is w · u for any w: what is kept small loses where, never how much."""
    view = parts.of(collection_of(engine))
    assert view is not None
    rng = np.random.default_rng(3)
    for row in range(0, len(engine), 3):
        direction = rng.normal(size=1280).astype(np.float32)
        whole = float(view.column.vector(row) @ direction)
        assert view.scored(row, direction).mean() == pytest.approx(whole, abs=1e-4)


def test_the_kernel_scores_positions_as_numpy_does(engine) -> None:
    """Read as they lie, two and four to a byte."""
    view = parts.of(collection_of(engine))
    assert view is not None
    direction = np.random.default_rng(5).normal(size=1280).astype(np.float32)
    rows = np.array([7, 0, 12])
    one_by_one = [view.scored(int(row), direction) for row in rows]
    np.testing.assert_allclose(view.scored_rows(rows, direction), one_by_one, atol=1e-3)


def test_a_search_has_a_map_that_its_marks_move(engine) -> None:
    """What is marked as wrong is no longer what glows."""
    page = engine.search(named(engine, "disc-0"), k=14, user="ana")
    before = engine.maps.search(page, named(engine, "disc-3")).values
    page = engine.react(page, disliked=[named(engine, "plain-0"), named(engine, "plain-1")])
    after = engine.maps.search(page, named(engine, "disc-3")).values
    assert before.shape == after.shape
    assert np.abs(before - after).max() > 0.02


def test_a_typed_word_has_a_map(engine) -> None:
    """From the usual towards its kinds; a search by words needs no picture for it."""
    page = engine.search(text="balloon", k=5)
    found = engine.maps.search(page, named(engine, "disc-5"))
    assert found.about == "this search"
    direction = classifier.direction({417: 1.0})  # balloon
    again = engine.maps.of(engine.image(named(engine, "disc-5")).row, direction, about="balloon")
    assert np.corrcoef(found.values.ravel(), again.values.ravel())[0, 1] > 0.9


def test_an_attribute_has_a_map(engine) -> None:
    """Of what it goes by, the embedding says where."""
    engine.attributes.create("round")
    for number in range(6):
        engine.attributes.label("round", named(engine, f"disc-{number}"), 1, user="ana")
        engine.attributes.label("round", named(engine, f"plain-{number}"), -1, user="ana")
    found = engine.attributes.glow(named(engine, "disc-6"), "round", user="ana")
    assert (found.about, found.values.max()) == ("round", 1.0)


def test_words_know_where(engine) -> None:
    """Of a part as of a whole, with probabilities; another part, other words."""
    image = named(engine, "disc-0")
    whole = engine.words_of(image)
    for part in (Box(0.0, 0.0, 0.2, 1.0), Spot(0.5, 0.5)):
        found = engine.words_of(image, part=part)
        assert all(0.0 < one.probability <= 1.0 for one in found)
        assert found != whole


def test_a_store_without_an_embedding_has_no_maps(tmp_path) -> None:
    """The error says which recipe has."""
    with Engine(tmp_path / "plain.saccade", warm=False) as engine:
        engine.add(discs.draw(tmp_path / "pictures"), recipe="lbp")
        page = engine.search(named(engine, "disc-0"), k=3)
        with pytest.raises(NoMap, match=r"no embedding.*\+embedding"):
            engine.maps.search(page, page.hits[0])


def test_the_brightest_place_is_a_box_around_what_hangs_together() -> None:
    """Another bright spot apart from it is not in it; an even map has none."""
    scores = np.zeros((7, 7), np.float32)
    scores[2:4, 1:3], scores[6, 6] = 1.0, 0.9
    assert brightest_of(scores) == pytest.approx((2 / 7, 1 / 7, 4 / 7, 3 / 7))
    assert brightest_of(np.ones((7, 7), np.float32)) is None


def test_what_grows_stays_among_what_is_allowed() -> None:
    """Edge by edge, not over corners."""
    allowed = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 1]], bool)
    assert grown(allowed, (0, 0)).sum() == 2
    assert grown(allowed, (2, 2)).sum() == 3

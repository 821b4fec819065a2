"""Pictures that are nearly the same lie in one stack; pictures that are only alike do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image, ImageEnhance

from inside import collection_of
from saccade.engine import Engine
from saccade.engine.sources import copies

SCENES = 8


def scene(seed: int) -> Image.Image:
    """Shapes and speckles on a gradient: no two are alike, each has features."""
    rng = np.random.default_rng(seed)
    ramp = np.linspace(40, 200, 320)[None, :, None] * np.ones((240, 1, 3))
    canvas = np.ascontiguousarray(ramp * rng.uniform(0.4, 1.0, 3), np.uint8)
    for _ in range(40):
        centre = int(rng.integers(320)), int(rng.integers(240))
        colour = tuple(map(int, rng.integers(0, 256, 3)))
        cv2.circle(canvas, centre, int(rng.integers(4, 34)), colour, -1)
        corner = int(rng.integers(320)), int(rng.integers(240))
        cv2.rectangle(canvas, centre, corner, colour, 2)
    return Image.fromarray(canvas)


@pytest.fixture(scope="module", params=["embedding,gist,words", "embedding,gist"])
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """Eight scenes, the first three with copies: smaller and coarser, brighter, cut."""
    folder = tmp_path_factory.mktemp("copies")
    for seed in range(SCENES):
        picture = scene(seed)
        picture.save(folder / f"{seed}.png")
        if seed < 3:
            picture.resize((213, 160)).save(folder / f"{seed}-small.jpg", quality=70)
            ImageEnhance.Brightness(picture).enhance(1.1).save(folder / f"{seed}-bright.jpg")
            picture.crop((4, 3, 316, 237)).save(folder / f"{seed}-cut.jpg")
    with Engine(folder / "s.saccade", warm=False) as engine:
        engine.add(folder, recipe=request.param, workers=1)
        yield engine


def called(engine: Engine, image_id: str) -> str:
    return Path(engine.image(image_id).paths[0]).stem


def stacked(engine: Engine, query: str) -> dict[str, set[str]]:
    """The stacks of a page by the first of each, by name; the query is not on its page."""
    name = {called(engine, one.image_id): one.image_id for one in engine.images()}
    found: dict[str, set[str]] = {}
    for hit in engine.search(name[query], k=50):
        if hit.stack:
            found.setdefault(called(engine, hit.stack), set()).add(called(engine, hit.image_id))
    return found


def test_copies_lie_in_one_stack_and_others_in_none(engine: Engine) -> None:
    """Named by whichever of them comes first; a scene of its own is in none."""
    found = stacked(engine, "7")
    assert sorted(map(sorted, found.values())) == [
        sorted(f"{seed}{end}" for end in ("", "-small", "-bright", "-cut")) for seed in range(3)
    ]
    assert all(first in names for first, names in found.items())


def test_the_query_is_in_no_stack_of_its_page(engine: Engine) -> None:
    """Its copies are, by themselves."""
    found = stacked(engine, "1")
    assert {"1-small", "1-bright", "1-cut"} in found.values()


def test_a_stack_is_of_what_is_there(engine: Engine) -> None:
    """One alone on a short page is in no stack; asked about some rows, others do not count."""
    collection = collection_of(engine)
    every = collection.living
    first = copies.stacks(collection, every)
    assert len(first) == 12
    pair = [row for row, top in first.items() if top == first[next(iter(first))]][:2]
    assert copies.stacks(collection, np.array(pair[::-1])) == dict.fromkeys(pair, pair[1])
    assert copies.stacks(collection, np.array(pair[:1])) == {}


def test_nothing_joins_through_a_third(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    """Of three in a row, each like the next, the third begins its own stack or has none."""
    chain = np.array([[0, 1], [1, 2], [2, 3]])
    monkeypatch.setattr(copies, "nearly_same", lambda view, pairs: chain)
    collection = collection_of(engine)
    assert copies.stacks(collection, np.arange(4)) == {0: 0, 1: 0, 2: 2, 3: 2}
    assert copies.stacks(collection, np.array([1, 0, 2, 3])) == {1: 1, 0: 1, 2: 1}


def test_colours_alone_make_no_stack(tmp_path: Path) -> None:
    """Without an embedding nothing is called nearly the same."""
    for name in ("a", "b"):
        scene(1).save(tmp_path / f"{name}.jpg", quality=60 if name == "a" else 90)
    scene(2).save(tmp_path / "c.jpg")
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        engine.add(tmp_path, recipe="color-histogram,gist", workers=1)
        page = engine.search(engine.images()[0].image_id)
        assert [hit.stack for hit in page] == ["", ""]

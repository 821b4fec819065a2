"""A tiny world drawn in code, and stores made of it once and copied for each test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from saccade.engine import Engine
from saccade.testbed import worlds

# How long one example takes says more about the machine than about the code.
settings.register_profile("saccade", deadline=None)
settings.load_profile("saccade")

# Cheap descriptors that need no model: most tests are about the loop, not about vision.
RECIPE = "color-histogram,edge-directions,lbp"
IMAGES = 36


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Built models go to a folder of the tests, not to the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        # Workers of one run share it: building the encoder once is enough.
        base = tmp_path_factory.getbasetemp()
        shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
        patch.setenv("SACCADE_CACHE", str(shared / "cache"))
        yield


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of drawn pictures, one sub-folder a class; read only."""
    folder = tmp_path_factory.mktemp("world") / "pictures"
    worlds.write(folder, images=IMAGES, seed=5, size=(160, 120))
    return folder


@pytest.fixture(scope="session")
def indexed(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the world; read only."""
    store = tmp_path_factory.mktemp("store") / "world.saccade"
    with Engine(store, warm=False) as engine:
        engine.add(world, recipe=RECIPE)
    return store


@pytest.fixture
def pictures(world: Path, tmp_path: Path) -> Path:
    """A copy of the world's pictures that a test may change."""
    return Path(shutil.copytree(world, tmp_path / "pictures"))


@pytest.fixture
def open_copy(indexed: Path, tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    """Opens engines on a copy of the indexed store; the same copy within one test."""
    store = tmp_path / "copy.saccade"
    shutil.copytree(indexed, store)
    opened: list[Engine] = []

    def open_one() -> Engine:
        opened.append(Engine(store, warm=False))
        return opened[-1]

    yield open_one
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(open_copy: Callable[..., Engine]) -> Engine:
    """An engine on a store of its own."""
    return open_copy()


@pytest.fixture
def first(engine: Engine) -> str:
    """The id of some image of the collection."""
    return engine.images(0, 1)[0].image_id

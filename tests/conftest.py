"""A tiny world drawn in code, and stores made of it once and copied for each test."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import postgres
from saccade.engine import Engine
from saccade.testbed import worlds

# How long examples take says more about the machine than about the code; and a run that was green
# is green again: to look further, give another profile to `--hypothesis-profile`.
settings.register_profile(
    "saccade", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("saccade")

# Cheap descriptors that need no model: most tests are about the loop, not about vision.
RECIPE = "color-histogram,edge-directions,lbp"
IMAGES = 36


MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30


def pytest_configure(config: pytest.Config) -> None:
    """Put what tests write into memory where there is room for it.

    Stores sync whatever they promise to keep, some twenty times a test: on a disk the suite spends
    minutes waiting for what no test is about. What happens when power fails is tested by a
    recorder, not by a disk.
    """
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


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


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL server of this run's own; skipped where none can be had."""
    with postgres.server() as address:
        yield address


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    """A Ray cluster of one small node for this run; skipped where Ray is not installed."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'saccade[ray]'")
    support = str(Path(__file__).parent / "support")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            configure_logging=False,
            object_store_memory=100 * 2**20,
            runtime_env={"env_vars": {"PYTHONPATH": support}},
        )
        yield
        ray.shutdown()


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

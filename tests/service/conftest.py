"""A small world behind a real server: requests travel over a socket, as a client's do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

import saccade
from saccade.engine import Engine
from saccade.service.server import Server, prepare
from saccade.testbed.worlds import write
from servers import PATIENCE, running

RECIPE = "color-histogram,lbp"


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 36 pictures and one file that is none."""
    folder = tmp_path_factory.mktemp("pictures")
    write(folder, images=36, seed=3, size=(160, 120))
    (folder / "notes.jpg").write_bytes(b"this is no picture")
    return folder


@pytest.fixture(scope="session")
def engine(pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The indexed world; tests keep apart by user names."""
    with saccade.open(tmp_path_factory.mktemp("store") / "world.saccade") as engine:
        engine.add(pictures, recipe=RECIPE, workers=1)
        yield engine


@pytest.fixture(scope="session")
def address(engine: Engine) -> Iterator[str]:
    """Where the world is served."""
    with running(prepare(engine, port=0)) as url:
        yield url


@pytest.fixture(scope="session")
def client(address: str) -> Iterator[httpx.Client]:
    """A program that talks to the server."""
    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        yield client


@pytest.fixture(scope="session")
def ids(engine: Engine) -> list[str]:
    """Every image id."""
    return [record.image_id for record in engine.images(0, 100)]


@pytest.fixture
def search(client: httpx.Client, ids: list[str]) -> Callable[..., dict[str, object]]:
    """Search with the first picture, for a user of the test's own."""

    def search(user: str, **fields: object) -> dict[str, object]:
        body = {"image_id": ids[0], "user": user, "k": 20, **fields}
        answer = client.post("/api/v1/search", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return search


@pytest.fixture(scope="session")
def serving() -> Callable[[Server], object]:
    """The way to run another server in a test."""
    return running

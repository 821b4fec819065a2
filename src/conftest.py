"""What examples in docstrings find: a small store of drawn pictures, a copy for each of them.

    pictures    the folder of the drawings, one sub-folder a class
    engine      open on a copy of their store
    server      the address of a server around that engine
    folder      an empty place to write to

Only what an example names is made; the drawings are made and indexed once a run.
"""

from __future__ import annotations

import ast
import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from saccade.engine import Engine
from saccade.testbed import worlds

RECIPE = (
    "color-histogram,color-moments,color-correlogram,edge-directions,wavelet-texture,cortex,words,"
    "embedding"
)


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pictures and their store; read only."""
    place = tmp_path_factory.mktemp("examples")
    worlds.write(place / "pictures", images=36, seed=5, size=(160, 120))
    with pytest.MonkeyPatch.context() as patch, Engine(place / "store", warm=False) as engine:
        patch.setenv("SACCADE_CACHE", str(place / "cache"))
        engine.add(place / "pictures", recipe=RECIPE, workers=1)
    return place


@pytest.fixture(autouse=True)
def surroundings(
    request: pytest.FixtureRequest, doctest_namespace: dict[str, object], tmp_path: Path
) -> Iterator[None]:
    """The names that an example uses and does not make."""
    examples = [] if request.node.dtest is None else request.node.dtest.examples
    used = {
        node.id
        for example in examples
        for node in ast.walk(ast.parse(example.source))
        if isinstance(node, ast.Name)
    }
    names: dict[str, object] = {"folder": tmp_path / "folder"}
    (tmp_path / "folder").mkdir()
    with ExitStack() as stack:
        if used & {"pictures", "engine", "server"}:
            place = request.getfixturevalue("drawn")
            names["pictures"] = place / "pictures"
            if used & {"engine", "server"}:
                store = shutil.copytree(place / "store", tmp_path / "store")
                engine = Engine(store, warm=False, clock=lambda: 1.7e9, seed=0)
                names["engine"] = stack.enter_context(engine)
                if "server" in used:
                    names["server"] = stack.enter_context(_served(engine))
        doctest_namespace.update(names)
        yield
        for name in names:
            del doctest_namespace[name]


@contextmanager
def _served(engine: Engine) -> Iterator[str]:
    """A server of its own around an engine."""
    from saccade.service.server import prepare

    server = prepare(engine, port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.should_exit = True
        thread.join()

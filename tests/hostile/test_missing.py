"""A store whose encoder file or plug-in is not there: what it made is kept, the rest works."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from encoders import image_model
from inside import store_of
from saccade.cli.app import build
from saccade.engine import Engine
from saccade.engine.sources import dense
from saccade.service.server import prepare
from saccade.testbed import worlds
from servers import PATIENCE, running

PLUGIN = """
import numpy as np

class Gone:
    name, version, dimension, kind = "gone", "1", 2, "texture"

    def describe(self, pictures):
        return np.array([[p.gray.mean(), 1.0] for p in pictures], np.float32)
"""
Hidden = tuple[str, Callable[[bool], None]]


def by_file(place: Path, patch: pytest.MonkeyPatch) -> Hidden:
    """An encoder by file, which can be moved away."""
    file, away = image_model(place / "colour.onnx"), place / "away.onnx"

    def there(yes: bool) -> None:
        (away if yes else file).rename(file if yes else away)

    return f"embedding@{file}", there


def by_plugin(place: Path, patch: pytest.MonkeyPatch) -> Hidden:
    """A plug-in, which can be uninstalled."""
    site = place / "site"
    notes = site / "gone-1.0.dist-info"
    notes.mkdir(parents=True)
    (site / "gone.py").write_text(textwrap.dedent(PLUGIN))
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: gone\nVersion: 1.0\n")
    patch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]))
    patch.syspath_prepend(str(site))
    points = notes / "entry_points.txt"

    def there(yes: bool) -> None:
        points.write_text("[saccade.descriptors]\ngone = gone:Gone\n" if yes else "")
        sys.modules.pop("gone", None)

    there(True)
    return "gone", there


@pytest.fixture(params=[by_file, by_plugin])
def hidden(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hidden]:
    name, there = request.param(tmp_path, monkeypatch)

    def cleared(yes: bool) -> None:
        there(yes)
        dense.descriptor_of.cache_clear()

    yield name, cleared
    dense.descriptor_of.cache_clear()


@pytest.fixture
def store(tmp_path: Path, hidden: Hidden) -> Path:
    """A store that was indexed and taught while it was there, and now it is not."""
    name, there = hidden
    worlds.write(tmp_path / "pictures", images=6, seed=3, size=(64, 48))
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        engine.add(tmp_path / "pictures", recipe=f"lbp,{name}")
        page = engine.search(engine.images(0, 1)[0].image_id, user="ana", k=4)
        engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])
    there(False)
    return tmp_path / "s.saccade"


def test_everything_else_works(store: Path, hidden: Hidden) -> None:
    """It opens, warm too, searches pictures of its own and from outside, and learns."""
    name, _ = hidden
    with Engine(store) as engine:
        assert list(engine.library.report().resting) == [name]
        assert {info.descriptor for info in engine.library.schemes(user="ana")} == {"lbp"} | {
            scheme.partition(":")[0] for scheme in engine.search(first(engine)).schemes
        }
        page = engine.search(first(engine), user="ana", k=4)
        assert not any(scheme.startswith(name) for scheme in page.schemes)
        outside = store.parent / "outside"
        worlds.write(outside, images=1, seed=8, size=(64, 48))
        assert len(engine.search(next(outside.rglob("*.jpg")), k=4)) == 4
        engine.react(page, liked=[page.hits[1].image_id])
        assert engine.digest == engine.replay()


def first(engine: Engine) -> str:
    return engine.images(0, 1)[0].image_id


def test_its_column_is_kept_and_goes_on_when_it_is_back(store: Path, hidden: Hidden) -> None:
    """Indexing and repairing without it leave it alone; what came meanwhile is filled in."""
    name, there = hidden
    worlds.write(store.parent / "more", images=2, seed=9, size=(64, 48))
    with Engine(store, warm=False) as engine:
        report = engine.add(store.parent / "more")
        assert report.added == 2
        assert [problem.path for problem in report.problems] == [name]
        engine.library.doctor(repair=True)
        kept = [s for s in store_of(engine).columns.segments() if s.name == name]
        assert sum(segment.rows for segment in kept) == 6
    there(True)
    with Engine(store, warm=False) as engine:
        assert engine.library.report().resting == {}
        assert engine.library.report().incomplete[:1] == (name,)
        engine.add(store.parent / "more")
        assert engine.library.vectors(name).any(axis=1).tolist() == [True] * 8
        assert engine.library.doctor() == ()


def test_the_doctor_the_lists_and_the_service_say_so(store: Path, hidden: Hidden) -> None:
    """With the reason; the doctor with the way out, which works."""
    name, _ = hidden
    with Engine(store, warm=False) as engine:
        (found,) = [f for f in engine.library.doctor() if f.place == f"column {name}"]
        assert found.problem.startswith("rests: ")
        assert not found.rebuildable
        with running(prepare(engine, port=0)) as address:
            told = httpx.get(f"{address}/api/v1/collection", timeout=PATIENCE).json()
        assert list(told["resting"]) == [name]
    listed = CliRunner().invoke(build(), ["schemes", "--store", str(store), "--json"])
    assert list(json.loads(listed.output)["resting"]) == [name]
    with Engine(store, warm=False) as engine:
        engine.add(store.parent / "pictures", recipe=f"-{name}")
        assert engine.library.doctor() == ()


def test_a_damaged_segment_of_it_is_named_and_kept(store: Path, hidden: Hidden) -> None:
    """Nothing could make it again."""
    name, _ = hidden
    with Engine(store, warm=False) as engine:
        segments = store_of(engine).columns.segments()
        (segment,) = [s for s in segments if s.name == name]
        file = store / segment.files["vectors"]
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
        places = [f.place for f in engine.library.doctor(repair=True) if not f.repaired]
        assert places == [f"column {name}, rows 0 to 5", f"column {name}"]
        assert segment in store_of(engine).columns.segments()

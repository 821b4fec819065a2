"""SIGKILL at any moment: every acknowledged image and event is there afterwards."""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inside import log_of
from saccade.engine import Engine
from saccade.testbed import worlds

SACCADE = Path(sys.executable).with_name("saccade")
RECIPE = "color-histogram,lbp"
IMAGES = 40
PATIENCE = 120.0  # a loaded machine is slow, not wrong

# The command line itself, made to commit often so that a kill finds it at work.
EAGER = """
import sys
from saccade.engine.indexing import crew, run
crew.FILES_A_TASK, run.IMAGES_A_COMMIT, crew.FEW = 2, 4, int(sys.argv.pop(1))
from saccade.cli import main
main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small pictures, a copy and a file that is none."""
    place = tmp_path_factory.mktemp("killed") / "pictures"
    worlds.write(place, images=IMAGES, seed=3, size=(48, 36))
    some = sorted(place.rglob("*.*"))
    shutil.copy(some[5], place / "copy.png")
    (place / "broken.jpg").write_bytes(b"\xff\xd8\xff broken")
    return place


@pytest.fixture(scope="module")
def clean(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store indexed in one go."""
    store = tmp_path_factory.mktemp("clean") / "clean.saccade"
    with Engine(store, warm=False) as engine:
        engine.add(folder, recipe=RECIPE)
    return store


def until(condition: Callable[[], bool], process: subprocess.Popen[Any]) -> None:
    """Wait for a moment in the life of a process; its end is one too."""
    end = time.monotonic() + PATIENCE
    while not condition() and process.poll() is None:
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def committed(store: Path) -> int:
    """How many images a reader sees; a store that is not made yet has none."""
    try:
        with sqlite3.connect(f"file:{store / 'catalog.sqlite'}?mode=ro", uri=True) as raw:
            found = raw.execute("SELECT count(*) FROM images").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        if "raw" in locals():
            raw.close()
    return int(found)


def index(folder: Path, store: Path, few: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *(sys.executable, "-c", EAGER, str(few), "index", str(folder)),
            *("--into", str(store), "--recipe", RECIPE, "--workers", "2"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("few", [1000, 4], ids=["alone", "with workers"])
def test_a_killed_indexer_loses_nothing_and_does_nothing_twice(
    folder: Path, clean: Path, tmp_path: Path, few: int
) -> None:
    """Each time the store opens and holds what it held; in the end it is a clean one's twin."""
    moments = random.Random(few)
    store = tmp_path / "killed.saccade"
    seen: list[str] = []
    amid = 0
    # One kill before the store exists, the others amid the work.
    for goal in (0, *sorted(moments.sample(range(4, IMAGES // 2), 2))):
        process = index(folder, store, few)
        until(lambda goal=goal: committed(store) >= goal, process)
        time.sleep(moments.uniform(0.0, 0.06))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with Engine(store, warm=False) as engine:
            ids = [image.image_id for image in engine.images(0, 999)]
            assert ids[: len(seen)] == seen, "an image that was there is gone"
            assert len(ids) >= goal
            assert len(set(ids)) == len(ids)
            assert all(image.paths for image in engine.images(0, 999))
            if ids:
                assert set(engine.report().incomplete) <= {"graph"}  # it comes last
                page = engine.search(ids[0], user="ana", k=3)
                if page.hits:
                    engine.react(page, liked=[page.hits[-1].image_id])
            seen = ids
            amid += 0 < len(ids) < IMAGES
    assert amid, "no kill came amid the work"
    process = index(folder, store, few)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert f"{IMAGES} images" in out
    with Engine(store, warm=False) as engine, Engine(clean, warm=False) as whole:
        assert engine.images(0, 999) == whole.images(0, 999)
        assert engine.skipped() == whole.skipped()
        assert engine.doctor() == ()
        assert engine.digest == engine.replay()
        first = whole.images(0, 1)[0].image_id
        mine, theirs = (e.search(first, k=20, ranker="uniform").hits for e in (engine, whole))
        assert mine == theirs


class Client:
    """Searches and gives feedback until the server is gone; keeps what was acknowledged."""

    def __init__(self, address: str, user: str, first: str) -> None:
        self.address, self.user, self.first = address, user, first
        self.acknowledged: list[str] = []
        self.failure: Exception | None = None
        self.thread = threading.Thread(target=self.run)

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            self.address + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def run(self) -> None:
        try:
            while True:
                page = self.post(
                    "/api/v1/search", {"image_id": self.first, "user": self.user, "k": 8}
                )
                for _ in range(3):
                    judged = page["page_id"]
                    liked = [page["hits"][-1]["image_id"]]
                    page = self.post("/api/v1/feedback", {"page_id": judged, "liked": liked})
                    self.acknowledged.append(judged)
        except urllib.error.HTTPError as error:
            self.failure = error  # an answer that is no success is no sign of death
        except (OSError, ValueError):
            return


def test_a_killed_server_loses_no_acknowledged_event(clean: Path, tmp_path: Path) -> None:
    """What was answered is in the log, once, and the models are those of the log."""
    store = Path(shutil.copytree(clean, tmp_path / "served.saccade"))
    moments = random.Random(7)
    with Engine(store, warm=False) as engine:
        first = engine.images(0, 1)[0].image_id
    acknowledged: list[str] = []
    for _ in range(2):
        server = subprocess.Popen(
            [str(SACCADE), "serve", "--store", str(store), "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        address = server.stdout.readline().split()[3]
        clients = [Client(address, f"user{number}", first) for number in range(3)]
        for client in clients:
            client.thread.start()
        goal = moments.randrange(6, 20)
        until(
            lambda clients=clients, goal=goal: sum(len(c.acknowledged) for c in clients) >= goal,
            server,
        )
        time.sleep(moments.uniform(0.0, 0.05))
        server.send_signal(signal.SIGKILL)
        server.communicate()
        for client in clients:
            client.thread.join()
            assert client.failure is None
            acknowledged += client.acknowledged
        with Engine(store, warm=False) as engine:
            logged = [e.page_id for e in log_of(engine) if e.kind == "reacted"]
            assert set(acknowledged) <= set(logged)
            assert len(set(logged)) == len(logged)
            # At most the one request of each client that was not answered any more.
            assert len(logged) <= len(acknowledged) + 2 * len(clients)
            assert engine.digest == engine.replay()
            assert engine.doctor() == ()
    assert len(acknowledged) >= 12

"""Killed at any moment: every acknowledged image and event is there afterwards."""

from __future__ import annotations

import http.client
import json
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from inside import log_of
from saccade.engine import Engine
from saccade.testbed import worlds
from servers import PATIENCE, until

SACCADE = Path(sys.executable).with_name("saccade")
RECIPE = "color-histogram,lbp"
IMAGES = 40

# The command line itself, made to commit often, and to be ended by the system at once and without a
# word so many seconds of its own processor's time after it has so many images: amid the work, on a
# machine as loaded as may be.
EAGER = """
import signal, sys
few, goal, pause = int(sys.argv.pop(1)), int(sys.argv.pop(1)), float(sys.argv.pop(1))
if not goal:
    signal.setitimer(signal.ITIMER_PROF, pause)
from saccade.engine.indexing import crew, run
from saccade.store.store import Store
crew.FILES_A_TASK, run.IMAGES_A_COMMIT, crew.FEW = 2, 4, few
plain = Store.commit
def commit(store, **changes):
    before = store.catalog.total()
    left = plain(store, **changes)
    if before < goal <= store.catalog.total():
        signal.setitimer(signal.ITIMER_PROF, pause)
    return left
Store.commit = commit
from saccade.cli import main
main()
"""
NEVER = 10 * IMAGES


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


def index(
    folder: Path, store: Path, few: int, *, goal: int, pause: float = 0.0
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, "-c", EAGER, str(few), str(goal), str(pause), "index", str(folder)),
            *("--into", str(store), "--recipe", RECIPE, "--workers", "2"),
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("few", [1000, 4], ids=["alone", "with workers"])
def test_a_killed_indexer_loses_nothing_and_does_nothing_twice(
    folder: Path, clean: Path, tmp_path: Path, few: int
) -> None:
    """Each time the store opens and holds what it held; in the end it is a clean one's twin."""
    moments = random.Random(few)
    store = tmp_path / "killed.saccade"
    assert index(folder, store, few, goal=0, pause=0.03).returncode == -signal.SIGPROF
    with Engine(store, warm=False) as engine:
        assert len(engine) == 0
    seen: list[str] = []
    for _ in range(2):
        goal = len(seen) + moments.randrange(1, 12)
        killed = index(folder, store, few, goal=goal, pause=moments.uniform(0.001, 0.01))
        assert killed.returncode == -signal.SIGPROF, "no kill came amid the work"
        with Engine(store, warm=False) as engine:
            ids = [image.image_id for image in engine.images(0, 999)]
            assert ids[: len(seen)] == seen, "an image that was there is gone"
            assert goal <= len(ids) == len(set(ids))
            assert all(image.paths for image in engine.images(0, 999))
            assert set(engine.library.report().incomplete) <= {"graph"}  # it comes last
            page = engine.search(ids[0], user="ana", k=3)
            engine.react(page, liked=[page.hits[-1].image_id])
            seen = ids
    done = index(folder, store, few, goal=NEVER)
    assert done.returncode == 0, done.stderr
    assert f"{IMAGES} images" in done.stdout
    with Engine(store, warm=False) as engine, Engine(clean, warm=False) as whole:
        assert engine.images(0, 999) == whole.images(0, 999)
        assert engine.library.skipped() == whole.library.skipped()
        assert engine.library.doctor() == ()
        assert engine.digest == engine.replay()
        first = whole.images(0, 1)[0].image_id
        mine, theirs = (e.search(first, k=20, expert="uniform").hits for e in (engine, whole))
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
                    if page["unlogged"]:
                        break  # the log is too busy for a page to be judged, and it says so
                    judged = page["page_id"]
                    liked = [page["hits"][-1]["image_id"]]
                    page = self.post("/api/v1/feedback", {"page_id": judged, "liked": liked})
                    self.acknowledged.append(judged)
        except urllib.error.HTTPError as error:
            self.failure = error  # an answer that is no success is no sign of death
        except (OSError, http.client.HTTPException):
            return  # no connection, none any more, or half of an answer


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
            lambda clients=clients, goal=goal: (
                sum(len(c.acknowledged) for c in clients) >= goal
                or not any(client.thread.is_alive() for client in clients)
            )
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
            assert engine.library.doctor() == ()
    assert len(acknowledged) >= 12

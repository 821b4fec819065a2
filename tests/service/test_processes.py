"""Several processes behind one address."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from saccade.engine import Engine
from saccade.testbed.worlds import write

# Each goes to either of two processes: that all go to one is as likely as one in two thousand.
CONNECTIONS = 12


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("several")
    write(place / "pictures", images=18, seed=2, size=(96, 64))
    with Engine(place / "world.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram", workers=1)
    return place / "world.saccade"


@contextmanager
def served(store: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`saccade serve --processes 2` in a process of its own, and its address."""
    code = "from saccade.cli import main; main()"
    command = ["serve", "--store", str(store), "--port", "0", "--processes", "2", *options]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, process.communicate(timeout=30)
        yield process, found[0]
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with served(store) as (process, url):
        yield url
    assert process.returncode == 0  # SIGTERM ended it


def workers(process: subprocess.Popen[str]) -> list[int]:
    """The processes that it started and that still run."""
    return [int(pid) for pid in _listed(process.pid)]


def _listed(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def gone(pids: list[int]) -> bool:
    """Wait until none of them runs, a minute at most."""
    for _ in range(600):
        if not any(_runs(pid) for pid in pids):
            return True
        time.sleep(0.1)
    return False


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def everywhere(address: str, ask: Callable[[httpx.Client], object]) -> list[object]:
    """The answers on many new connections."""
    answers = []
    for _ in range(CONNECTIONS):
        with httpx.Client(base_url=address, timeout=60) as client:
            answers.append(ask(client))
    return answers


def test_what_one_process_was_taught_all_of_them_know_at_once(address: str) -> None:
    """A mark made on one connection stands on every other, and the next one builds on it."""
    with httpx.Client(base_url=address, timeout=60) as client:
        first = client.get("/api/v1/images").json()["items"][0]["image_id"]
        page = client.post("/api/v1/search", json={"image_id": first, "user": "ana"}).json()
    marks: list[str] = []
    for hit in page["hits"][-4:]:

        def mark(client: httpx.Client, image: str = hit["image_id"]) -> httpx.Response:
            said = {"page_id": page["page_id"], "liked": [image]}
            return client.post("/api/v1/feedback", json=said)

        with httpx.Client(base_url=address, timeout=60) as client:
            answer = mark(client).json()
        marks.append(hit["image_id"])
        assert answer["liked"] == sorted(marks)
    shown = everywhere(
        address,
        lambda client: client.post(
            "/api/v1/show", json={"page_id": page["page_id"], "k": 5}
        ).json()["liked"],
    )
    assert shown == [sorted(marks)] * CONNECTIONS


def test_whichever_process_is_scraped_tells_the_counts_of_all(address: str) -> None:
    """And what is read from the store is told once, not once a process."""
    everywhere(address, lambda client: client.get("/api/v1/schemes"))
    for text in everywhere(address, lambda client: client.get("/metrics").text):
        lines = dict(line.rsplit(" ", 1) for line in str(text).splitlines() if line[0] != "#")
        name = 'saccade_requests_total{method="GET",route="/api/v1/schemes",status="200"}'
        assert float(lines[name]) == CONNECTIONS
        assert float(lines["saccade_images"]) == 18
        assert float(lines["saccade_unlogged"]) == 0


def test_a_port_that_they_have_is_in_use_for_others(address: str, store: Path) -> None:
    """Sharing is among themselves: a second server is told so, though it would share too."""
    port = address.rpartition(":")[2]
    code = "from saccade.cli import main; main()"
    command = ["serve", "--store", str(store), "--port", port, "--processes", "2"]
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert f"port {port} of 127.0.0.1 is in use" in done.stderr


def test_ctrl_c_ends_them_all_and_well(store: Path) -> None:
    """Exit code 0, nothing on standard error, nobody left."""
    with served(store) as (process, url):
        assert httpx.get(f"{url}/healthz", timeout=60).json()["images"] == 18
        crew = workers(process)
        assert len(crew) == 2
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        assert gone(crew)


@pytest.mark.parametrize("which", ["one of them", "their parent"])
def test_when_one_is_killed_none_is_left_behind(store: Path, which: str) -> None:
    """The server ends with a sentence, or by the hand that killed it; its port is free again."""
    with served(store) as (process, url):
        crew = workers(process)
        os.kill(crew[0] if which == "one of them" else process.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        assert gone(crew)
        if which == "one of them":
            assert process.returncode == 1
            assert "ended by itself" in err
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{url}/healthz")


def test_a_store_that_is_not_there_is_told_once(tmp_path: Path) -> None:
    """Before any process is started."""
    code = "from saccade.cli import main; main()"
    command = ["serve", "--store", str(tmp_path / "none.saccade"), "--processes", "2"]
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 3
    assert done.stderr.count("no store") == 1

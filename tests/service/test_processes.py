"""Several processes behind one address."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Pipe
from pathlib import Path

import httpx
import pytest

from saccade.engine import Engine
from saccade.errors import SaccadeError
from saccade.scale.processes import Process
from saccade.service.processes import Crew
from saccade.testbed.worlds import write
from servers import PATIENCE, until

# Each goes to either of two processes: that all go to one is as likely as one in half a million.
CONNECTIONS = 20


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
        assert found is not None, process.communicate(timeout=PATIENCE)
        yield process, found[0]
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


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


def wait_for_the_end(pids: list[int]) -> None:
    """Wait until none of them runs."""
    until(lambda: not any(_runs(pid) for pid in pids))


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
        with httpx.Client(base_url=address, timeout=PATIENCE) as client:
            answers.append(ask(client))
    return answers


def test_what_one_process_was_taught_all_of_them_know_at_once(address: str) -> None:
    """A mark made on one connection stands on every other, and the next one builds on it."""
    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        first = client.get("/api/v1/images").json()["items"][0]["image_id"]
        page = client.post("/api/v1/search", json={"image_id": first, "user": "ana"}).json()
    marks: list[str] = []
    for hit in page["hits"][-4:]:

        def mark(client: httpx.Client, image: str = hit["image_id"]) -> httpx.Response:
            said = {"page_id": page["page_id"], "liked": [image]}
            return client.post("/api/v1/feedback", json=said)

        with httpx.Client(base_url=address, timeout=PATIENCE) as client:
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


def test_each_process_may_have_shards_of_its_own(store: Path, address: str) -> None:
    """A page is the same from a collection that is cut, to the bit, and says that it is whole."""

    def order(client: httpx.Client) -> object:
        query = {"image_id": first, "user": "bo"}
        page = client.post("/api/v1/search", json=query).json()
        return [(hit["image_id"], hit["score"]) for hit in page["hits"]], page["missing"]

    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        first = client.get("/api/v1/images").json()["items"][0]["image_id"]
        whole = order(client)
    with (
        served(store, "--shards", "2") as (_, cut),
        httpx.Client(base_url=cut, timeout=PATIENCE) as client,
    ):
        assert order(client) == whole


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
        [sys.executable, "-c", code, *command], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 2
    assert f"port {port} of 127.0.0.1 is in use" in done.stderr


def test_ctrl_c_ends_them_all_and_well(store: Path) -> None:
    """Exit code 0, nothing on standard error, nobody left."""
    with served(store) as (process, url):
        assert httpx.get(f"{url}/healthz", timeout=PATIENCE).json()["images"] == 18
        crew = workers(process)
        assert len(crew) == 2
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, "")
        wait_for_the_end(crew)


def test_when_their_parent_is_killed_none_is_left_behind(store: Path) -> None:
    """Its port is free again."""
    with served(store) as (process, url):
        crew = workers(process)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        wait_for_the_end(crew)
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{url}/healthz", timeout=PATIENCE)


def alive(process: subprocess.Popen[str]) -> list[int]:
    return [pid for pid in workers(process) if _runs(pid)]


def test_one_that_is_killed_is_started_again(store: Path) -> None:
    """Connections to the other go on; soon there are two again; it is told once."""
    with served(store) as (process, url):
        clients = [httpx.Client(base_url=url, timeout=PATIENCE) for _ in range(CONNECTIONS)]
        for client in clients:
            assert client.get("/healthz").status_code == 200
        first, second = workers(process)
        os.kill(first, signal.SIGKILL)
        wait_for_the_end([first])
        answered = [_answers(client) for client in clients]
        assert any(answered)
        until(lambda: len(alive(process)) == 2)
        assert second in alive(process)
        until(lambda: all(everywhere(url, _answers)))
        for client in clients:
            client.close()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert err == "saccade: one of the processes that serve ended (SIGKILL); another begins\n"


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def test_when_they_keep_ending_the_server_ends_with_the_reason(store: Path) -> None:
    """Starting again and again is no remedy."""
    with served(store) as (process, _):
        while process.poll() is None:
            for pid in alive(process):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "ended by themselves 6 times within 60 seconds, the last one with SIGKILL" in err


class Ended:
    """A process that has ended already, with an exit code, after it served."""

    def __init__(self, code: int) -> None:
        self._code = code

    def wait(self, after: float = 0.0) -> int:
        return self._code


def test_deaths_that_are_far_apart_are_forgiven() -> None:
    """Only those of the last minute count."""
    now, told, begun = [0.0], [], []

    def begin() -> Process:
        ours, theirs = Pipe()
        theirs.send_bytes(b"http://here")
        theirs.close()  # and then it ends
        begun.append(ours)
        now[0] += 30.0 if len(begun) < 40 else 1.0
        return Process(Ended(3), ours)  # type: ignore[arg-type]

    crew = Crew(begin, 1, clock=lambda: now[0], tell=told.append)
    assert crew.ready() == "http://here"
    with pytest.raises(SaccadeError, match="6 times within 60 seconds, the last one with exit"):
        crew.watch()
    crew.end()
    assert len(begun) > 40
    assert told[0] == "saccade: one of the processes that serve ended (exit code 3); another begins"


def test_a_store_that_is_not_there_is_told_once(tmp_path: Path) -> None:
    """Before any process is started."""
    code = "from saccade.cli import main; main()"
    command = ["serve", "--store", str(tmp_path / "none.saccade"), "--processes", "2"]
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 3
    assert done.stderr.count("no store") == 1

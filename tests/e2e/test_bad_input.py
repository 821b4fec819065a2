"""Bad input in real processes: one sentence on standard error and an exit code."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from saccade.engine import Engine
from saccade.testbed import worlds

SACCADE = Path(sys.executable).with_name("saccade")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bad") / "pictures"
    worlds.write(place, images=18, seed=2, size=(48, 36))
    return place


@pytest.fixture(scope="module")
def store(folder: Path) -> Path:
    place = folder.parent / "bad.saccade"
    with Engine(place, warm=False) as engine:
        engine.add(folder, recipe="lbp")
    return place


def refused(*arguments: object, code: int) -> str:
    """The sentence of a command that must fail."""
    done = subprocess.run(
        [str(SACCADE), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("saccade: ")
    assert done.stdout == ""
    return line


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_every_kind_of_failure_has_its_exit_code(
    folder: Path, store: Path, tmp_path: Path, taken: int
) -> None:
    """2 bad input, 3 not found, 4 the store."""
    assert "no folder" in refused("index", tmp_path / "x", "--into", tmp_path / "s", code=2)
    assert "no store at" in refused("search", "x", "--store", tmp_path / "none", code=3)
    port = refused("serve", "--store", store, "--port", taken, code=2)
    assert f"port {taken}" in port
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    assert "no store" in refused("index", folder, "--into", other, code=4)


def test_ctrl_c_on_a_long_run_is_answered(folder: Path, tmp_path: Path) -> None:
    """Exit code 130, a sentence, and a store that the next run completes."""
    place = tmp_path / "s.saccade"
    slow = (
        # Who runs the tests in the background of a shell has Ctrl-C ignored.
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from saccade.engine.indexing import crew\n"
        "crew.FILES_A_TASK = 2\n"
        "done_so_far = []\n"
        "plain = crew.describe_files\n"
        "def slowly(task):\n"
        "    done = plain(task)\n"
        "    print('described', flush=True)\n"
        "    done_so_far.append(task)\n"
        # However slow this process is to send its signal, the other has not finished.
        "    time.sleep(60 if len(done_so_far) == 3 else 0)\n"
        "    return done\n"
        "crew.describe_files = slowly\n"
        "from saccade.cli import main\n"
        "main()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", slow, "index", folder, "--into", place, "--recipe", "lbp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for _ in range(3):
        assert process.stdout.readline() == "described\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "saccade: interrupted; run the same command again to go on"
    with Engine(place, warm=False) as engine:
        assert 4 <= len(engine) < 18
        kept = len(engine)
        report = engine.add(folder)
        assert (report.known, report.added) == (kept, 18 - kept)
        assert engine.library.doctor() == ()


def test_a_server_asked_to_stop_stops_well(store: Path) -> None:
    """SIGTERM is an order, not an accident: exit code 0 and nothing on standard error."""
    server = subprocess.Popen(
        [str(SACCADE), "serve", "--store", str(store), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline().startswith("Saccade is at http://127.0.0.1:")
    server.send_signal(signal.SIGTERM)
    _, err = server.communicate()
    assert (server.returncode, err) == (0, "")

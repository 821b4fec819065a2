from __future__ import annotations

import signal
import socket
import subprocess
import sys

import httpx
import pytest

from saccade.errors import InvalidInput
from saccade.service.server import prepare, serve
from servers import PATIENCE, until


def test_a_port_in_use_is_one_sentence(engine):
    """It names the port and the option."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInput, match=f"port {port} .* in use.*port="):
            serve(engine, port=port)


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("127.0.0.1", 70_000, "65535"),
        ("127.0.0.1", -1, "65535"),
        ("no such host", 0, "host="),
        ("203.0.113.1", 0, "cannot listen"),
    ],
)
def test_an_address_that_cannot_be_served_is_one_sentence(engine, host, port, words):
    """Never a traceback from the socket library."""
    with pytest.raises(InvalidInput, match=words):
        prepare(engine, host=host, port=port, token="new")


def test_what_is_small_is_sent_at_once(engine, serving):
    """No answer on a kept connection waits for the client to confirm the one before."""
    server = prepare(engine, port=0)
    with serving(server) as url, httpx.Client(base_url=url, timeout=PATIENCE) as client:
        assert client.get("/healthz").status_code == 200
        accepted = [c.transport.get_extra_info("socket") for c in server.server_state.connections]
        assert accepted
        assert all(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for s in accepted)


def test_the_caller_is_told_once_when_the_server_is_ready(engine, serving):
    """The address it gets answers at once."""
    told = []

    def ready(url):
        told.append(url)

    server = prepare(engine, port=0, ready=ready)
    with serving(server) as url:
        until(lambda: told)
        assert httpx.get(f"{url}/healthz", timeout=PATIENCE).status_code == 200
    assert told == [url]


def test_an_ipv6_address_is_written_with_brackets(engine, serving):
    """And its host is one of ours."""
    with serving(prepare(engine, host="::1", port=0)) as url:
        assert url.startswith("http://[::1]:")
        assert httpx.get(f"{url}/healthz", timeout=PATIENCE).status_code == 200


def test_a_server_for_the_network_prints_an_address_that_opens_here(engine):
    """0.0.0.0 is no address to open."""
    server = prepare(engine, host="0.0.0.0", port=0, token="new")
    try:
        assert server.url.startswith("http://127.0.0.1:")
    finally:
        server.listener.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_server_and_the_caller_goes_on(number, tmp_path):
    """`serve` returns, so that the engine is closed, and the process ends well."""
    program = f"""
import saccade
from saccade.service import serve
with saccade.open({str(tmp_path / "s.saccade")!r}, warm=False) as engine:
    serve(engine, port=0, ready=lambda url: print(url, flush=True))
print("closed")
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        url = process.stdout.readline().strip()
        assert httpx.get(f"{url}/healthz", timeout=PATIENCE).json()["images"] == 0
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out, err) == (0, "closed\n", "")

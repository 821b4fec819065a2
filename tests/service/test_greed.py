"""Clients that ask for much, slowly, or leave."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from io import BytesIO
from urllib.parse import urlsplit

import httpx
import pytest
from PIL import Image

from saccade.engine import Engine
from saccade.scale.processes import cores
from saccade.service import bodies
from saccade.service.patience import PatientProtocol
from saccade.service.server import prepare
from servers import PATIENCE, until


def connected(url):
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)


def begun(line):
    """Wait until the server reads the body: only then does it ask a client to go on."""
    assert line.recv(65536).startswith(b"HTTP/1.1 100 ")


POSTS = [
    "/api/v1/search",
    "/api/v1/show",
    "/api/v1/feedback",
    "/api/v1/preferences",
    "/api/v1/profiles/eve/import",
]


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_json_without_end_is_the_clients_fault(client, path, opening):
    """A hundred thousand brackets are refused in one sentence."""
    body = opening * 100_000
    answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert set(answer.json()) == {"code", "message", "hint"}
    closed = opening * 50_000 + "0" + ("]" if opening == "[" else "}") * 50_000
    answer = client.post(path, content=closed, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500


def test_a_long_body_that_is_no_picture_is_refused(client):
    """A quarter of a megabyte is enough for every question."""
    body = b'{"user": "' + b"x" * 300_000 + b'"}'
    answer = client.post(
        "/api/v1/feedback", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 413
    assert "256 KiB" in answer.json()["message"]


HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", HEALTH[:-2] + b"X: "], ids=["nothing", "no end"])
def test_a_header_that_never_ends_is_not_waited_for(engine, serving, monkeypatch, sent):
    """Nor a connection that says nothing; others are answered."""
    with serving(prepare(engine, port=0)) as url:
        with monkeypatch.context() as patch:
            patch.setattr(PatientProtocol, "HEADER_SECONDS", 0.3)
            with connected(url) as line:
                _in_pieces(line, sent)
                assert _to_the_end(line) == b""
        assert httpx.get(f"{url}/healthz", timeout=PATIENCE).status_code == 200


def test_a_second_header_that_never_ends_is_not_waited_for(engine, serving, monkeypatch):
    """The first request of the connection has its answer."""
    with serving(prepare(engine, port=0)) as url, connected(url) as line:
        _in_pieces(line, HEALTH)
        monkeypatch.setattr(PatientProtocol, "HEADER_SECONDS", 0.3)
        line.sendall(HEALTH[:8])
        assert _to_the_end(line).count(b"200 OK") == 1


def _in_pieces(line, sent):
    with suppress(ConnectionResetError, BrokenPipeError):  # the server may have had enough
        for start in range(0, len(sent), 7):
            line.sendall(sent[start : start + 7])


def _to_the_end(line):
    received = b""
    with suppress(ConnectionResetError):
        while part := line.recv(65536):
            received += part
    return received


def test_the_clock_stops_when_a_request_is_whole(engine, serving, monkeypatch):
    """However long its answer takes."""
    plain, clocks = Engine.__len__, []

    def watching(self):
        clocks.extend(line._timer for line in server.server_state.connections)
        return plain(self)

    server = prepare(engine, port=0)
    with serving(server) as url, connected(url) as line:
        until(lambda: [one._timer for one in server.server_state.connections] != [])
        (waiting,) = (one._timer for one in server.server_state.connections)
        assert waiting is not None
        monkeypatch.setattr(Engine, "__len__", watching)
        line.sendall(HEALTH)
        assert b"200 OK" in line.recv(65536)
    assert clocks == [None]


def test_a_body_that_stops_arriving_is_refused(engine, serving, monkeypatch, caplog):
    """With a sentence, a closed connection and one line in the log."""
    monkeypatch.setattr(bodies, "IDLE_SECONDS", 0.2)
    with serving(prepare(engine, port=0)) as url, connected(url) as line:
        line.sendall(
            b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
            b"Content-Type: application/json\r\n\r\n{"
        )
        answer = _to_the_end(line)
    assert b"408" in answer.partition(b"\r\n")[0]
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "too-slow"
    assert [r.getMessage() for r in caplog.records] == [
        "POST /api/v1/search: the body stopped arriving"
    ]


def test_a_body_that_trickles_is_refused(engine, serving, monkeypatch):
    """A byte now and then is no way to hold a connection for ever."""
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.4)
    with serving(prepare(engine, port=0)) as url, connected(url) as line:
        line.sendall(
            b"POST /api/v1/feedback HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
            b"Content-Type: application/json\r\n\r\n"
        )
        line.settimeout(0.05)
        end, answer = time.monotonic() + PATIENCE, b""
        while not answer and time.monotonic() < end:
            line.sendall(b" ")
            with suppress(TimeoutError):
                answer = line.recv(65536)
    assert b" 408 " in answer


def test_the_rest_of_a_refused_body_is_not_waited_for(engine, serving, monkeypatch):
    """After an answer the client may finish its sentence, not begin a new book."""
    monkeypatch.setattr(PatientProtocol, "REST_SECONDS", 0.3)
    with serving(prepare(engine, port=0)) as url, connected(url) as line:
        line.sendall(
            b"POST /api/v1/search HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\nx"
        )
        assert not _can_send_on(line)


def _can_send_on(line):
    end = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end:
            line.sendall(b"x")
            time.sleep(0.01)
    except (ConnectionResetError, BrokenPipeError):
        return False
    return True


@pytest.mark.parametrize("path", ["/api/v1/search", "/api/v1/feedback"])
@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=b"])
def test_a_client_that_leaves_is_one_line_in_the_log(engine, serving, caplog, path, kind):
    """No traceback: people close their laptops."""
    with serving(prepare(engine, port=0)) as url:
        with connected(url) as line:
            line.sendall(
                f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
                f"Content-Type: {kind}\r\nExpect: 100-continue\r\n\r\n".encode()
            )
            begun(line)
            line.sendall(b"--b\r\n")
        until(lambda: caplog.records)
        assert httpx.get(f"{url}/healthz", timeout=PATIENCE).status_code == 200
    assert [(r.levelno, r.getMessage(), r.exc_info) for r in caplog.records] == [
        (logging.WARNING, f"POST {path}: the client left", None)
    ]


@pytest.fixture
def busy(monkeypatch):
    """Uploads that are worked on until the test says so; counts how many are, and were, at once."""
    state = {"now": 0, "most": 0, "all": 0}
    go, lock = threading.Event(), threading.Lock()
    plain = Engine.search_for

    def search_for(self, request):
        if not isinstance(request.query, bytes):
            return plain(self, request)
        with lock:
            state["now"] += 1
            state["all"] += 1
            state["most"] = max(state["most"], state["now"])
        go.wait(PATIENCE)
        with lock:
            state["now"] -= 1
        return plain(self, request)

    monkeypatch.setattr(Engine, "search_for", search_for)
    yield state, go
    go.set()


@pytest.fixture(scope="module")
def unknown():
    """A picture that is not in the collection, and has to be described."""
    out = BytesIO()
    Image.effect_noise((90, 60), 80).save(out, "PNG")
    return out.getvalue()


def test_the_server_answers_while_uploads_wait_their_turn(client, address, ids, unknown, busy):
    """A hundred uploads keep the cores busy; health, thumbnails and searches go on."""
    state, go = busy
    files = {"image": ("a.png", unknown, "image/png")}
    with ThreadPoolExecutor(100) as pool:
        answers = [
            pool.submit(httpx.post, f"{address}/api/v1/search", files=files, timeout=PATIENCE)
            for _ in range(100)
        ]
        until(lambda: state["now"] == cores())
        assert client.get("/healthz").status_code == 200
        assert client.get(f"/api/v1/images/{ids[0]}/thumb").status_code == 200
        found = client.post("/api/v1/search", json={"image_id": ids[0], "user": "calm"})
        assert found.status_code == 200
        assert client.get("/healthz").status_code == 200
        go.set()
        assert {answer.result().status_code for answer in answers} == {200}
    assert state["most"] <= cores()
    assert state["all"] == 100


def test_an_upload_whose_client_left_is_not_worked_on(engine, serving, unknown, busy):
    """It had waited; nobody waits for it."""
    state, go = busy
    body = (
        b'--b\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'
        + unknown
        + b"\r\n--b--\r\n"
    )
    head = (
        f"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nExpect: 100-continue\r\n\r\n"
    ).encode()
    server = prepare(engine, port=0)
    with serving(server) as url, ExitStack() as stack:
        lines = [stack.enter_context(connected(url)) for _ in range(cores() + 3)]
        patient, hasty = lines[: cores()], lines[cores() :]
        for line in patient:
            line.sendall(head)
            begun(line)
            line.sendall(body)
        until(lambda: state["now"] == cores())
        for line in hasty:
            line.sendall(head)
            begun(line)
            line.sendall(body)
        for line in hasty:
            line.close()
        until(lambda: len(server.server_state.connections) == len(patient))
        go.set()
        for line in patient:
            assert b" 200 " in line.recv(65536)
        until(lambda: not server.server_state.tasks)
    assert state["all"] == cores()

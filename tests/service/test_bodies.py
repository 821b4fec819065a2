"""What is sent: bounded before it is parsed, parsed where nobody waits for it, and text."""

from __future__ import annotations

import json
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from saccade.errors import InvalidInput
from saccade.service import bodies, pieces
from saccade.service.app import create_app
from servers import PATIENCE, until

JSON = {"Content-Type": "application/json"}


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/api/v1/feedback", 2**18),
        ("/api/v1/search", 2**18),
        ("/api/v1/attributes/natural/labels", 2**18),
        ("/api/v1/attributes/classify", 2**20),
        ("/api/v1/profiles/eve/import", 16 * 2**20),
    ],
)
def test_what_is_no_picture_has_a_small_limit_of_its_own(client, path, most):
    """It is refused by its announced length; not a byte of it is read."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    answer = said(client, f"{head}Content-Length: {most + 1}\r\n\r\n".encode())
    assert b" 413 " in answer.partition(b"\r\n")[0]


@pytest.mark.parametrize("path", ["/api/v1/feedback", "/api/v1/profiles/eve/import"])
def test_a_form_is_large_only_where_a_picture_is_asked_for(client, path):
    """Whoever calls a body a form gets no more room by it."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data\r\n"
    answer = said(client, f"{head}Content-Length: {17 * 2**20}\r\n\r\n".encode())
    assert b" 413 " in answer.partition(b"\r\n")[0]


def said(client: httpx.Client, sent: bytes) -> bytes:
    """What the server answers to bytes that no client would send."""
    parts = urlsplit(str(client.base_url))
    with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE) as line:
        line.sendall(sent)
        return line.recv(65536)


def test_a_short_body_of_very_many_values_is_refused(client):
    """Parsing it would keep everybody waiting."""
    body = b'{"liked": [' + b"1," * 60_000 + b"1]}"
    answer = client.post("/api/v1/feedback", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-input")
    assert "50,000 values" in answer.json()["message"]


def test_more_than_the_server_holds_is_refused_for_now(engine):
    """All bodies in flight together are bounded; whoever comes then may try again."""
    app = create_app(engine)
    gate = app.build_middleware_stack()
    while not hasattr(gate, "freight"):
        gate = gate.app
    gate.freight = bodies.Freight(100)
    gate.freight.take(90)
    sent = []

    async def receive():
        return {"type": "http.request", "body": b'{"page_id": "x"}', "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/api/v1/feedback", "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    }  # fmt: skip
    import anyio

    anyio.run(gate, scope, receive, send)
    assert sent[0]["status"] == 503
    assert json.loads(sent[1]["body"])["code"] == "busy"
    gate.freight.take(10)  # nothing of it is held any more


# -- profiles --------------------------------------------------------------------------------------


@pytest.fixture
def waiting(monkeypatch):
    """Imports that are being read until the event is set; how many at once."""
    state, go, lock = {"now": 0, "most": 0}, threading.Event(), threading.Lock()

    def read(data):
        with lock:
            state["now"] += 1
            state["most"] = max(state["most"], state["now"])
        go.wait(PATIENCE)
        with lock:
            state["now"] -= 1
        raise InvalidInput("enough")

    monkeypatch.setattr(pieces, "read", read)
    yield state, go
    go.set()


def test_the_server_answers_while_profiles_are_read(client, address, waiting):
    """They are read in threads of their own, two at a time."""
    state, go = waiting
    with ThreadPoolExecutor(6) as pool:
        answers = [
            pool.submit(
                httpx.post, f"{address}/api/v1/profiles/eve/import", json={}, timeout=PATIENCE
            )
            for _ in range(6)
        ]
        until(lambda: state["now"] == 2)
        assert client.get("/healthz").status_code == 200
        assert client.get("/api/v1/collection").status_code == 200
        go.set()
        assert {answer.result().status_code for answer in answers} == {422}
    assert state["most"] == 2


def test_a_profile_is_what_it_was(client, search):
    """Exported, imported, exported again."""
    page = search("carla")
    said = {"page_id": page["page_id"], "liked": [page["hits"][3]["image_id"]]}
    assert client.post("/api/v1/feedback", json=said).status_code == 200
    exported = client.get("/api/v1/profiles/carla/export").json()
    answer = client.post("/api/v1/profiles/doris/import", json=exported)
    assert answer.json() == {"user": "doris", "events": 1}
    again = client.get("/api/v1/profiles/doris/export").json()
    assert again["events"] == exported["events"]


def test_a_profile_of_another_type_is_refused(client):
    """As a form, say."""
    answer = client.post("/api/v1/profiles/eve/import", content=b"{}", headers={"Content-Type": ""})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported-body")


VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False)
    | some.text(alphabet=some.characters(exclude_categories=["Cs"])),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(
        alphabet=some.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip
OBJECTS = some.dictionaries(
    some.text(alphabet=some.characters(exclude_categories=["Cs"])), VALUES, max_size=6
)


@given(value=OBJECTS, ascii=some.booleans(), indent=some.sampled_from([None, 1]))
@settings(derandomize=True, database=None, deadline=None)
def test_read_in_pieces_it_is_what_it_is_at_once(value, ascii, indent):
    """Whatever the object holds, and however it is written."""
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    assert pieces.read(text.encode()) == json.loads(text)


def at_once(data):
    """What `json` makes of a text, where that is an object."""
    try:
        found = json.loads(data)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def in_pieces(data):
    """The same, read in pieces."""
    try:
        return pieces.read(data.encode())
    except InvalidInput:
        return None


@given(data=some.text(alphabet='{}[]",:\\ u0aé', max_size=30))
@settings(derandomize=True, database=None, deadline=None, max_examples=400)
def test_what_is_no_object_is_refused_in_pieces_too(data):
    """And only that; nothing else happens to any text."""
    assert in_pieces(data) == at_once(data)


@pytest.mark.parametrize(
    "body",
    [
        b'{"x": [' + b"[1,2,3]," * 2**16 + b"1]}",
        b'{"events": [[' + b"[]," * 2**17 + b"1]]}",
        b'{"events": [' + b"{}," * 2**17 + b"1]}",
        b'{"x": ' + b"[" * 2**17,
        b'{"x": ' + b'{"x":' * 2**17,
        b"{" + b'"a": 1,' * 30 + b"}",
        b"\xff",
        b'{"x": 1} 2',
    ],
)
def test_a_greedy_profile_is_refused_before_it_is_parsed(body, monkeypatch):
    """Nothing longer than a million signs is ever given to the parser."""
    plain = json.loads

    def loads(text):
        assert len(text) < 1_000_000
        return plain(text)

    monkeypatch.setattr(json, "loads", loads)
    monkeypatch.setattr(pieces, "MOST_IN_ALL", 100_000)
    with pytest.raises(InvalidInput):
        pieces.read(body)


# -- text ------------------------------------------------------------------------------------------


def strings(schema, document, place=()):
    """Where a body of this schema has text, as places; one item stands for a list."""
    schema = document["components"]["schemas"].get(
        schema.get("$ref", "").rpartition("/")[2], schema
    )
    if schema.get("type") == "string":
        yield place
    for part in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from strings(part, document, place)
    for name, field in schema.get("properties", {}).items():
        yield from strings(field, document, (*place, name))
    if schema.get("type") == "array":
        yield from strings(schema["items"], document, (*place, 0))
    if isinstance(schema.get("additionalProperties"), dict):
        yield (*place, "\ud800")
        yield from strings(schema["additionalProperties"], document, (*place, "key"))


def built(place):
    """The smallest body that has half a character at a place."""
    value = "\ud800"
    for step in reversed(place):
        value = [value] if step == 0 else {step: "x" if step == "\ud800" else value}
    return value


def test_half_a_character_is_refused_in_every_field(client):
    """Escaped or as bytes, in every text of every request that /openapi.json describes."""
    document = client.get("/openapi.json").json()
    tried = 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema", {})
            address = path.format_map(dict.fromkeys(re.findall(r"{(\w+)}", path), "x"))
            for place in strings(schema, document):
                body = built(place)
                escaped = json.dumps(body).encode()
                raw = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
                for sent in (escaped, raw):
                    answer = client.request(method, address, content=sent, headers=JSON)
                    assert answer.status_code == 422, (method, path, place, answer.text)
                    assert set(answer.json()) == {"code", "message", "hint"}
                    tried += 1
    assert tried > 60


def test_half_a_character_in_a_profile_is_refused(client):
    """Wherever in it."""
    for body in (b'{"user": "\\udc00"}', b'{"\\ud800": 1}', b'{"events": [{"kind": "\\ud800"}]}'):
        answer = client.post("/api/v1/profiles/eve/import", content=body, headers=JSON)
        assert answer.status_code == 422
        assert "half of a character" in answer.json()["message"]


def test_whole_characters_are_text(client, ids):
    """Both halves together, or a backslash that only looks like one."""
    for name in ("\U0001f600", "\\ud800"):
        sent = json.dumps({"image_id": ids[0], "user": name}).encode()
        answer = client.post("/api/v1/search", content=sent, headers=JSON)
        assert answer.status_code == 200, answer.text


# -- two lengths, another address ------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/v1/search", "/healthz", "/api/v1/profiles/eve/import"])
def test_a_request_with_two_lengths_is_refused(client, path):
    """A proxy could take one and we the other: what follows would be another request."""
    sent = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n"
        "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"
        "0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    ).encode()
    parts = urlsplit(str(client.base_url))
    with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE) as line:
        line.sendall(sent)
        answer = b""
        while part := line.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"two-lengths" in answer
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    "path", ["/api/v1/images/", "/api/v1/profiles/ana%2F", "/api/v1/attributes/", "/healthz/"]
)
def test_an_address_with_a_slash_behind_it_is_another_one(client, path):
    """It is not found, and leads nowhere."""
    answer = client.get(path, follow_redirects=False)
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")


def test_every_operation_declares_what_the_gate_may_answer(client):
    """And `/show` that an attribute is not taught enough."""
    document = client.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            declared = set(operation["responses"])
            assert {"400", "401", "403", "408", "413", "422", "503"} <= declared, (method, path)
    assert "409" in document["paths"]["/api/v1/show"]["post"]["responses"]

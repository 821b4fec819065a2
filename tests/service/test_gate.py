from __future__ import annotations

import httpx
import pytest

from saccade.service.app import create_app
from saccade.service.doorkeeper import Doorkeeper
from saccade.service.gate import Gate


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8000", "", "[::1", "0"])
def test_a_host_that_is_not_ours_is_refused(client, host):
    """A site that points its own name at this machine gets nothing (DNS rebinding)."""
    answer = client.get("/api/v1/images", headers={"Host": host})
    assert answer.status_code == 403
    assert answer.json()["code"] == "unknown-host"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:80"])
def test_the_names_of_this_machine_are_ours(client, host):
    """Whatever the port: a browser may come through a tunnel."""
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/v1/profiles/olga/undo"), ("DELETE", "/api/v1/profiles/olga")],
)
def test_another_site_may_change_nothing(client, headers, method, path):
    """Its page may be open in the same browser; the browser says who asks."""
    answer = client.request(method, path, headers=headers)
    assert answer.status_code == 403
    assert answer.json()["code"] == "cross-site"


def test_our_own_page_may_change_things(client, address):
    """Same origin: the request reaches the engine, which has nothing to undo."""
    headers = {"Origin": address, "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/v1/profiles/olga/undo", headers=headers).status_code == 409


def test_another_site_may_still_be_linked_from(client):
    """Following a link to the page is a GET and harmless."""
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/assets/js/main.js", "/api/v1/images", "/nowhere"])
def test_every_answer_forbids_outside_content(client, path):
    """The page loads nothing from elsewhere, and no other site may embed it."""
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith(
        "default-src 'self'; img-src 'self' blob: data:"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def asked(app, **request):
    import anyio

    async def go():
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(**request)

    return anyio.run(go)


def test_a_large_upload_is_refused_by_its_announced_size(engine):
    """Not a byte of it is read."""
    app = create_app(engine, body_limit=1000)
    answer = asked(app, method="POST", url="/api/v1/search", content=b"x" * 1001)
    assert answer.status_code == 413
    assert answer.json()["code"] == "too-large"


@pytest.mark.parametrize("path", ["/api/v1/search", "/api/v1/feedback"])
def test_a_large_upload_is_refused_while_it_streams(engine, path):
    """A body of unknown length is cut off at the limit."""

    async def stream():
        for _ in range(20):
            yield b"x" * 100

    app = create_app(engine, body_limit=1000)
    headers = {"Content-Type": "application/json"}
    answer = asked(app, method="POST", url=path, content=stream(), headers=headers)
    assert answer.status_code == 413
    assert answer.json()["code"] == "too-large"


def test_a_server_on_a_network_answers_under_any_name(engine):
    """Only a loopback server can know what it is called."""
    app = create_app(engine, hosts=None)
    answer = asked(app, method="GET", url="/healthz", headers={"Host": "pictures.example"})
    assert answer.status_code == 200


def test_other_protocols_pass_the_gate_untouched():
    """The gate looks at HTTP only."""
    import anyio

    seen = []

    async def inner(scope, receive, send):
        seen.append(scope["type"])

    gate = Gate(inner, hosts=(), body_limit=0, keeper=Doorkeeper(lambda key: None))
    anyio.run(gate, {"type": "lifespan"}, None, None)
    assert seen == ["lifespan"]

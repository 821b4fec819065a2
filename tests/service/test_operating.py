"""What those need who run a server: names of requests, readiness, limits, other sites' pages."""

from __future__ import annotations

import io
import json
import logging

import httpx
import pytest

from saccade import trace
from saccade.errors import InvalidInput
from saccade.service.app import create_app
from saccade.service.hosts import checked_origin
from saccade.service.server import Door, prepare
from servers import PATIENCE, until

SHOP = "https://shop.example"


def test_every_answer_has_the_name_of_its_request(client):
    """As the client calls it, or a new one; what is no name is not repeated."""
    assert client.get("/healthz", headers={"X-Request-Id": "a-7"}).headers["x-request-id"] == "a-7"
    names = {client.get(path).headers["x-request-id"] for path in ("/", "/nowhere", "/api/v1/me")}
    assert len(names) == 3
    odd = client.get("/healthz", headers={"X-Request-Id": "a b"}).headers["x-request-id"]
    assert odd != "a b"


def test_the_log_is_json_where_that_is_asked_for(client, monkeypatch):
    """A line is an object with the facts of its request, its name among them."""
    monkeypatch.setenv(trace.FORM, "json")
    shown = io.StringIO()
    monkeypatch.setattr("sys.stderr", shown)
    with trace.showing(logging.INFO):
        client.get("/api/v1/me", headers={"X-Request-Id": "told"})
        # Its line is written when the answer has left: a client may be back before.
        until(lambda: '"told"' in shown.getvalue())
    lines = [json.loads(line) for line in shown.getvalue().splitlines()]
    (mine,) = [line for line in lines if line.get("request") == "told"]
    assert (mine["method"], mine["route"], mine["status"]) == ("GET", "/api/v1/me", 200)
    assert mine["seconds"] >= 0
    assert mine["level"] == "INFO"


def test_a_server_says_whether_it_is_ready(engine, serving):
    """Without a token; while it stops it is not, and says why."""
    app_ready = prepare(engine, port=0, tokens=True)
    with serving(app_ready) as url:
        answer = httpx.get(f"{url}/readyz", timeout=PATIENCE)
        assert answer.json() == {"status": "ready", "images": len(engine), "read_only": ""}
        app_ready.config.app.state.stopping = True
        answer = httpx.get(f"{url}/readyz", timeout=PATIENCE)
        assert (answer.status_code, answer.json()["code"]) == (503, "stopping")


def test_whoever_asks_too_often_waits(engine, serving):
    """Each token has its own share; the answer says when to come again."""
    first, second = (engine.tokens.create(f"often-{i}", "viewer")[0] for i in range(2))
    with serving(prepare(engine, port=0, tokens=True, rate=0.01)) as url:

        def ask(key):
            headers = {"Authorization": f"Bearer {key}"}
            return httpx.get(f"{url}/api/v1/me", headers=headers, timeout=PATIENCE)

        assert ask(first).status_code == 200
        refused = ask(first)
        assert (refused.status_code, refused.json()["code"]) == (429, "too-often")
        assert 0 < int(refused.headers["retry-after"]) <= 100
        assert ask(second).status_code == 200
        assert [ask("a-wrong-token").status_code for _ in range(2)] == [401, 429]
        assert httpx.get(f"{url}/healthz", timeout=PATIENCE).status_code == 200


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_limit_that_is_none_is_refused(rate):
    """Before anything is opened."""
    with pytest.raises(InvalidInput, match="is no limit"):
        Door.of("127.0.0.1", 0, rate=rate)


@pytest.fixture(scope="module")
def shared(engine, serving):
    """A server that a shop's pages may use."""
    door = prepare(engine, port=0, visitors=True, origins=[SHOP])
    with serving(door) as url, httpx.Client(base_url=url, timeout=PATIENCE) as client:
        yield client


def test_a_page_of_a_named_site_may_ask_and_teach(shared, ids):
    """Its browser is told so, before and with each answer, pictures included."""
    headers = {"Origin": SHOP, "Sec-Fetch-Site": "cross-site", "Saccade-Visitor": "ab" * 16}
    asks = {**headers, "Access-Control-Request-Method": "POST"}
    before = shared.options("/api/v1/feedback", headers=asks)
    assert before.status_code == 204
    assert before.headers["access-control-allow-origin"] == SHOP
    assert "Idempotency-Key" in before.headers["access-control-allow-headers"]
    page = shared.post("/api/v1/search", json={"image_id": ids[0], "k": 4}, headers=headers)
    assert page.headers["access-control-allow-origin"] == SHOP
    assert page.headers["vary"] == "Origin"
    body = {"page_id": page.json()["page_id"], "liked": [page.json()["hits"][0]["image_id"]]}
    marked = shared.post("/api/v1/feedback", json=body, headers=headers)
    assert marked.status_code == 200
    assert marked.json()["user"] == page.json()["user"]
    thumb = shared.get(f"/api/v1/images/{ids[0]}/thumb", headers=headers)
    assert thumb.headers["cross-origin-resource-policy"] == "cross-origin"


@pytest.mark.parametrize("origin", ["https://evil.example", "https://shop.example.evil.example"])
def test_a_page_of_any_other_site_may_not(shared, ids, origin):
    """It is refused, and its browser is told nothing."""
    headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
    refused = shared.post("/api/v1/search", json={"image_id": ids[0]}, headers=headers)
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers
    assert shared.options("/api/v1/search", headers=headers).status_code != 204
    read = shared.get("/api/v1/images", headers=headers)
    assert "access-control-allow-origin" not in read.headers


def test_origins_are_written_as_browsers_do():
    """A port that the scheme implies is left out; what is more than an origin is refused."""
    assert checked_origin("HTTPS://Shop.Example:443") == SHOP
    assert checked_origin("http://localhost:3000") == "http://localhost:3000"
    for text in ("shop.example", "https://shop.example/path", "*", "null", "ftp://a.example"):
        with pytest.raises(InvalidInput, match="is no origin"):
            checked_origin(text)


def test_the_element_is_one_module_for_everybody(engine, serving):
    """Without a token, for any site, and it loads nothing more."""
    with serving(prepare(engine, port=0, tokens=True)) as url:
        answer = httpx.get(f"{url}/saccade-grid.js", timeout=PATIENCE)
    assert answer.status_code == 200
    assert "javascript" in answer.headers["content-type"]
    assert answer.headers["access-control-allow-origin"] == "*"
    assert 'customElements.define("saccade-grid"' in answer.text
    assert "\nimport " not in answer.text


def test_an_application_is_made_with_all_of_it(engine):
    """As another server would run it."""
    app = create_app(engine, visitors=True, origins=[SHOP], rate=100.0)
    assert app.title == "Saccade"

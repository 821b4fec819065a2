"""Whom a server lets in that others can reach."""

from __future__ import annotations

import httpx
import pytest

from saccade.errors import InvalidInput
from saccade.service.app import create_app
from saccade.service.hosts import Host, checked_name, parse_host, same_origin
from saccade.service.server import Door, prepare
from servers import PATIENCE

TOKEN = "a-token-of-twenty-on"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_an_address_that_others_can_reach_needs_a_token_or_a_name(host):
    """The refusal says what to write; either is enough, and both come with a warning."""
    with pytest.raises(
        InvalidInput, match=r"nothing would keep them out.*token='new'.*allow_hosts"
    ):
        Door.of(host, 0)
    assert "whoever has the token" in (Door.of(host, 0, "new").warning or "")
    named = Door.of(host, 0, allow_hosts=["Pictures.LAN"])
    assert "whoever reaches this address" in (named.warning or "")
    assert named.hosts is not None
    assert "pictures.lan" in named.hosts


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.9.1"])
def test_this_machine_alone_needs_nothing(host):
    """And warns of nothing; a proxy in front of it is another matter."""
    assert Door.of(host, 0).warning is None
    behind = Door.of(host, 0, allow_hosts=["pictures.example"])
    assert "whoever the proxy lets through" in (behind.warning or "")


@pytest.mark.parametrize(
    "token", ["", "short", "with a space in it", "ünïcödé-ünïcödé-ü", "a" * 15]
)
def test_a_weak_token_is_refused(token):
    """With the way to a good one."""
    with pytest.raises(InvalidInput, match="token='new' makes one up"):
        Door.of("127.0.0.1", 0, token)


def test_a_token_made_up_is_never_the_same():
    """And long enough."""
    tokens = {Door.of("127.0.0.1", 0, "new").token for _ in range(20)}
    assert len(tokens) == 20
    assert all(token and len(token) >= 32 for token in tokens)


@pytest.mark.parametrize(
    "name", ["a.example:80", "http://a.example", "a b", "", "u@a.example", "[::"]
)
def test_a_name_to_answer_for_is_a_name(name):
    """No port, no scheme, nothing around it."""
    with pytest.raises(InvalidInput, match="is no name of a host"):
        Door.of("127.0.0.1", 0, allow_hosts=[name])


def test_names_are_compared_as_browsers_write_them():
    """Whatever case, script or length a person chose."""
    assert checked_name("Bücher.Example") == "xn--bcher-kva.example"
    assert checked_name("2001:DB8:0::1") == "2001:db8::1"


@pytest.mark.parametrize(
    "text",
    [
        "evil.example@localhost", "localhost@evil.example", "localhost/", "localhost#",
        "localhost?x",
        "local host", "localhost:", "localhost:x", "localhost:999999", "localhost,evil.example",
        "[::1", "::1", "[::1]x", "[v1.x]", "localhost\t", "", "lоcalhost",
    ],
)  # fmt: skip
def test_an_odd_host_is_nobodys(text):
    """Parsed strictly: what urlsplit would make something of is nothing here."""
    assert parse_host(text) is None


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("http://localhost:8000", Host("localhost", 8000), True),
        ("HTTP://localhost:8000", Host("localhost", 8000), False),
        ("http://localhost", Host("localhost", 80), True),
        ("https://pictures.example", Host("pictures.example"), True),
        ("https://pictures.example", Host("pictures.example", 443), True),
        ("https://pictures.example", Host("pictures.example", 80), False),
        ("http://[::1]:8000", Host("::1", 8000), True),
        ("http://localhost:3000", Host("localhost", 8000), False),
        ("http://evil.example@localhost:8000", Host("localhost", 8000), False),
        ("http://localhost:8000/", Host("localhost", 8000), False),
        ("ftp://localhost:8000", Host("localhost", 8000), False),
        ("null", Host("localhost", 8000), False),
        ("", Host("localhost", 8000), False),
    ],
)
def test_origins_are_compared_as_parsed_hosts(origin, host, same):
    """Scheme, name and port, with the port a scheme implies."""
    assert same_origin(origin, host) is same


@pytest.fixture(scope="module")
def locked(engine, serving):
    """A server with a token."""
    with serving(prepare(engine, port=0, token=TOKEN)) as url:
        yield url


def test_without_the_token_there_is_nothing(locked):
    """Every address but the one for those who watch over the server."""
    for path in ("/", "/api/v1/images", "/assets/js/main.js", "/openapi.json", "/metrics", "/no"):
        answer = httpx.get(locked + path, timeout=PATIENCE)
        assert answer.status_code == 401, path
        assert answer.json()["code"] == "token-needed"
    assert httpx.delete(f"{locked}/api/v1/profiles/ana", timeout=PATIENCE).status_code == 401
    assert httpx.get(f"{locked}/healthz", timeout=PATIENCE).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer"},
        {"Cookie": "saccade-token=wrong"},
        {"Cookie": f"other={TOKEN}"},
        {"Cookie": 'saccade-token="\\'},
    ],
)
def test_a_wrong_token_is_no_token(locked, headers):
    """Whichever way it is sent."""
    assert (
        httpx.get(f"{locked}/api/v1/images", headers=headers, timeout=PATIENCE).status_code == 401
    )


def test_a_program_sends_the_token_with_every_request(locked):
    """As a bearer."""
    headers = {"Authorization": f"bearer {TOKEN}"}
    assert (
        httpx.get(f"{locked}/api/v1/images", headers=headers, timeout=PATIENCE).status_code == 200
    )


def test_a_person_brings_the_token_once(locked):
    """The address that was printed leads to the page, and the browser remembers."""
    with httpx.Client(base_url=locked, timeout=PATIENCE) as browser:
        assert browser.get("/?token=wrong").status_code == 401
        answer = browser.get(f"/?token={TOKEN}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert browser.get("/").status_code == 200
        assert browser.get("/api/v1/images").status_code == 200


def test_the_address_printed_has_the_token(engine):
    """It opens as it stands."""
    server = prepare(engine, port=0, token="a+token/with=signs&so")
    try:
        assert server.door == f"{server.url}/?token=a%2Btoken/with%3Dsigns%26so"
    finally:
        server.listener.close()


def test_a_name_that_was_allowed_is_answered_and_no_other(engine, serving):
    """As a proxy passes it on, with the origin of its own scheme or of a port of its own."""
    server = prepare(engine, port=0, allow_hosts=["pictures.example"])
    with serving(server) as url:
        path = f"{url}/api/v1/profiles/nobody/undo"

        def undo(**headers):
            return httpx.post(path, headers=headers, timeout=PATIENCE).status_code

        assert undo(Host="pictures.example", Origin="https://pictures.example") == 409
        assert undo(Host="pictures.example", Origin="https://pictures.example:8443") == 409
        assert undo(Origin="https://pictures.example") == 409  # a proxy that keeps our own name
        assert undo(Host="pictures.example", Origin="https://evil.example") == 403
        assert undo(Host="evil.example", Origin="https://evil.example") == 403
        assert undo(Host="evil.example@pictures.example") == 403


def test_a_program_may_ask_under_any_name_with_a_token(engine):
    """A server on a network with a token does not know what it is called."""
    assert Door.of("0.0.0.0", 0, TOKEN).hosts is None
    assert create_app(engine, hosts=None, token=TOKEN).title == "Saccade"

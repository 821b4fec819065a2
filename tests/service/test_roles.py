"""Who may do what: every route with every role, and nobody as somebody else."""

from __future__ import annotations

import itertools

import httpx
import pytest

import saccade
from saccade.errors import InvalidInput
from saccade.service import keeper
from saccade.service.app import GROUPS, create_app
from saccade.service.doorkeeper import TrustedProxy
from saccade.service.roles import ANYBODY, ROUTES, role_of
from saccade.service.routes import jobs as job_routes
from saccade.service.server import Door, prepare
from saccade.types import ROLES
from servers import PATIENCE, until

_NUMBER = itertools.count()


@pytest.fixture(scope="module")
def asked(engine, serving):
    """A server that asks for tokens of the store."""
    with (
        serving(prepare(engine, port=0, tokens=True)) as url,
        httpx.Client(base_url=url, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def routes():
    """Every method of every route that the application has."""
    every = [one for group in GROUPS for one in group.router.routes]
    found = [(one.path, method) for one in every for method in one.methods]
    assert len(found) > 50
    return found


@pytest.fixture
def known(engine):
    """The way to somebody with a token: a name of the test's own, and what their requests carry."""

    def known(role: str, name: str = "person") -> tuple[str, dict[str, str]]:
        user = f"{name}-{next(_NUMBER)}"
        key, _ = engine.tokens.create(user, role)
        return user, {"Authorization": f"Bearer {key}"}

    return known


def address(path, user, ids, method="GET"):
    image = "nothing-of-that-id" if method in ("PUT", "DELETE") else ids[0]  # others use it, too
    return (
        path.replace("{user}", user).replace("{image_id}", image).replace("{session}", "s")
        .replace("{name}", "nothing-of-that-name").replace("{tag}", "new")
    )  # fmt: skip


def test_the_table_has_every_route_and_no_other(routes):
    """A new route is in it or its test fails; one that is gone leaves it."""
    documented = {("/openapi.json", "GET")}
    there = {(path, method) for path, methods in ROUTES.items() for method in methods}
    assert there == {*routes} | documented


@pytest.mark.parametrize("role", ROLES)
def test_every_route_takes_the_role_of_the_table(asked, routes, known, ids, role):
    """A smaller role is refused with the one that it takes; another answer is the route's own."""
    for path, method in routes:
        user, headers = known(role)
        needed = role_of(method, path)
        answer = asked.request(method, address(path, user, ids, method), headers=headers, json={})
        allowed = needed == ANYBODY or ROLES.index(role) >= ROLES.index(needed)
        where = f"{method} {path} as {role}: {answer.status_code} {answer.text[:80]}"
        told = answer.json().get("code") if answer.status_code == 403 else ""
        assert (told != "role-too-small") is allowed, where
        assert answer.status_code < 500, where


def test_without_a_token_every_route_but_the_open_ones_is_closed(asked, routes, ids):
    """Whatever is asked."""
    for path, method in routes:
        answer = asked.request(method, address(path, "ana", ids, method), json={})
        closed = role_of(method, path) != ANYBODY
        assert (answer.status_code == 401 and "token" in answer.text) is closed or not closed, path


@pytest.mark.parametrize("role", ["viewer", "teacher", "curator"])
def test_nobody_is_another(asked, known, engine, ids, role):
    """Wherever a name can be given: in an address, a parameter or a body."""
    document = create_app(engine).openapi()
    user, headers = known(role)
    named = 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            needed = role_of(method.upper(), path)
            if needed == ANYBODY or ROLES.index(needed) > ROLES.index(role):
                continue
            fields = {one["name"] for one in operation.get("parameters", ())}
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            schema = body.get("schema", {})
            name = schema.get("$ref", "").rpartition("/")[2]
            schema = document["components"]["schemas"].get(name, schema)
            within = "user" in schema.get("properties", {})
            if "user" not in fields and not within:
                continue
            named += 1
            answer = asked.request(
                method, address(path, "bob", ids), headers=headers,
                params={"user": "bob"} if "{user}" not in path else {},
                json={"user": "bob"} if within else {},
            )  # fmt: skip
            told = answer.json()
            assert (answer.status_code, told["code"]) == (403, "not-yours"), f"{method} {path}"
            assert user in told["message"]
    assert named > 15


def test_whoever_names_nobody_is_themselves(asked, known, ids):
    """A page is theirs, and what is marked on it teaches them."""
    user, headers = known("teacher")
    page = asked.post("/api/v1/search", headers=headers, json={"image_id": ids[0]}).json()
    assert page["user"] == user
    body = {"page_id": page["page_id"], "liked": [page["hits"][0]["image_id"]]}
    assert asked.post("/api/v1/feedback", headers=headers, json=body).json()["user"] == user
    events = asked.get("/api/v1/profiles/guest/events", headers=headers).json()
    assert events["total"] == 1
    me = asked.get("/api/v1/me", headers=headers).json()
    assert me == {"user": user, "role": "teacher", "named": True}


def test_nobody_speaks_of_anothers_page(asked, known, ids):
    """Marks, pairs, a longer one, a map, a name for it, undo: all of them act as whose it is."""
    _, theirs = known("teacher")
    _, mine = known("curator")
    page = asked.post("/api/v1/search", headers=theirs, json={"image_id": ids[0]}).json()
    first, second = (hit["image_id"] for hit in page["hits"][:2])
    named = {"page_id": page["page_id"]}
    tried = [
        asked.post("/api/v1/feedback", headers=mine, json={**named, "liked": [first]}),
        asked.post(
            "/api/v1/preferences", headers=mine, json={**named, "better": second, "worse": first}
        ),
        asked.post("/api/v1/show", headers=mine, json={**named, "k": 3}),
        asked.post("/api/v1/profiles/guest/saved", headers=mine, json={**named, "name": "x"}),
        asked.post(f"/api/v1/profiles/guest/undo?page={page['page_id']}", headers=mine),
        asked.get(f"/api/v1/images/{first}/map?page={page['page_id']}", headers=mine),
    ]
    assert [(one.status_code, one.json()["code"]) for one in tried] == [(403, "not-yours")] * 6
    assert asked.post("/api/v1/show", headers=theirs, json={**named, "k": 3}).status_code == 200


def test_an_owner_acts_as_anybody(asked, known):
    """And reads and forgets them; their tokens go with them."""
    user, theirs = known("teacher")
    _, owner = known("owner")
    assert asked.get(f"/api/v1/profiles/{user}", headers=owner).status_code == 200
    assert asked.delete(f"/api/v1/profiles/{user}", headers=owner).status_code == 200
    assert asked.get("/api/v1/me", headers=theirs).status_code == 401


def test_a_token_that_is_taken_back_opens_nothing(asked, engine):
    """From the next request on, and it says so; its short name is no key."""
    key, made = engine.tokens.create("carl", "owner")
    headers = {"Authorization": f"Bearer {key}"}
    assert asked.get("/api/v1/me", headers=headers).json()["user"] == "carl"
    engine.tokens.revoke(made.token_id)
    answer = asked.get("/api/v1/me", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "token-unknown")
    short = {"Authorization": f"Bearer {made.token_id}"}
    assert asked.get("/api/v1/me", headers=short).status_code == 401


def test_a_person_without_a_token_meets_a_page_that_asks_for_one(asked, engine):
    """A browser gets a page and not JSON; a token that opens leads on, and is kept."""
    key, _ = engine.tokens.create("dora", "viewer")
    with httpx.Client(base_url=asked.base_url, timeout=PATIENCE) as browser:
        seen = browser.get("/", headers={"Accept": "text/html,*/*"})
        assert (seen.status_code, seen.headers["content-type"]) == (401, "text/html; charset=utf-8")
        assert '<form method="post" action="/token">' in seen.text
        wrong = browser.post("/token", data={"token": "not-this-one"})
        assert wrong.status_code == 401
        assert "not known here" in wrong.text
        right = browser.post("/token", data={"token": f" {key} "})
        assert (right.status_code, right.headers["location"]) == (303, "/")
        assert browser.get("/api/v1/me").json()["user"] == "dora"


def test_the_page_that_asks_lets_in_no_style_but_its_own(asked):
    """Its policy names the digest of the style that it has; whoever changes one changes both."""
    import base64
    import hashlib
    import re

    seen = asked.get("/", headers={"Accept": "text/html"})
    style = re.search(r"<style>(.*?)</style>", seen.text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in seen.headers["content-security-policy"]


def test_visitors_who_stay_away_fade_while_it_runs(serving, tmp_path, monkeypatch):
    """Those of the store when it begins, and others at every later look; people stay."""
    now = [0.0]
    found = [{"id": "a", "features": {"f": 1}}, {"id": "b", "features": {"f": 2}}]
    monkeypatch.setattr(keeper, "A_DAY", 0.0)
    with saccade.Engine(tmp_path / "shop.saccade", warm=False, clock=lambda: now[0]) as engine:

        def comes(user):
            page = engine.candidates.rerank(found, user=user)
            engine.candidates.react(page, liked=["b"])

        comes("visitor:old")
        comes("ana")
        now[0] = 40 * 86_400.0
        comes("visitor:new")
        with serving(prepare(engine, port=0, visitors=True)):
            until(lambda: engine.people.list() == ("ana", "visitor:new"))
            now[0] = 80 * 86_400.0
            until(lambda: engine.people.list() == ("ana",))


def test_visitors_have_a_name_of_their_own(engine, serving, ids):
    """Two of them are two, and each keeps theirs; a wrong token makes nobody a visitor."""
    with serving(prepare(engine, port=0, visitors=True)) as url:
        names = []
        for _ in range(2):
            with httpx.Client(base_url=url, timeout=PATIENCE) as visitor:
                page = visitor.post("/api/v1/search", json={"image_id": ids[1], "k": 6}).json()
                hits = [hit["image_id"] for hit in page["hits"]]
                body = {"page_id": page["page_id"], "liked": [hits[-1]], "disliked": [hits[0]]}
                marked = visitor.post("/api/v1/feedback", json=body)
                assert marked.status_code == 200, marked.text
                me = visitor.get("/api/v1/me").json()
                assert me["user"] == page["user"] == marked.json()["user"]
                assert me["role"] == "teacher"
                assert visitor.get("/api/v1/profiles").status_code == 403
                names.append(me["user"])
        assert len(set(names)) == 2
        assert all(name.startswith("visitor:") for name in names)
        wrong = {"Authorization": "Bearer not-a-token-of-ours"}
        assert httpx.get(f"{url}/api/v1/me", headers=wrong, timeout=PATIENCE).status_code == 401


def test_a_proxy_says_who_it_is_from_its_own_address_alone(engine, serving):
    """The same header from elsewhere names nobody."""
    for address, status in (("127.0.0.1", 200), ("192.0.2.1", 401)):
        proxy = TrustedProxy.of("X-Remote-User", address, "curator")
        with serving(prepare(engine, port=0, proxy=proxy)) as url:
            headers = {"X-Remote-User": "eva"}
            answer = httpx.get(f"{url}/api/v1/me", headers=headers, timeout=PATIENCE)
            assert answer.status_code == status
            assert answer.json().get("user", "") == ("eva" if status == 200 else "")
            assert httpx.get(f"{url}/api/v1/me", timeout=PATIENCE).status_code == 401


@pytest.mark.parametrize(
    ("header", "address", "role"),
    [("X User", "127.0.0.1", "viewer"), ("X-User", "here", "viewer"), ("X-User", "::1", "king")],
)
def test_a_proxy_that_makes_no_sense_is_refused(header, address, role):
    """Before anything is opened."""
    with pytest.raises(InvalidInput):
        TrustedProxy.of(header, address, role)


def test_a_door_travels_to_another_process_as_it_is():
    """Several processes ask the same of whoever comes."""
    proxy = TrustedProxy.of("X-Remote-User", "10.0.0.0/8", "viewer")
    for door in (
        Door.of("127.0.0.1", 8000),
        Door.of("0.0.0.0", 0, allow_hosts=["a.example"], visitors=True, tokens=True, proxy=proxy),
    ):
        assert Door.told(door.as_told()) == door


def test_a_server_that_others_reach_may_ask_for_tokens_of_the_store():
    """Which is enough, and is said."""
    door = Door.of("0.0.0.0", 0, tokens=True)
    assert door.hosts is None
    assert "what its role lets them" in (door.warning or "")
    assert "for themselves alone" in (Door.of("0.0.0.0", 0, visitors=True).warning or "")


def test_a_token_that_is_taken_back_ends_what_is_being_told(asked, engine):
    """A stream that would go on for hours ends; nothing more of it arrives."""
    key, made = engine.tokens.create("finn", "viewer")
    headers = {"Authorization": f"Bearer {key}"}
    job = engine.jobs.post("reindex")
    changes = itertools.count()
    with engine._opened.store.jobs.working() as mine:  # so that nobody else does the job
        assert mine
        address = f"/api/v1/jobs/{job.job_id}/stream"
        with asked.stream("GET", address, headers=headers) as told:
            lines = (line for line in told.iter_lines() if line)
            assert '"waiting"' in next(lines)
            engine.tokens.revoke(made.token_id)
            engine._opened.store.jobs.tell(job.job_id, "scan", next(changes) + 1, 9, None)
            assert list(lines) == []
        engine.jobs.cancel(job.job_id)


def test_a_token_that_is_taken_back_ends_a_stream_that_is_silent(asked, engine, monkeypatch):
    """A job of which there is nothing to tell keeps nobody in."""
    monkeypatch.setattr(job_routes, "ALIVE", 0.0)
    key, made = engine.tokens.create("finn", "viewer")
    job = engine.jobs.post("reindex")
    with engine._opened.store.jobs.working() as mine:  # so that nobody else does the job
        assert mine
        address = f"/api/v1/jobs/{job.job_id}/stream"
        headers = {"Authorization": f"Bearer {key}"}
        with asked.stream("GET", address, headers=headers) as told:
            lines = (line for line in told.iter_lines() if line)
            assert '"waiting"' in next(lines)
            assert next(lines) == ": still here"
            engine.tokens.revoke(made.token_id)
            assert set(lines) <= {": still here"}
        engine.jobs.cancel(job.job_id)

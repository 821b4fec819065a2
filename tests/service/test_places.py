"""Where things lie on the server's disk: told to its owner, and to nobody else."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

import saccade
from saccade.service.app import GROUPS
from saccade.service.roles import ANYBODY, role_of
from saccade.service.server import prepare
from saccade.testbed.worlds import write
from saccade.types import ROLES
from servers import PATIENCE, running

SECRET = "a-place-of-the-servers"
NOT_ASKED = {"/api/v1/jobs/{job_id}/stream", "/docs", "/assets"}
"""A stream has a test of its own; the reference is the same for everybody."""


GOES = {"/api/v1/profiles/{user}", "/api/v1/images/{image_id}"}
"""What the other tests need."""


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """A store with something of everything: files that are none, tags, answers, a saved search."""
    place = tmp_path_factory.mktemp(SECRET)
    write(place / "pictures", images=24, seed=3, size=(160, 120))
    (place / "pictures" / "coast").mkdir(exist_ok=True)
    (place / "pictures" / "coast" / "notes.jpg").write_bytes(b"this is no picture")
    with saccade.open(place / "world.saccade") as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp", workers=1)
        engine.attributes.create("open")
        ids = [one.image_id for one in engine.images(0, 6)]
        for more, less in zip(ids[:3], ids[3:], strict=True):
            engine.attributes.compare("open", more, less, user="vera")
        engine.tags.add("sunset", ids[:2], user="vera")
        page = engine.search(ids[0], user="vera", k=10)
        page = engine.react(page, liked=[page.hits[0]], disliked=[page.hits[5]])
        engine.sessions.save(page, "mine")
        engine.fields.set(ids[0], {"price": 3}, external_id="sku-1")
        Path(engine.image(ids[5]).paths[0]).unlink()  # one whose file is gone
        engine.jobs.post("index", folder=str(place / "pictures"))
        engine.jobs.run()
        engine.jobs.post("backup", place=str(place / "copy"))
        yield engine


@pytest.fixture(scope="module")
def asked(held):
    """A server around it that asks for tokens."""
    with (
        running(prepare(held, port=0, tokens=True)) as url,
        httpx.Client(base_url=url, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def bodies(held):
    """What is sent to routes that take more than an address: an answer with pictures in it."""
    ids = [one.image_id for one in held.images(0, 24)]
    page = held.search(ids[0], user="vera", k=10)
    best = [hit.image_id for hit in page.hits]
    marks = {"page_id": page.page_id, "liked": [best[0]]}
    candidates = [{"image_id": one} for one in ids[:4]]
    return {
        "/api/v1/search": {"image_id": ids[0], "k": 24},
        "/api/v1/show": {"page_id": page.page_id, "k": 24},
        "/api/v1/rerank": {"candidates": candidates, "query": {"image_id": ids[0]}},
        "/api/v1/feedback": marks,
        "/api/v1/preferences": {"page_id": page.page_id, "better": best[1], "worse": best[0]},
        "/api/v1/attributes/classify": {"described": {"new": ["open: balloon > cactus"]}},
        "/api/v1/profiles/{user}/saved": {"page_id": page.page_id, "name": "again"},
        "/api/v1/images/{name}/fields": {"fields": {"price": 4}},
        "/api/v1/tags/{tag}": {"images": ids[:2]},
        "/api/v1/attributes/{name}/labels": {"image_id": ids[0], "grade": 1},
        "/api/v1/attributes/{name}/comparisons": {"more": ids[0], "less": ids[1]},
    }


def address(path: str, held) -> str:
    ids = [one.image_id for one in held.images(0, 24)]
    name = {"attributes": "open", "concepts": "folder:coast", "external": "sku-1"}
    kind = path.split("/")[3] if path.count("/") > 2 else ""
    called = "mine" if "saved" in path else name.get(kind, "sku-1")
    (job, *_) = held.jobs.list()
    return (
        path.replace("{user}", "vera").replace("{image_id}", ids[0]).replace("{name}", called)
        .replace("{session}", "s").replace("{tag}", "sunset").replace("{job_id}", job.job_id)
    )  # fmt: skip


@pytest.mark.parametrize("role", ROLES[:-1])
def test_no_answer_names_a_place(asked, held, bodies, role):
    """Every route that a role may use, its answers and its refusals."""
    key, made = held.tokens.create("vera", role)
    headers = {"Authorization": f"Bearer {key}"}
    every = [(one.path, m) for group in GROUPS for one in group.router.routes for m in one.methods]
    order = {"GET": 0, "HEAD": 1, "POST": 2, "PUT": 3, "DELETE": 4}
    told = 0
    for path, method in sorted(every, key=lambda one: order[one[1]]):
        needed = role_of(method, path)
        above = needed != ANYBODY and ROLES.index(needed) > ROLES.index(role)
        if above or path in NOT_ASKED or (method == "DELETE" and path in GOES):
            continue
        body = bodies.get(path) if method in ("POST", "PUT") else None
        answer = asked.request(method, address(path, held), headers=headers, json=body)
        assert answer.status_code < 500, f"{method} {path}: {answer.text}"
        assert SECRET not in answer.text, f"{method} {path} as {role}: {answer.text[:300]}"
        told += answer.status_code == 200 and '"path' in answer.text
    assert told >= (8 if role == "viewer" else 9)
    held.tokens.revoke(made.token_id)


def test_a_viewer_sees_what_lies_below_the_folders(asked, held):
    """In hits, records and files left out; folders are named as a search takes them."""
    key, _ = held.tokens.create("will", "viewer")
    headers = {"Authorization": f"Bearer {key}"}
    first = held.images(0, 1)[0]
    below = Path(first.paths[0]).relative_to(held.library.folders()[0])
    assert asked.get("/api/v1/external/sku-1", headers=headers).json()["paths"] == [str(below)]
    body = {"like": [held.images(3, 1)[0].image_id], "k": 24}
    hits = asked.post("/api/v1/search", headers=headers, json=body).json()["hits"]
    assert str(below) in {hit["path"] for hit in hits}
    skipped = asked.get("/api/v1/collection", headers=headers).json()["skipped"]["items"]
    assert [one["path"] for one in skipped] == ["coast/notes.jpg"]


def test_a_sentence_names_no_place_either(asked, held):
    """The file of a picture is gone: a viewer is told which, and the owner where."""
    lost = next(one for one in held.images() if not Path(one.paths[0]).exists())
    said = {}
    for role in ("viewer", "owner"):
        key, _ = held.tokens.create("xena", role)
        headers = {"Authorization": f"Bearer {key}"}
        answer = asked.get(f"/api/v1/images/{lost.image_id}/file", headers=headers)
        assert answer.status_code == 404
        said[role] = answer.json()["message"]
    assert Path(lost.paths[0]).name in said["viewer"]
    assert SECRET not in said["viewer"]
    assert lost.paths[0] in said["owner"]


def test_a_job_says_how_far_it_is_and_not_where(asked, held):
    """Its stream, too."""
    key, _ = held.tokens.create("yara", "curator")
    headers = {"Authorization": f"Bearer {key}"}
    (job, *_) = held.jobs.list()
    with asked.stream("GET", f"/api/v1/jobs/{job.job_id}/stream", headers=headers) as answer:
        lines = [json.loads(line[6:]) for line in answer.iter_lines() if line]
    assert lines[-1]["state"] == "done"
    assert SECRET not in json.dumps(lines)


def test_whoever_owns_the_server_sees_everything(held):
    """On this machine without a token, and by an owner's."""
    first = held.images(0, 1)[0]
    with running(prepare(held, port=0)) as url:
        record = httpx.get(f"{url}/api/v1/external/sku-1", timeout=PATIENCE).json()
        assert record["paths"] == list(first.paths)
        body = {"image_id": first.image_id, "k": 1}
        page = httpx.post(f"{url}/api/v1/search", json=body, timeout=PATIENCE).json()
        assert SECRET in page["hits"][0]["path"]

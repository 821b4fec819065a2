"""Concepts over HTTP."""

from __future__ import annotations

import io
import threading

import httpx
import numpy as np
import pytest
from PIL import Image

from saccade.engine import Engine
from saccade.engine.indexing import crew
from saccade.service.server import prepare
from servers import running

BASE = "/api/v1"


@pytest.fixture(scope="module")
def concept(client) -> str:
    """The first folder of the world, with its regions made."""
    name = client.get(f"{BASE}/concepts").json()["items"][0]["name"]
    for _ in range(5):
        told = client.post(f"{BASE}/regions", json={"concept": name, "limit": 1}).json()
    assert told["done"] == told["total"]
    return name


def members(client, concept: str, user: str) -> list[str]:
    part = client.get(f"{BASE}/concepts/{concept}", params={"user": user}).json()
    return [one["image_id"] for one in part["images"]["items"]]


def test_a_concept_is_taught_and_ranked(client, concept) -> None:
    """Prefer and grade, then the order follows; undo takes the last word back."""
    user = "teacher"
    before = members(client, concept, user)
    body = {"better": before[-1], "worse": before[0], "user": user}
    told = client.post(f"{BASE}/concepts/{concept}/preferences", json=body).json()
    assert (told["name"], told["preferences"]) == (concept, 1)
    after = members(client, concept, user)
    assert after.index(before[-1]) < after.index(before[0])
    body = {"image_id": before[0], "grade": "junk", "user": user}
    told = client.post(f"{BASE}/concepts/{concept}/grades", json=body).json()
    assert told["graded"] == 1
    part = client.get(f"{BASE}/concepts/{concept}", params={"user": user, "limit": 1}).json()
    assert (part["ranking"]["learned"], part["images"]["next"]) == (True, 1)
    assert client.post(f"{BASE}/profiles/{user}/undo").json()["kind"] == "graded"
    found = client.get(f"{BASE}/concepts", params={"user": user}).json()["items"]
    assert next(one for one in found if one["name"] == concept)["graded"] == 0


def test_a_question_has_two_pictures_of_the_concept(client, concept) -> None:
    """Their records, ready to show."""
    pair = client.get(f"{BASE}/concepts/{concept}/question").json()["images"]
    assert {one["image_id"] for one in pair} <= set(members(client, concept, "guest"))
    assert len(pair) == 2


def test_regions_are_made_a_few_at_a_time(client, ids) -> None:
    """Until all are done; how many is told without making any."""
    before = client.get(f"{BASE}/regions").json()
    after = client.post(f"{BASE}/regions", json={"limit": 2}).json()
    assert after["done"] == min(before["done"] + 2, before["total"])
    assert after["total"] == len(ids)


def test_regions_of_a_picture_cover_it_and_the_veil_has_its_shape(client, concept) -> None:
    """Masks as runs, and the same as an image."""
    user = "looker"
    first, *_, last = members(client, concept, user)
    body = {"better": first, "worse": last, "user": user}
    client.post(f"{BASE}/concepts/{concept}/preferences", json=body)
    params = {"concept": concept, "user": user}
    found = client.get(f"{BASE}/images/{first}/regions", params=params).json()
    cells = found["side"] ** 2
    assert all(sum(region["mask"]) == cells for region in found["regions"])
    assert sum(sum(region["mask"][1::2]) for region in found["regions"]) == cells
    relevance = [region["relevance"] for region in found["regions"]]
    assert (min(relevance), max(relevance)) == (0.0, 1.0)
    answer = client.get(f"{BASE}/images/{first}/relevance", params={**params, "side": 80})
    assert answer.headers["cache-control"] == "no-store"
    drawn = np.asarray(Image.open(io.BytesIO(answer.content)))
    assert drawn.shape == (60, 80, 4)
    assert drawn[:, :, 3].max() > drawn[:, :, 3].min()


def test_tags_travel(client, ids) -> None:
    """Given and taken off."""
    body = {"images": ids[:2], "user": "tagger"}
    found = client.post(f"{BASE}/tags/bright", json=body).json()["items"]
    assert {"tag:bright": 2}.items() <= {one["name"]: one["images"] for one in found}.items()
    body = {"without": ids[:2], "user": "tagger"}
    found = client.post(f"{BASE}/tags/bright", json=body).json()["items"]
    assert "tag:bright" not in {one["name"] for one in found}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/concepts/nothing", None, 422),
        ("POST", "/concepts/nothing/grades", {"image_id": "0" * 32, "grade": "good"}, 422),
        ("POST", "/tags/a:b", {"images": ["0" * 32]}, 422),
        ("POST", "/tags/a", {}, 422),
        ("POST", "/regions", {"limit": 0}, 422),
        ("GET", f"/images/{'0' * 32}/regions", None, 404),
        ("GET", f"/images/{'0' * 32}/relevance", None, 404),
    ],
)
def test_what_cannot_be_answered_is_a_problem(client, method, path, body, status) -> None:
    """In the one shape."""
    answer = client.request(method, BASE + path, json=body)
    assert answer.status_code == status
    assert {"code", "message", "hint"} == set(answer.json())


def test_a_part_of_a_picture_is_looked_for_once_all_are_cut(client, ids, engine) -> None:
    """Before that it is a conflict with a hint; both fields at once are refused."""
    body = {"image_id": ids[0], "box": [0.2, 0.2, 0.9, 0.9], "k": 5}
    told = client.get(f"{BASE}/regions").json()
    if told["done"] < told["total"]:
        early = client.post(f"{BASE}/search", json=body)
        assert (early.status_code, early.json()["code"]) == (409, "not-ready")
    while told["done"] < told["total"]:
        told = client.post(f"{BASE}/regions", json={"limit": 50}).json()
    page = client.post(f"{BASE}/search", json=body).json()
    assert page["hits"][0]["why"].keys() == {"regions:match"}
    assert ids[0] not in {hit["image_id"] for hit in page["hits"]}
    again = client.post(f"{BASE}/search", json={"image_id": ids[0], "region": 0, "k": 5})
    assert len(again.json()["hits"]) == 5
    files = {"image": engine.original(ids[1])}
    form = {"box": ["0.1", "0.1", "0.6", "0.6"], "k": "5"}
    sent = client.post(f"{BASE}/search", data=form, files=files).json()
    assert sent["hits"][0]["why"].keys() == {"regions:match"}
    both = client.post(f"{BASE}/search", json={**body, "region": 1})
    assert both.status_code == 422


def test_a_server_that_stops_waits_for_no_regions(pictures, tmp_path, monkeypatch) -> None:
    """The request under way is answered, what it made is kept, and nothing more is begun."""
    begun, stopping, described = threading.Event(), threading.Event(), []
    honest = crew.describe_files

    def slow(task):
        described.append(task)
        if len(described) == 2:
            begun.set()
            stopping.wait(60)
        return honest(task)

    with Engine(tmp_path / "store", warm=False) as engine:
        engine.add(pictures, recipe="lbp", workers=1)
        monkeypatch.setattr(crew, "describe_files", slow)
        server = prepare(engine, port=0)
        monkeypatch.setattr(server, "_interrupt", lambda: (engine.interrupt(), stopping.set()))
        answers: list[httpx.Response] = []
        with running(server) as url:
            ask = threading.Thread(
                target=lambda: answers.append(
                    httpx.post(f"{url}{BASE}/regions", json={"limit": 8}, timeout=60)
                )
            )
            ask.start()
            assert begun.wait(60)
        ask.join()
        (answer,) = answers
        assert (answer.status_code, answer.json()["code"]) == (503, "stopping")
        assert len(described) == 2
        assert engine.concepts.prepared().done == 4
        assert engine.concepts.prepare(limit=2).done == 6

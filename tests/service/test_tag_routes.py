"""Tags over HTTP."""

from __future__ import annotations

import pytest

BASE = "/api/v1"


def test_tags_travel(client, ids) -> None:
    """Given, listed, asked of a picture, taken off some and off all."""
    body = {"images": ids[:3], "user": "tagger"}
    told = client.post(f"{BASE}/tags/bright", json=body).json()
    assert told == {"tag": "bright", "images": 3, "own": 3, "people": 1}
    listed = client.get(f"{BASE}/tags", params={"user": "tagger"}).json()["items"]
    assert told in listed
    seen = client.get(f"{BASE}/images/{ids[0]}/tags", params={"user": "tagger"}).json()
    assert seen == ["bright"]
    body = {"without": [ids[0]], "user": "tagger"}
    assert client.post(f"{BASE}/tags/bright", json=body).json()["images"] == 2
    one = {"user": "tagger", "image": ids[1]}
    assert client.delete(f"{BASE}/tags/bright", params=one).json()["images"] == 1
    gone = client.delete(f"{BASE}/tags/bright", params={"user": "tagger"}).json()
    assert (gone["images"], gone["people"]) == (0, 0)


def test_a_tag_narrows_what_its_person_sees(client, ids) -> None:
    """In a search, a listing and the counts."""
    client.post(f"{BASE}/tags/seaside", json={"images": ids[4:6], "user": "swimmer"})
    body = {"image_id": ids[0], "user": "swimmer", "where": {"tag": "seaside"}}
    hits = client.post(f"{BASE}/search", json=body).json()["hits"]
    assert {hit["image_id"] for hit in hits} == set(ids[4:6])
    query = {"tag": "seaside", "user": "swimmer"}
    assert client.get(f"{BASE}/images", params=query).json()["total"] == 2
    counts = client.get(f"{BASE}/facets", params={"user": "swimmer"}).json()["tags"]
    assert {"tag": "seaside", "count": 2} in counts


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/tags/a:b", {"images": ["0" * 32]}, 422),
        ("POST", "/tags/a", {}, 422),
        ("POST", "/tags/a", {"images": ["0" * 32]}, 404),
        ("DELETE", "/tags/never-given", None, 422),
        ("GET", f"/images/{'0' * 32}/tags", None, 404),
    ],
)
def test_what_cannot_be_answered_is_a_problem(client, method, path, body, status) -> None:
    """In the one shape."""
    answer = client.request(method, BASE + path, json=body)
    assert answer.status_code == status
    assert {"code", "message", "hint"} == set(answer.json())

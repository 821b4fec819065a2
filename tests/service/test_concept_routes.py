"""Concepts over HTTP."""

from __future__ import annotations

import pytest

BASE = "/api/v1"


@pytest.fixture(scope="module")
def concept(client) -> str:
    """The first folder of the world."""
    name: str = client.get(f"{BASE}/concepts").json()["items"][0]["name"]
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


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/concepts/nothing", None, 422),
        ("POST", "/concepts/nothing/grades", {"image_id": "0" * 32, "grade": "good"}, 422),
    ],
)
def test_what_cannot_be_answered_is_a_problem(client, method, path, body, status) -> None:
    """In the one shape."""
    answer = client.request(method, BASE + path, json=body)
    assert answer.status_code == status
    assert {"code", "message", "hint"} == set(answer.json())

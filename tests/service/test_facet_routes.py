"""What narrows a listing and what it can be narrowed by, over HTTP."""

from __future__ import annotations

import pytest

BASE = "/api/v1"


def test_facets_have_counts_by_name(client, ids) -> None:
    """Every list of them, and a clause leaves as many as its count says."""
    found = client.get(f"{BASE}/facets").json()
    assert set(found) == {"images", "folders", "months", "cameras", "shapes", "tags"}
    assert found["images"] == len(ids)
    folder = found["folders"][0]
    answer = client.get(f"{BASE}/images", params={"folder": folder["folder"]}).json()
    assert answer["total"] == folder["count"] < len(ids)
    month = found["months"][0]["month"]
    after = client.get(f"{BASE}/facets", params={"after": month, "shape": "wide"}).json()
    assert after["images"] == len(ids)


def test_a_search_is_narrowed_as_a_listing_is(client, ids) -> None:
    """The same words in `where`."""
    body = {"image_id": ids[0], "k": 100, "where": {"shape": "tall", "after": "2019-05-01"}}
    assert client.post(f"{BASE}/search", json=body).json()["hits"] == []
    folder = client.get(f"{BASE}/facets").json()["folders"][0]["folder"]
    body["where"] = {"shape": "wide", "folder": folder, "after": "1990", "before": "2900-01-01"}
    hits = {hit["image_id"] for hit in client.post(f"{BASE}/search", json=body).json()["hits"]}
    listed = client.get(f"{BASE}/images", params={"folder": folder, "limit": 100}).json()["items"]
    assert hits | {ids[0]} >= {one["image_id"] for one in listed}


@pytest.mark.parametrize(
    "query",
    [
        {"shape": "round"},
        {"after": "soon"},
        {"folder": "nowhere"},
        {"tag": "nothing"},
        {"more": "natural"},
        {"camera": "none"},
    ],
)
@pytest.mark.parametrize("place", ["images", "facets"])
def test_what_cannot_narrow_is_a_problem(client, place, query) -> None:
    """In the one shape."""
    answer = client.get(f"{BASE}/{place}", params=query)
    assert answer.status_code == 422
    assert {"code", "message", "hint"} == set(answer.json())

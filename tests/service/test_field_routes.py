"""Ids and fields of somebody else's over HTTP."""

from __future__ import annotations

import pytest

BASE = "/api/v1"


def test_a_picture_gets_an_id_and_fields_and_is_found_by_them(client, ids) -> None:
    """By the id, by a listing and by a search within a price."""
    body = {"external_id": "sku-7", "fields": {"price": 7, "colour": "red", "sold": False}}
    told = client.put(f"{BASE}/images/{ids[7]}/fields", json=body).json()
    assert (told["external_id"], told["fields"]["price"]) == ("sku-7", 7)
    assert client.get(f"{BASE}/external/sku-7").json() == told
    again = client.put(f"{BASE}/images/sku-7/fields", json={"fields": {"colour": None}}).json()
    assert "colour" not in again["fields"]
    listed = client.get(f"{BASE}/images", params={"fields": "price<8"}).json()["items"]
    assert [one["image_id"] for one in listed] == [ids[7]]
    where = {"fields": {"price": {"above": 6, "below": 8}}}
    hits = client.post(f"{BASE}/search", json={"image_id": ids[0], "where": where}).json()["hits"]
    assert [one["image_id"] for one in hits] == [ids[7]]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", "/images/nothing/fields", {"fields": {"a": 1}}, 404),
        ("PUT", "/images/{}/fields", {"fields": {"a/b": 1}}, 422),
        ("PUT", "/images/{}/fields", {"external_id": "a/b"}, 422),
        ("PUT", "/images/{}/fields", {"fields": {"a": {"deep": 1}}}, 422),
        ("GET", "/external/nothing", None, 404),
        ("GET", "/images?fields=never<3", None, 422),
    ],
)
def test_what_cannot_be_answered_is_a_problem(client, ids, method, path, body, status) -> None:
    """In the one shape."""
    answer = client.request(method, BASE + path.format(ids[0]), json=body)
    assert answer.status_code == status
    assert {"code", "message", "hint"} == set(answer.json())

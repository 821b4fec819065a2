"""Pictures of people's own over HTTP, and originals in a zip."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import pytest
from PIL import Image

BASE = "/api/v1"


def picture(shade: int) -> bytes:
    out = BytesIO()
    Image.linear_gradient("L").resize((40, 30)).point(lambda x: (x + shade) % 256).save(out, "PNG")
    return out.getvalue()


def keep(client, shade, user):
    files = {"image": ("mine.png", picture(shade), "image/png")}
    answer = client.post(f"{BASE}/uploads", params={"user": user}, files=files)
    assert answer.status_code == 200, answer.text
    return answer.json()["image_id"]


def test_a_kept_picture_is_searched_with_by_id(client, ids) -> None:
    """By its person and by whoever has the address; shown small, and listed for its person."""
    name = keep(client, 3, "bringer")
    assert [one["image_id"] for one in listed(client, "bringer")] == [name]
    assert listed(client, "another") == []
    body = {"image_id": name, "user": "another", "k": 5}
    page = client.post(f"{BASE}/search", json=body).json()
    assert page["like"] == [name]
    assert len(page["hits"]) == 5
    small = client.get(f"{BASE}/images/{name}/thumb")
    assert small.headers["content-type"] == "image/webp"
    assert small.content[8:12] == b"WEBP"
    assert small.headers["cache-control"] == "private, no-store"
    record = client.get(f"{BASE}/images/{name}").json()
    assert (record["paths"], record["width"], record["height"]) == ([], 40, 30)
    assert client.get(f"{BASE}/images/{name}/file").status_code == 404
    saved = {"page_id": page["page_id"], "name": "mine"}
    assert client.post(f"{BASE}/profiles/another/saved", json=saved).json()["like"] == [name]


def listed(client, user):
    return client.get(f"{BASE}/uploads", params={"user": user}).json()


def test_forgetting_a_person_ends_their_pictures(client) -> None:
    """And so does taking one away; then it is not found."""
    one, two = keep(client, 5, "leaver"), keep(client, 6, "leaver")
    left = client.delete(f"{BASE}/uploads/{one}", params={"user": "leaver"}).json()
    assert [kept["image_id"] for kept in left] == [two]
    assert client.delete(f"{BASE}/profiles/leaver").status_code == 200
    for name in (one, two):
        assert client.get(f"{BASE}/images/{name}/thumb").status_code == 404
        body = {"image_id": name, "user": "leaver"}
        assert client.post(f"{BASE}/search", json=body).status_code == 404


def test_originals_come_in_a_zip(client, engine, ids) -> None:
    """Bit for bit."""
    answer = client.post(f"{BASE}/originals.zip", json={"images": ids[:3]})
    assert answer.headers["content-type"] == "application/zip"
    with ZipFile(BytesIO(answer.content)) as found:
        packed = {found.read(name) for name in found.namelist()}
    assert packed == {engine.library.original(one) for one in ids[:3]}


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("/uploads", {"files": {"image": ("a.txt", b"only words", "text/plain")}}, 422),
        ("/uploads", {"files": {"other": ("a.png", b"x", "image/png")}}, 422),
        ("/uploads", {"json": {"image": "x"}}, 415),
        ("/originals.zip", {"json": {"images": []}}, 422),
        ("/originals.zip", {"json": {"images": ["0" * 32]}}, 404),
    ],
)
def test_what_cannot_be_answered_is_a_problem(client, path, sent, status) -> None:
    """In the one shape."""
    answer = client.post(BASE + path, **sent)
    assert answer.status_code == status, answer.text
    assert {"code", "message", "hint"} == set(answer.json())

"""Pictures by API: put, replaced, taken out, in batches, and what is refused."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import httpx
import numpy as np
import pytest
from PIL import Image
from starlette.datastructures import Headers

import saccade
from saccade.errors import InvalidInput
from saccade.service.bodies import bounds
from saccade.service.server import Door, prepare
from servers import PATIENCE, running

BASE = "/api/v1/images"
LINES = {"Content-Type": "application/x-ndjson"}


def drawn(seed: int) -> bytes:
    """The bytes of some picture."""
    pixels = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), np.uint8).repeat(6, 0)
    out = io.BytesIO()
    Image.fromarray(pixels.repeat(6, 1)).save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder of the collection, and one that the server is given."""
    album, shop = tmp_path_factory.mktemp("album"), tmp_path_factory.mktemp("shop")
    for number in range(3):
        (album / f"{number}.png").write_bytes(drawn(number))
    (shop / "in.png").write_bytes(drawn(10))
    (album.parent / "secret.png").write_bytes(drawn(11))
    (shop / "link.png").symlink_to(album.parent / "secret.png")
    return album, shop


@pytest.fixture(scope="module")
def held(folders, tmp_path_factory):
    """A store of three pictures."""
    with saccade.open(tmp_path_factory.mktemp("store") / "shop.saccade") as engine:
        engine.add(folders[0], recipe="color-histogram", workers=1)
        yield engine


@pytest.fixture(scope="module")
def shop(held, folders):
    """A server around it that asks for tokens, and a curator's client."""
    key, _ = held.tokens.create("cora", "curator")
    with (
        running(prepare(held, port=0, tokens=True, roots=[folders[1]])) as url,
        httpx.Client(
            base_url=url, timeout=PATIENCE, headers={"Authorization": f"Bearer {key}"}
        ) as client,
    ):
        yield client


def put(client: httpx.Client, name: str, body: bytes | dict, wait: float = 60) -> httpx.Response:
    address = f"{BASE}/{name}?wait={wait}"
    if isinstance(body, dict):
        return client.put(address, json=body)
    return client.put(address, content=body, headers={"Content-Type": "image/png"})


def test_a_picture_is_put_found_replaced_and_taken_out(shop: httpx.Client) -> None:
    """Each answer says when it is searchable, and the job that makes it so."""
    asked = put(shop, "sku-1", drawn(20), wait=0)
    assert asked.status_code == 202
    told = asked.json()
    assert told["external_id"] == "sku-1"
    assert told["job"]["kind"] == "pictures"
    waited = put(shop, "sku-1", drawn(20))
    assert (waited.status_code, waited.json()["searchable"]) == (200, True)
    again = put(shop, "sku-1", drawn(20)).json()
    assert (again["searchable"], again["job"]) == (True, None)
    record = shop.get("/api/v1/external/sku-1").json()
    assert record["image_id"] == told["image_id"]
    assert shop.get(f"{BASE}/{told['image_id']}/file").content == drawn(20)
    found = shop.post("/api/v1/search", json={"image_id": told["image_id"], "k": 10}).json()
    assert len(found["hits"]) >= 3
    other = put(shop, "sku-1", drawn(21)).json()
    assert (other["searchable"], other["image_id"] == told["image_id"]) == (True, False)
    assert shop.get(f"{BASE}/{told['image_id']}").status_code == 404
    gone = shop.delete(f"{BASE}/sku-1?wait=60")
    assert (gone.status_code, gone.json()["searchable"]) == (200, False)
    assert gone.json()["job"]["result"] == {"pictures": 0, "left": 1, "refused": []}
    assert shop.get("/api/v1/external/sku-1").status_code == 404
    assert shop.delete(f"{BASE}/sku-1").status_code == 404


def test_a_path_and_a_batch(shop: httpx.Client) -> None:
    """Below a folder that the server was given; lines with bytes, fields and what is to go."""
    by_path = put(shop, "by-path", {"path": "in.png", "fields": {"price": 5}}).json()
    assert by_path["searchable"]
    record = shop.get("/api/v1/external/by-path").json()
    assert (record["paths"], record["fields"]) == (["in.png"], {"price": 5})
    picture = base64.b64encode(drawn(30)).decode()
    lines = [
        {"external_id": "b-1", "image": picture, "fields": {"price": 7}},
        {"external_id": "by-path", "remove": True},
    ]
    body = "\n".join(map(json.dumps, lines))
    told = shop.post(f"{BASE}?wait=60", content=body, headers=LINES)
    assert told.status_code == 200, told.text
    assert [one["searchable"] for one in told.json()["pictures"]] == [True, False]
    where = {"where": {"fields": {"price": 7}}, "text": "anything", "k": 5}
    assert shop.post("/api/v1/search", json=where).status_code == 200
    assert shop.get("/api/v1/external/by-path").status_code == 404


@pytest.mark.parametrize("path", ["../secret.png", "link.png", "/etc/passwd", "nowhere.png"])
def test_a_path_leads_into_the_folders_alone(shop: httpx.Client, path: str) -> None:
    """All of them are told alike: whether a file is elsewhere is nobody's business."""
    told = put(shop, "x", {"path": path})
    assert (told.status_code, told.json()["code"]) == (422, "invalid-input")
    assert "in the folders that pictures may come from" in told.json()["message"]


@pytest.mark.parametrize(
    ("name", "body", "kind", "status"),
    [
        ("x", b"this is no picture", "image/jpeg", 422),
        ("x", b"", "image/jpeg", 422),
        ("x", drawn(1)[:150], "application/octet-stream", 422),
        ("x", drawn(40), "text/plain", 415),
        ("x", drawn(40), "", 422),
        ("x", b"{}", "application/json", 422),
        ("x", b'{"path": "in.png", "size": 3}', "application/json", 422),
        ("x", b"[", "application/json", 422),
        ("%20x", drawn(40), "image/png", 422),
        ("a%0Ab", drawn(40), "image/png", 422),
        ("x" * 201, drawn(40), "image/png", 422),
    ],
)
def test_what_cannot_be_put(shop, name, body, kind, status) -> None:
    """A sentence with what to do, and nothing waits."""
    before = shop.get("/api/v1/jobs").json()["total"]
    headers = {"Content-Type": kind} if kind else {}
    told = shop.put(f"{BASE}/{name}", content=body, headers=headers)
    assert told.status_code == status, told.text
    assert {*told.json()} == {"code", "message", "hint"}
    assert shop.get("/api/v1/jobs").json()["total"] == before


def test_a_picture_that_has_another_id_is_refused(shop: httpx.Client) -> None:
    """409, with the id that it has."""
    assert put(shop, "one", drawn(50)).json()["searchable"]
    told = put(shop, "two", drawn(50))
    assert (told.status_code, told.json()["code"]) == (409, "id-taken")
    assert "'one'" in told.json()["message"]


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ([{"external_id": "a"}], "line 1"),
        ([{"external_id": "a", "path": "in.png", "remove": True}], "line 1"),
        ([{"external_id": "a", "remove": True}], "line 1"),
        ([{"external_id": "a", "image": "!!"}], "line 1"),
        (
            [{"external_id": "b", "path": "in.png"}, {"external_id": "c/d", "remove": True}],
            "line 2",
        ),
        ([{"external_id": "a", "image": base64.b64encode(b"x").decode()}] * 2, "line 1"),
        (["a"], "line 1"),
    ],
)
def test_a_batch_is_refused_as_a_whole(shop: httpx.Client, lines: list, place: str) -> None:
    """With the number of the line, and nothing of it waits."""
    before = shop.get("/api/v1/jobs").json()["total"]
    body = "\n".join(map(json.dumps, lines))
    told = shop.post(BASE, content=body, headers=LINES)
    assert told.status_code == 422, told.text
    assert place in told.json()["message"]
    assert shop.get("/api/v1/jobs").json()["total"] == before
    assert shop.post(BASE, content=body, headers={"Content-Type": "text/csv"}).status_code == 415


def test_too_many_lines_and_too_many_bytes(shop) -> None:
    """A thousand lines, and as many bytes as any upload has; of JSON as few as any JSON."""
    body = "\n".join('{"external_id": "a", "path": "in.png"}' for _ in range(1001))
    told = shop.post(BASE, content=body, headers=LINES)
    assert (told.status_code, "1,001" in told.json()["message"]) == (422, True)
    headers = Headers({"content-type": "image/png"})
    assert bounds(f"{BASE}/a", headers, 1000).most == 1000
    assert bounds(f"{BASE}/a", Headers({"content-type": "application/json"}), 2**26).most == 2**18


def test_who_may_put(held, shop) -> None:
    """A teacher may not; a viewer looks at the job and sees no more than how far it is."""
    put(shop, "by-cora", drawn(40))
    key, _ = held.tokens.create("tom", "teacher")
    teacher = {"Authorization": f"Bearer {key}"}
    told = shop.put(f"{BASE}/a", content=drawn(1), headers={**teacher, "Content-Type": "image/png"})
    assert (told.status_code, told.json()["code"]) == (403, "role-too-small")
    (job, *_) = [one for one in shop.get("/api/v1/jobs").json()["items"] if one["result"]]
    seen = shop.get(f"/api/v1/jobs/{job['job_id']}", headers=teacher).json()
    assert (seen["state"], seen["result"]) == (job["state"], {})


def test_a_root_is_a_folder(tmp_path: Path) -> None:
    """Named when the server starts, and refused there."""
    with pytest.raises(InvalidInput, match="no folder that pictures can be put from"):
        Door.of(roots=[tmp_path / "nowhere"])
    assert Door.told(Door.of(roots=[tmp_path]).as_told()).roots == (str(tmp_path),)

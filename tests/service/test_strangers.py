"""What a client could try that the page never does."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from PIL import Image

from saccade.service.server import prepare
from servers import PATIENCE

NAME = "ab" * 16


@pytest.fixture
def on_disk(tmp_path, monkeypatch):
    """A picture of the server's disk, in its own folder, with a name like that of an image."""
    monkeypatch.chdir(tmp_path)
    Image.effect_noise((80, 60), 90).save(tmp_path / f"{NAME}.png")
    (tmp_path / f"{NAME}.png").rename(tmp_path / NAME)
    assert Path(NAME).exists()


@pytest.mark.parametrize(
    "asked",
    [{"image_id": NAME}, {"like": [NAME]}, {"unlike": [NAME]}, {"where": {"more": {"wide": NAME}}}],
    ids=lambda asked: next(iter(asked)),
)
def test_no_search_reads_a_file_of_the_server(client, ids, on_disk, asked):
    """A name is that of an image in the collection, or of nothing, though a file is called so."""
    body = {"user": "stranger", "k": 3, **({} if "image_id" in asked else {"image_id": ids[0]})}
    body |= asked
    body = {key: value for key, value in body.items() if not (key == "image_id" and "like" in body)}
    answer = client.post("/api/v1/search", json=body)
    assert answer.status_code in (404, 422), answer.text
    assert answer.json()["code"] in ("not-found", "unknown-name")


def test_no_candidates_are_compared_with_a_file_of_the_server(client, ids, on_disk):
    """The picture of a query that is re-ranked is one of the collection, likewise."""
    body = {"candidates": [{"image_id": ids[0]}], "query": {"image_id": NAME}, "user": "stranger"}
    answer = client.post("/api/v1/rerank", json=body)
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")


def test_a_method_that_nobody_knows_is_counted_with_all_such(engine, serving):
    """A client that invents names makes no new series of them."""
    with (
        serving(prepare(engine, port=0)) as url,
        httpx.Client(base_url=url, timeout=PATIENCE) as client,
    ):
        for method in ("BREW", "WHEN", "GET"):
            client.request(method, "/healthz")
        text = client.get("/metrics").text
    assert "BREW" not in text
    assert "WHEN" not in text
    counted = 'saccade_requests_total{method="other",route="/healthz",status="405"} 2.0'
    assert counted in text.splitlines()


@pytest.mark.parametrize(("limit", "nexts"), [(12, [12, 24, None]), (36, [None]), (35, [35, None])])
def test_the_last_part_of_a_list_says_so(client, ids, limit, nexts):
    """Also where it ends exactly with the list: nobody asks for a part that is not there."""
    found, offset = [], 0
    while offset is not None and len(found) < len(ids):
        part = client.get("/api/v1/images", params={"offset": offset, "limit": limit}).json()
        offset = part["next"]
        found.append(offset)
    assert found == nexts

"""Events and keys over HTTP."""

from __future__ import annotations

import itertools
import json

import httpx
import pytest

from saccade.service.server import prepare
from servers import PATIENCE

LINES = {"Content-Type": "application/x-ndjson"}
_NUMBER = itertools.count()


@pytest.fixture
def shop(client):
    """The way to send lines, as a person of the test's own."""
    user = f"shop-{next(_NUMBER)}"

    def shop(*lines, **headers):
        text = "\n".join(json.dumps({"user": user, **line}) for line in lines)
        return client.post("/api/v1/events", content=text, headers=LINES | headers)

    shop.user = user
    return shop


PAGE = {
    "event": "shown", "page": "p-1", "query": {"text": "shoes"}, "key": "1",
    "candidates": [{"id": f"sku-{i}", "features": {"price": i % 4}} for i in range(8)],
}  # fmt: skip
CLICK = {"event": "bought", "page": "p-1", "id": "sku-6", "key": "2"}


def test_a_batch_is_taken_and_taught_from(client, shop):
    """What was bought at the end of a page comes up; sent again, it is the same batch."""
    assert shop(PAGE, CLICK).json() == {"taken": 2, "repeated": 0, "waiting": 0, "outdated": 0}
    assert shop(PAGE, CLICK).json()["repeated"] == 2
    assert shop(*({**CLICK, "key": f"more {i}"} for i in range(9))).json()["taken"] == 9
    body = {"user": shop.user, "query": PAGE["query"], "candidates": PAGE["candidates"]}
    hits = client.post("/api/v1/rerank", json=body).json()["hits"]
    assert [hit["id"] for hit in hits] != [one["id"] for one in PAGE["candidates"]]


def test_clicks_on_a_page_of_ours_are_told_by_its_id(client, shop):
    """Nothing has to be said of what was shown."""
    body = {"user": shop.user, "candidates": PAGE["candidates"]}
    page = client.post("/api/v1/rerank", json=body).json()
    answer = shop({**CLICK, "page": page["page_id"]})
    assert answer.json() == {"taken": 1, "repeated": 0, "waiting": 0, "outdated": 0}


@pytest.mark.parametrize(
    ("content", "status", "told"),
    [
        ("{", 422, "line 1 is not JSON"),
        ("\n\n[1]", 422, "line 3 is no object"),
        ('{"event": "adored"}', 422, "event 1: there is no event 'adored'"),
        (json.dumps(PAGE) + '\n{"event": "clicked", "page": "p-1", "id": "x"}', 422, "event 2"),
        ('{"event": "liked", "page": "p", "id": "a", "at": NaN}', 422, "its time nan is none"),
        (b"\xff", 422, "no UTF-8 text"),
        ("{}\n" * 10_001, 422, "10,001 events are more than 10,000"),
        (b" " * (8 * 2**20 + 1), 413, "larger than 8 MiB"),
        ("[" * 300_000, 422, "more than 200,000 values"),
        ('{"event": "liked", "page": "p", "id": "\\ud83d"}', 422, "half of a character"),
    ],
)
def test_a_batch_that_cannot_be_used_is_refused(client, content, status, told):
    """In a sentence with the line, and nothing of it is kept."""
    before = client.get("/metrics").text.count("candidates")
    answer = client.post("/api/v1/events", content=content, headers=LINES)
    assert answer.status_code == status
    assert told in answer.json()["message"]
    assert client.get("/metrics").text.count("candidates") == before


def test_events_are_lines(client):
    """Another type is refused with the one to send."""
    answer = client.post("/api/v1/events", json={})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported-body")
    assert "x-ndjson" in answer.json()["hint"]


def test_nobody_tells_of_another(engine, serving):
    """A line that names somebody else is refused, and the batch with it; without a name it is
    whoever asks.
    """
    key, _ = engine.tokens.create("events-ana", "teacher")
    headers = {**LINES, "Authorization": f"Bearer {key}"}
    with serving(prepare(engine, port=0, tokens=True)) as url:

        def send(*lines):
            text = "\n".join(json.dumps(line) for line in lines)
            return httpx.post(
                f"{url}/api/v1/events", content=text, headers=headers, timeout=PATIENCE
            )

        refused = send(PAGE, {**CLICK, "user": "bob"})
        assert (refused.status_code, refused.json()["code"]) == (403, "not-yours")
        assert send(PAGE, CLICK).json()["taken"] == 2
    assert len(engine.people.show("events-ana").history) == 1


def test_marks_under_a_key_count_once(client, search):
    """On pictures, too; under another body the key is refused."""
    page = search("keyed")
    first, second = (hit["image_id"] for hit in page["hits"][:2])
    body = {"page_id": page["page_id"], "liked": [first]}
    headers = {"Idempotency-Key": "mark-1"}
    answers = [client.post("/api/v1/feedback", json=body, headers=headers) for _ in range(2)]
    assert [one.status_code for one in answers] == [200, 200]
    hits = [[hit["image_id"] for hit in one.json()["hits"]] for one in answers]
    assert hits[0] == hits[1]
    assert client.get("/api/v1/profiles/keyed/events").json()["total"] == 1
    other = client.post("/api/v1/feedback", json={**body, "liked": [second]}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "key-reused")
    pair = {"page_id": page["page_id"], "better": second, "worse": first}
    for _ in range(2):
        sent = client.post("/api/v1/preferences", json=pair, headers={"Idempotency-Key": "pair-1"})
        assert sent.status_code == 200
    assert client.get("/api/v1/profiles/keyed/events").json()["total"] == 2

"""Re-ranking over HTTP: the least form, what is taught, what is refused."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from saccade.engine import Engine
from saccade.service.server import prepare
from servers import PATIENCE, running

URL, FEEDBACK = "/api/v1/rerank", "/api/v1/feedback"


@pytest.fixture(scope="module")
def indexed(pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that nobody has taught."""
    place = tmp_path_factory.mktemp("untaught") / "world.saccade"
    with Engine(place, warm=False) as engine:
        engine.add(pictures, recipe="color-histogram,lbp", workers=1)
    return place


@pytest.fixture
def engine(indexed: Path, tmp_path: Path) -> Iterator[Engine]:
    """A copy of it for each test: what several people teach is everybody's."""
    with Engine(shutil.copytree(indexed, tmp_path / "world.saccade"), warm=False) as engine:
        yield engine


@pytest.fixture
def client(engine: Engine) -> Iterator[httpx.Client]:
    """A program that talks to a server around it."""
    with (
        running(prepare(engine, port=0)) as address,
        httpx.Client(base_url=address, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.fixture
def ids(engine: Engine) -> list[str]:
    """Every image id."""
    return [record.image_id for record in engine.images(0, 100)]


def events(engine: Engine) -> dict[str, int]:
    """How much the log holds of each kind."""
    return dict(engine.library.report().events)


def shoes(count: int = 8) -> list[dict[str, object]]:
    return [
        {"id": f"sku-{i}", "features": {"bm25": 9.0 - i, "price": (i * 5) % 8}}
        for i in range(count)
    ]


def test_the_least_form_comes_back_in_the_order_given(client: httpx.Client) -> None:
    """A user, a text and candidates with features; a page id, ids and scores."""
    body = {"user": "shop-1", "query": {"text": "red shoes"}, "candidates": shoes()}
    page = client.post(URL, json=body).json()
    assert [hit["id"] for hit in page["hits"]] == [one["id"] for one in shoes()]
    assert len(page["page_id"]) == 32
    assert page["hits"][0]["score"] > page["hits"][1]["score"]
    assert page["hits"][0]["why"] == {}


def test_feedback_with_its_page_and_ids_teaches(client: httpx.Client) -> None:
    """The answer is the list ranked anew, and so is the next one for that text."""
    body = {"user": "shop-2", "query": {"text": "red shoes"}, "candidates": shoes()}
    page = client.post(URL, json=body).json()
    said = {"page_id": page["page_id"], "liked": ["sku-5"], "disliked": ["sku-0", "sku-1"]}
    after = client.post(FEEDBACK, json=said).json()
    assert (after["liked"], after["disliked"]) == (["sku-5"], ["sku-0", "sku-1"])
    again = client.post(URL, json={**body, "explain": True}).json()
    assert again["hits"][0]["id"] == "sku-5"
    assert again["hits"][0]["why"]["(marked before)"] > 0
    other = client.post(URL, json={**body, "user": "shop-2-else"}).json()
    assert [hit["id"] for hit in other["hits"]] == [one["id"] for one in shoes()]


def test_undo_and_forget_take_it_back(client: httpx.Client) -> None:
    """By the addresses that serve pictures, too."""
    body = {"user": "shop-3", "candidates": shoes()}
    page = client.post(URL, json=body).json()
    client.post(FEEDBACK, json={"page_id": page["page_id"], "liked": ["sku-5"]})
    undone = client.post(f"/api/v1/profiles/shop-3/undo?page={page['page_id']}").json()
    assert undone["liked"] == ["sku-5"]
    again = client.post(URL, json=body).json()
    assert [hit["id"] for hit in again["hits"]] == [one["id"] for one in shoes()]
    assert client.delete("/api/v1/profiles/shop-3").json()["events"] == 1


def test_pictures_of_the_collection_are_compared_with_the_query(
    client: httpx.Client, engine: Engine, ids: list[str]
) -> None:
    """By our ids, with a query that is one of them or a file of its own; mixed with others."""
    candidates = [*({"image_id": one} for one in ids[1:9]), {"id": "sku-1"}]
    body = {"user": "shop-4", "query": {"image_id": ids[0]}, "candidates": candidates}
    page = client.post(URL, json={**body, "explain": True}).json()
    assert [hit["id"] for hit in page["hits"]] == [*ids[1:9], "sku-1"]
    said = {"page_id": page["page_id"], "liked": [ids[6]], "disliked": [ids[1]]}
    after = client.post(FEEDBACK, json=said).json()
    assert "picture (like the query)" in after["hits"][0]["why"]
    data = base64.b64encode(Path(engine.image(ids[0]).paths[0]).read_bytes()).decode()
    uploaded = client.post(URL, json={**body, "query": {"image": data}, "user": "shop-4b"})
    assert [hit["id"] for hit in uploaded.json()["hits"]] == [*ids[1:9], "sku-1"]
    none = client.post(URL, json={**body, "query": {"image": "bm9uZQ==", "text": "red"}})
    assert (none.status_code, none.json()["code"]) == (422, "not-an-image")
    both = client.post(URL, json={**body, "query": {"image": data, "image_id": ids[0]}})
    assert (both.status_code, both.json()["code"]) == (422, "invalid-input")


def test_pictures_are_named_by_ids_that_others_gave_them(
    client: httpx.Client, engine: Engine, ids: list[str]
) -> None:
    """As candidates and as the query; an id that comes with features is a name and no more."""
    for number, one in enumerate(ids[:3]):
        engine.fields.set(one, external_id=f"own-{number}")
    ours = {"user": "shop-8", "query": {"image_id": ids[0]}, "explain": True}
    theirs = {**ours, "query": {"image_id": "own-0"}}
    named = [{"image_id": ids[1]}, {"image_id": ids[2]}, {"image_id": ids[3]}]
    alone = [{"id": "own-1"}, {"id": "sku", "image_id": "own-2"}, {"image_id": ids[3]}]

    def taught(body: dict[str, object], liked: str) -> list[float]:
        page = client.post(URL, json=body).json()
        after = client.post(FEEDBACK, json={"page_id": page["page_id"], "liked": [liked]}).json()
        assert "picture (like the query)" in after["hits"][0]["why"]
        client.delete("/api/v1/profiles/shop-8").raise_for_status()
        return [hit["score"] for hit in after["hits"]]

    assert taught({**ours, "candidates": named}, ids[2]) == taught(
        {**theirs, "candidates": alone}, "sku"
    )
    plain = {**ours, "candidates": [{"id": "own-1", "features": {"a": 1}}]}
    (hit,) = client.post(URL, json=plain).json()["hits"]
    assert "picture (like the query)" not in hit["why"]
    gone = client.post(URL, json={**ours, "candidates": [{"id": "a", "image_id": "own-9"}]})
    assert (gone.status_code, gone.json()["code"]) == (404, "not-found")


@pytest.mark.parametrize("text", ["elephants", "xyzzy", "-", "red"])
def test_pictures_are_ranked_for_any_text(client: httpx.Client, ids: list[str], text: str) -> None:
    """Whether the collection knows the words or not: the caller's engine did."""
    candidates = [{"image_id": one} for one in ids[1:9]]
    body = {"user": "shop-6", "query": {"text": text}, "candidates": candidates}
    answer = client.post(URL, json=body)
    assert [hit["id"] for hit in answer.json()["hits"]] == ids[1:9], answer.text


@pytest.mark.parametrize(
    ("body", "status", "code", "told"),
    [
        ({"candidates": []}, 422, "invalid-input", "candidates"),
        ({"candidates": [{"features": {"a": 1}}]}, 422, "invalid-input", "candidate 1 has no id"),
        (
            {"candidates": [{"id": "a", "features": {"p": "7"}}]},
            422,
            "invalid-input",
            "candidates.0.features.p",
        ),
        (
            {
                "candidates": [
                    {"id": "a", "vectors": {"v": [1, 2]}},
                    {"id": "b", "vectors": {"v": [1]}},
                ]
            },
            422,
            "invalid-input",
            "two vectors of different length are called 'v'",
        ),
        ({"candidates": [{"image_id": "0" * 32}]}, 404, "not-found", "no image"),
        (
            {"candidates": [{"id": "a"}], "query": {"image_id": "0" * 32}},
            404,
            "not-found",
            "no image",
        ),
        (
            {"candidates": [{"id": "a"}], "query": {"image": "bm8gcGljdHVyZQ=="}},
            422,
            "not-an-image",
            "the query",
        ),
        (
            {"candidates": [{"id": "a"}], "query": {"vectors": {"v": [1]}}},
            422,
            "invalid-input",
            "no candidate has one",
        ),
        ({"candidates": [{"id": "a"}], "user": "a/b"}, 422, "invalid-input", "user"),
    ],
)
def test_what_cannot_be_used_is_refused_and_leaves_nothing(
    client: httpx.Client, engine: Engine, body: object, status: int, code: str, told: str
) -> None:
    """One sentence, and the log is as it was."""
    before = events(engine)
    answer = client.post(URL, json=body)
    assert answer.status_code == status, answer.text
    assert answer.json()["code"] == code
    assert told in answer.json()["message"]
    assert answer.json().keys() == {"code", "message", "hint"}
    assert events(engine) == before


def test_numbers_that_are_none_are_refused(client: httpx.Client, engine: Engine) -> None:
    """JSON has no NaN, but some programs write it."""
    before = events(engine)
    for value in ("NaN", "Infinity", "1e999"):
        data = '{"candidates": [{"id": "a", "features": {"price": ' + value + "}}]}"
        answer = client.post(URL, content=data, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422
        assert "'price'" in answer.json()["message"]
    assert events(engine) == before


def test_a_million_candidates_are_refused(client: httpx.Client, engine: Engine) -> None:
    """By their number, or by their bytes before they are parsed."""
    before = events(engine)
    many = {"candidates": [{"id": str(i)} for i in range(20_000)]}
    assert client.post(URL, json=many).status_code == 422
    data = b'{"candidates": [' + b",".join(b'{"id":"%d"}' % i for i in range(1_000_000)) + b"]}"
    answer = client.post(URL, content=data, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["code"] == "too-large"
    assert events(engine) == before


def test_marks_on_what_was_not_there_are_refused(client: httpx.Client, engine: Engine) -> None:
    """An id that the page has not, and a page that is none."""
    page = client.post(URL, json={"user": "shop-5", "candidates": shoes()}).json()
    before = events(engine)
    strange = client.post(FEEDBACK, json={"page_id": page["page_id"], "liked": ["sku-99"]})
    assert (strange.status_code, strange.json()["code"]) == (422, "not-shown")
    gone = client.post(FEEDBACK, json={"page_id": "0" * 32, "liked": ["sku-1"]})
    assert (gone.status_code, gone.json()["code"]) == (404, "not-found")
    assert events(engine) == before

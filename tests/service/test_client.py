"""The client against a real server, and against one that fails now and then."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from saccade.client import AsyncClient, Client, FoundPage, RerankedPage, ServiceRefusal
from saccade.service.server import prepare

FOUND = [{"id": f"sku-{i}", "features": {"price": i % 4}} for i in range(6)]


@pytest.fixture
def served(address):
    with Client(address) as client:
        yield client


def test_a_program_searches_and_teaches(served, ids):
    """A page, marked, ranked anew; a pair; undone."""
    page = served.search(image_id=ids[0], user="client", k=8)
    assert isinstance(page, FoundPage)
    first, second = (hit.image_id for hit in page.hits[:2])
    marked = served.mark(page, liked=[second])
    assert marked.liked == (second,)
    assert served.prefer(page, better=second, worse=first).user == "client"
    assert served.undo("client")["kind"] == "preferred"


def test_candidates_come_back_as_they_were_taught(served):
    """By marks, and by events that say of each other's pages."""
    page = served.rerank(FOUND, text="what the client sells", user="client-shop")
    assert page.ids == tuple(one["id"] for one in FOUND)
    assert isinstance(served.mark(page, liked=["sku-5"]), RerankedPage)
    told = served.send_events(
        [{"event": "clicked", "page": page.page_id, "user": "client-shop", "id": "sku-3"}]
    )
    assert told["taken"] == 1


def test_pages_of_a_list_are_one_iterator(served, ids):
    """Whatever a part holds."""
    assert [one["image_id"] for one in served.images(part=7)] == ids


def test_what_a_server_refuses_is_its_own_sentence(served):
    """With code, status and hint."""
    with pytest.raises(ServiceRefusal, match="no image") as raised:
        served.search(image_id="ab" * 16)
    assert (raised.value.answered, raised.value.problem) == (404, "not-found")


def test_a_token_says_who_it_is(engine, serving):
    """And a wrong one is refused once, without another try."""
    key, _ = engine.tokens.create("client-ana", "viewer")
    with serving(prepare(engine, port=0, tokens=True)) as url:
        with Client(url, token=key) as client:
            assert client.rerank(FOUND).user == "client-ana"
            with pytest.raises(ServiceRefusal, match="takes the role teacher"):
                client.send_events([])
        with Client(url, token="wrong") as client, pytest.raises(ServiceRefusal) as raised:
            client.search("red")
        assert raised.value.answered == 401


class Failing:
    """A server that is busy, then gone, then asks to wait, then answers."""

    def __init__(self, *answers):
        self.answers, self.seen = list(answers), []

    def __call__(self, request):
        self.seen.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_what_may_be_sent_again_is(ids):
    """Under one key, after as long as the server says; a refusal is not tried again."""
    done = {"taken": 1, "repeated": 0, "waiting": 0, "outdated": 0}
    server = Failing(
        httpx.Response(503), httpx.ConnectError("gone"),
        httpx.Response(429, headers={"Retry-After": "7"}), httpx.Response(200, json=done),
    )  # fmt: skip
    slept: list[float] = []
    client = Client("http://s", transport=httpx.MockTransport(server), sleep=slept.append)
    assert client.send_events([{"event": "clicked", "page": "p", "id": "a"}]) == done
    assert slept == [0.25, 0.5, 7.0]
    assert len({request.content for request in server.seen}) == 1
    assert b'"key"' in server.seen[0].content


def test_marks_carry_a_key_and_undo_is_sent_once():
    """What would take back two things is not tried again."""
    server = Failing(httpx.ConnectError("gone"), httpx.Response(422, json={}))
    client = Client("http://s", transport=httpx.MockTransport(server), sleep=lambda _: None)
    with pytest.raises(httpx.ConnectError):
        client.undo("ana")
    with pytest.raises(ServiceRefusal, match="answered 422"):
        client.mark("ab" * 16, liked=["a"])
    assert len(server.seen) == 2
    assert len(server.seen[1].headers["idempotency-key"]) == 32


def test_the_same_verbs_can_be_awaited(address, ids):
    """One after the other, in a loop of their own."""

    async def go():
        async with AsyncClient(address) as client:
            page = await client.search(image_id=ids[0], user="async", k=4)
            marked = await client.mark(page, liked=[page.hits[1].image_id])
            ranked = await client.rerank(FOUND, user="async")
            line = {"event": "bought", "page": ranked.page_id, "user": "async", "id": "sku-2"}
            told = await client.send_events([line])
            every = [one["image_id"] async for one in client.images(part=20)]
            return page, marked, told, every

    page, marked, told, every = asyncio.run(go())
    assert marked.liked == (page.hits[1].image_id,)
    assert told["taken"] == 1
    assert every == ids


def test_a_picture_is_put_and_taken_out_by_either_client():
    """Bytes as they are, or a path; the id as it is, whatever signs it has."""
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append((request.method, request.url.raw_path.decode(), request.content))
        job = None if len(seen) == 2 else {"job_id": "j"}
        said = {"external_id": "a b?", "image_id": "i", "searchable": job is None, "job": job}
        return httpx.Response(202, json=said)

    with Client("http://x", transport=httpx.MockTransport(answer)) as client:
        assert client.put("a b?", b"bytes", wait=5).job_id == "j"
        assert client.put("a b?", path="shoes/1.jpg").job_id == ""

    async def later() -> None:
        client = AsyncClient("http://x", transport=httpx.MockTransport(answer))
        assert not (await client.remove("a b?")).searchable
        await client.close()

    asyncio.run(later())
    assert seen == [
        ("PUT", "/api/v1/images/a%20b%3F?wait=5", b"bytes"),
        ("PUT", "/api/v1/images/a%20b%3F?wait=0.0", b'{"path": "shoes/1.jpg"}'),
        ("DELETE", "/api/v1/images/a%20b%3F?wait=0.0", b""),
    ]


def test_a_verb_tells_what_it_takes():
    """Each is written once, and both clients show its words and its sentence."""
    import inspect

    for client in (Client, AsyncClient):
        assert "candidates" in inspect.signature(client.rerank).parameters
        assert inspect.getdoc(client.search).startswith("Rank the collection")
    assert inspect.iscoroutinefunction(AsyncClient.search)

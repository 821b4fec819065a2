"""A client of a Saccade server: search, teach, re-rank and tell of events, from any program.

    with Client("https://pictures.example", token="saccade_…") as client:
        page = client.search(text="elephants")
        page = client.mark(page, liked=[page.hits[0].image_id])

`AsyncClient` has the same verbs to await. What may be sent twice without harm is sent again where a
connection fails, or the server is busy or asks to wait: marks and events carry a key, so that they
count once. It needs `pip install "saccade[client]"` and nothing else of this package.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar
from urllib.parse import quote

from saccade.errors import SaccadeError, need

need("client", "httpx", part="saccade.client")

import httpx  # noqa: E402

TRIES = 4
PAUSE = 0.25
"""Seconds before the second try; each later one waits twice as long, or as the server says."""
LONGEST_PAUSE = 30.0
_AGAIN = frozenset({429, 502, 503, 504})

Body = Mapping[str, Any]
Words = ParamSpec("Words")
Answer = TypeVar("Answer")


class ServiceRefusal(SaccadeError):
    """What a server refused: its own code, sentence and hint.

    >>> with Client(server) as client:
    ...     client.search(image_id="0" * 32)
    Traceback (most recent call last):
    saccade.client.ServiceRefusal: no image '00000000000000000000000000000000' in this \
collection (ids come from search results)
    """

    def __init__(self, status: int, problem: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.answered, self.problem = status, problem


@dataclass(frozen=True, slots=True)
class FoundHit:
    """One picture of a page."""

    image_id: str
    path: str
    score: float
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page of pictures, as the server ranked it."""

    page_id: str
    session: str
    user: str
    round: int
    hits: tuple[FoundHit, ...]
    liked: tuple[str, ...]
    disliked: tuple[str, ...]
    answer: Body
    """All that the server said."""


@dataclass(frozen=True, slots=True)
class RerankedPage:
    """A page of candidates: ids and scores, best first."""

    page_id: str
    user: str
    ids: tuple[str, ...]
    scores: tuple[float, ...]
    answer: Body
    """All that the server said."""


@dataclass(frozen=True, slots=True)
class SentImage:
    """What became of a picture that was put under an id."""

    external_id: str
    image_id: str
    searchable: bool
    job_id: str
    """The job that takes it in or out; empty where nothing is to be done."""
    answer: Body
    """All that the server said."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One request, and whether it may be sent again."""

    method: str
    path: str
    body: Body | None = None
    lines: Sequence[Body] | None = None
    content: bytes | None = None
    query: Body | None = None
    key: bool = False
    again: bool = True


def _id(page: FoundPage | RerankedPage | str) -> str:
    return page if isinstance(page, str) else page.page_id


def _page(answer: Body) -> FoundPage:
    fields = FoundHit.__slots__
    hits = tuple(FoundHit(**{name: hit[name] for name in fields}) for hit in answer["hits"])
    return FoundPage(
        answer["page_id"], answer["session"], answer["user"], answer["round"], hits,
        tuple(answer["liked"]), tuple(answer["disliked"]), answer,
    )  # fmt: skip


def _reranked(answer: Body) -> RerankedPage:
    hits = answer["hits"]
    return RerankedPage(
        answer["page_id"], answer["user"], tuple(hit["id"] for hit in hits),
        tuple(hit["score"] for hit in hits), answer,
    )  # fmt: skip


def _either(answer: Body) -> FoundPage | RerankedPage:
    return _reranked(answer) if "ranked" in answer else _page(answer)


def _sent(answer: Body) -> SentImage:
    job = answer["job"]
    return SentImage(
        answer["external_id"], answer["image_id"], answer["searchable"],
        "" if job is None else job["job_id"], answer,
    )  # fmt: skip


def _itself(answer: Body) -> Body:
    return answer


@dataclass(frozen=True, slots=True)
class _Ask(Generic[Answer]):
    """What a verb sends, and how its answer is read."""

    call: _Call
    read: Callable[[Any], Answer]


class _Wire:
    """What both clients know of the server: where it is, and its verbs, each written once."""

    def __init__(self, server: str, token: str | None) -> None:
        self._base = server.rstrip("/")
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    # -- verbs ---------------------------------------------------------------------------------

    def _search(
        self,
        text: str | None = None,
        *,
        image_id: str | None = None,
        like: Sequence[str] | None = None,
        unlike: Sequence[str] | None = None,
        user: str | None = None,
        k: int = 50,
        where: Body | Sequence[Body] | None = None,
        explain: bool = False,
    ) -> _Ask[FoundPage]:
        """Rank the collection by words, by a picture of it, or by examples with signs."""
        fields = {
            "text": text, "image_id": image_id, "like": like, "unlike": unlike, "user": user,
            "k": k, "where": where,
        }  # fmt: skip
        given = {name: value for name, value in fields.items() if value is not None}
        query = {"explain": str(explain).lower()}
        return _Ask(_Call("POST", "/search", given, query=query), _page)

    def _mark(
        self,
        page: FoundPage | RerankedPage | str,
        *,
        liked: Sequence[str] = (),
        disliked: Sequence[str] = (),
        cleared: Sequence[str] = (),
    ) -> _Ask[FoundPage | RerankedPage]:
        """Say what is right and wrong on a page, by id; the answer is the page ranked anew."""
        marks = {"liked": [*liked], "disliked": [*disliked], "cleared": [*cleared]}
        body = {"page_id": _id(page), **marks}
        return _Ask(_Call("POST", "/feedback", body, key=True), _either)

    def _prefer(self, page: FoundPage | str, *, better: str, worse: str) -> _Ask[FoundPage]:
        """Say that one picture of a page belongs before another."""
        body = {"page_id": _id(page), "better": better, "worse": worse}
        return _Ask(_Call("POST", "/preferences", body, key=True), _page)

    def _rerank(
        self, candidates: Sequence[Body], *, text: str | None = None, user: str | None = None
    ) -> _Ask[RerankedPage]:
        """Candidates of another engine in the order that people teach."""
        body: dict[str, Any] = {"candidates": [*candidates]}
        body |= {} if text is None else {"query": {"text": text}}
        body |= {} if user is None else {"user": user}
        return _Ask(_Call("POST", "/rerank", body), _reranked)

    def _send_events(self, events: Sequence[Body]) -> _Ask[Body]:
        """Tell what was shown, clicked, bought: a batch, taken once however often it is sent."""
        # A key for every event that has none: a batch that is sent again is one.
        keyed = [{"key": uuid.uuid4().hex, **event} for event in events]
        return _Ask(_Call("POST", "/events", lines=keyed), _itself)

    def _undo(self, user: str = "guest") -> _Ask[Body]:
        """Take back the last feedback of a person, or of whoever asks."""
        return _Ask(_Call("POST", f"/profiles/{quote(user, safe='')}/undo", again=False), _itself)

    def _put(
        self, external_id: str, picture: bytes | None = None, *, path: str = "", wait: float = 0.0
    ) -> _Ask[SentImage]:
        """Put a picture under an id of yours: its bytes, or its path on the server.

        It is searchable once its job is done; `wait` so many seconds for that, 60 at most.
        """
        body = None if picture is not None else {"path": path}
        address, query = f"/images/{quote(external_id, safe='')}", {"wait": wait}
        return _Ask(_Call("PUT", address, body, content=picture, query=query), _sent)

    def _remove(self, external_id: str, *, wait: float = 0.0) -> _Ask[SentImage]:
        """Take a picture out of the collection, by an id of yours or its own."""
        address = f"/images/{quote(external_id, safe='')}"
        return _Ask(_Call("DELETE", address, query={"wait": wait}, again=False), _sent)

    def _part(self, offset: int, limit: int) -> _Call:
        return _Call("GET", "/images", query={"offset": offset, "limit": limit})

    # -- sending -------------------------------------------------------------------------------

    def _request(self, call: _Call) -> dict[str, Any]:
        headers = dict(self._headers)
        if call.key:
            headers["Idempotency-Key"] = uuid.uuid4().hex
        content: str | bytes | None = call.content
        if content is not None:
            headers["Content-Type"] = "application/octet-stream"
        elif call.lines is not None:
            content = "\n".join(json.dumps(line) for line in call.lines)
            headers["Content-Type"] = "application/x-ndjson"
        elif call.body is not None:
            content, headers["Content-Type"] = json.dumps(call.body), "application/json"
        return {
            "method": call.method,
            "url": f"{self._base}/api/v1{call.path}",
            "content": content,
            "params": call.query,
            "headers": headers,
        }

    @staticmethod
    def _pause(tried: int, answer: httpx.Response | None) -> float:
        seconds = "" if answer is None else answer.headers.get("retry-after", "")
        wished = float(seconds) if seconds.isdigit() else PAUSE * 2.0**tried
        return min(LONGEST_PAUSE, wished)

    @staticmethod
    def _told(answer: httpx.Response) -> Any:
        if answer.is_success:
            return answer.json()
        try:
            problem = answer.json()
            message, hint, code = problem["message"], problem["hint"], problem["code"]
        except (ValueError, KeyError, TypeError):  # something in between answered
            message, hint, code = f"the server answered {answer.status_code}", "", "unknown"
        raise ServiceRefusal(answer.status_code, code, message, hint=hint)


def _now(
    verb: Callable[Concatenate[_Wire, Words], _Ask[Answer]],
) -> Callable[Concatenate[Client, Words], Answer]:
    """A verb of the client that waits."""

    @wraps(verb)
    def now(client: Client, /, *args: Words.args, **words: Words.kwargs) -> Answer:
        ask = verb(client, *args, **words)
        return ask.read(client._send(ask.call))

    return now


def _later(
    verb: Callable[Concatenate[_Wire, Words], _Ask[Answer]],
) -> Callable[Concatenate[AsyncClient, Words], Coroutine[Any, Any, Answer]]:
    """The same verb to await."""

    @wraps(verb)
    async def later(client: AsyncClient, /, *args: Words.args, **words: Words.kwargs) -> Answer:
        ask = verb(client, *args, **words)
        return ask.read(await client._send(ask.call))

    return later


class Client(_Wire):
    """A server's verbs. Thread-safe; close it, or use it in a `with`.

    >>> with Client(server) as client:
    ...     page = client.search("harbour", user="ana", k=36)
    ...     right, wrong = page.hits[0].image_id, page.hits[4].image_id
    ...     page = client.mark(page, liked=[right], disliked=[wrong])
    ...     page = client.prefer(page, better=right, worse=wrong)
    ...     page.liked == (right,), client.undo("ana")["kind"], len(list(client.images()))
    (True, 'preferred', 36)

    Lists of another engine, events of another program, pictures under ids of yours:

    >>> client = Client(server)
    >>> found = [{"id": "a", "features": {"bm25": 7.1}}, {"id": "b", "features": {"bm25": 3.0}}]
    >>> page = client.rerank(found, text="red shoes", user="ana")
    >>> clicked = {"event": "clicked", "page": page.page_id, "id": "b", "user": "ana"}
    >>> page.ids, client.send_events([clicked])["taken"]
    (('a', 'b'), 1)
    >>> photograph = next((pictures / "harbour").glob("*.jpg")).read_bytes()
    >>> client.put("sku-1", photograph).external_id, client.remove("sku-1").external_id
    ('sku-1', 'sku-1')
    >>> client.close()
    """

    def __init__(
        self,
        server: str = "http://127.0.0.1:8000",
        *,
        token: str | None = None,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Talk to a server; `transport` and `sleep` are for tests, and other ways to reach it."""
        super().__init__(server, token)
        self._http, self._sleep = httpx.Client(timeout=timeout, transport=transport), sleep

    search = _now(_Wire._search)
    mark = _now(_Wire._mark)
    prefer = _now(_Wire._prefer)
    rerank = _now(_Wire._rerank)
    send_events = _now(_Wire._send_events)
    undo = _now(_Wire._undo)
    put = _now(_Wire._put)
    remove = _now(_Wire._remove)

    def images(self, *, part: int = 200) -> Iterator[Body]:
        """Every picture's record, in the order of indexing; asked for in parts."""
        offset: int | None = 0
        while offset is not None:
            listing = self._send(self._part(offset, part))
            yield from listing["items"]
            offset = listing["next"]

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, call: _Call) -> Any:
        request = self._request(call)
        for tried in range(TRIES):
            last = tried == TRIES - 1 or not call.again
            try:
                answer = self._http.request(**request)
            except httpx.TransportError:
                if last:
                    raise
                self._sleep(self._pause(tried, None))
                continue
            if last or answer.status_code not in _AGAIN:
                break
            self._sleep(self._pause(tried, answer))
        return self._told(answer)


class AsyncClient(_Wire):
    """The same verbs to await.

    >>> async def taught(photograph: bytes) -> list[object]:
    ...     found = [{"id": "a", "features": {"bm25": 7.1}}, {"id": "b", "features": {"bm25": 3.0}}]
    ...     client = AsyncClient(server)
    ...     page = await client.search("harbour", user="ana", k=36)
    ...     right, wrong = page.hits[0].image_id, page.hits[4].image_id
    ...     page = await client.mark(page, liked=[right], disliked=[wrong])
    ...     page = await client.prefer(page, better=right, worse=wrong)
    ...     undone = await client.undo("ana")
    ...     reranked = await client.rerank(found, text="red shoes", user="ana")
    ...     taken = await client.send_events([])
    ...     records = [record async for record in client.images()]
    ...     sent = await client.put("sku-1", photograph)
    ...     gone = await client.remove("sku-1")
    ...     await client.close()
    ...     return [undone["kind"], reranked.ids, taken["taken"], len(records), gone.external_id]
    >>> asyncio.run(taught(next((pictures / "harbour").glob("*.jpg")).read_bytes()))
    ['preferred', ('a', 'b'), 0, 36, 'sku-1']
    """

    def __init__(
        self,
        server: str = "http://127.0.0.1:8000",
        *,
        token: str | None = None,
        timeout: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Talk to a server."""
        super().__init__(server, token)
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport)

    search = _later(_Wire._search)
    mark = _later(_Wire._mark)
    prefer = _later(_Wire._prefer)
    rerank = _later(_Wire._rerank)
    send_events = _later(_Wire._send_events)
    undo = _later(_Wire._undo)
    put = _later(_Wire._put)
    remove = _later(_Wire._remove)

    async def images(self, *, part: int = 200) -> AsyncIterator[Body]:
        """Every picture's record, in the order of indexing; asked for in parts."""
        offset: int | None = 0
        while offset is not None:
            listing = await self._send(self._part(offset, part))
            for one in listing["items"]:
                yield one
            offset = listing["next"]

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _send(self, call: _Call) -> Any:
        request = self._request(call)
        for tried in range(TRIES):
            last = tried == TRIES - 1 or not call.again
            try:
                answer = await self._http.request(**request)
            except httpx.TransportError:
                if last:
                    raise
                await asyncio.sleep(self._pause(tried, None))
                continue
            if last or answer.status_code not in _AGAIN:
                break
            await asyncio.sleep(self._pause(tried, answer))
        return self._told(answer)

"""What clients send: how much of it, how fast, how many at once, and whether it is text.

    a picture          64 MiB, as a form or as it is, where a picture is asked for; or many
    a profile          16 MiB; it is read in pieces, in a thread (`routes.profiles`)
    candidates         8 MiB of JSON with at most 1,000,000 values: vectors are long
    events             8 MiB of JSON lines
    anything else      256 KiB of JSON with at most 50,000 values: parsed in milliseconds

All that is being received and worked on at one time is bounded too: who comes when the server holds
its fill is told to try again.
"""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import dataclass

import anyio
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive, Scope

from saccade.errors import InvalidInput

log = logging.getLogger("saccade.service")

IDLE_SECONDS = 20.0
"""The longest that a body may pause."""
BODY_SECONDS = 300.0
"""The longest that we wait for a body in all."""

MOST_AT_ONCE = 512 * 2**20
"""Bytes of all the bodies in flight."""
MOST_VALUES = 50_000
"""In one JSON document; the longest list that is asked for has 10,000."""
MOST_OF_VECTORS = 1_000_000
"""In a list of candidates, each with vectors perhaps."""

FORMS = frozenset({"/api/v1/search", "/api/v1/search/upload", "/api/v1/uploads"})
"""Where a form with a picture may be sent."""
IMAGES = "/api/v1/images"
"""Where pictures may be sent as they are, or many of them as lines."""
LINES = ("application/x-ndjson", "application/jsonl")
"""What many objects are sent as, one a line."""
SHORT = 2**18
RERANK = "/api/v1/rerank"
EVENTS = "/api/v1/events"
_LIMITS = {
    EVENTS: 8 * 2**20,
    "/import": 16 * 2**20,
    "/attributes/classify": 2**20,
    RERANK: 8 * 2**20,
}
"""By the end of an address, where it is not short."""

# Half of a pair that together would be one character: text that cannot be written anywhere.
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")

_RETRY = {"Retry-After": "5", "Connection": "close"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a body may be, and what to do about one that is longer."""

    most: int
    smaller: str
    values: int = MOST_VALUES

    @property
    def message(self) -> str:
        """What is wrong with a longer one."""
        size = f"{self.most / 2**20:.3g} MiB" if self.most >= 2**20 else f"{self.most // 1024} KiB"
        return f"the upload is larger than {size}"


def bounds(path: str, headers: Headers, body_limit: int) -> Bounds:
    """How long the body of a request may be."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    form = kind == "multipart/form-data" and path in FORMS
    if form or (path.startswith(IMAGES) and kind and kind != "application/json"):
        return Bounds(body_limit, "send a smaller version of the picture")
    for end, limit in _LIMITS.items():
        if path.endswith(end):
            hint = "send it in parts; `saccade profile import` takes a file of any length"
            values = MOST_OF_VECTORS if end == RERANK else MOST_VALUES
            smaller = {"/import": hint, EVENTS: "send them in parts"}.get(end, "ask for fewer")
            return Bounds(min(limit, body_limit), smaller, values)
    return Bounds(min(SHORT, body_limit), "send fewer things at once")


class Freight:
    """Bytes of bodies that are in the server now, all together."""

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self._most, self._held = most, 0

    def take(self, size: int) -> None:
        """Hold some more, or refuse them."""
        if size and self._held + size > self._most:
            raise HTTPException(503, "the server is receiving too much at once", _RETRY)
        self._held += size

    def drop(self, size: int) -> None:
        """Let go of them."""
        self._held -= size


class Body:
    """The body of one request as it comes in, counted."""

    def __init__(self, scope: Scope, receive: Receive, limit: Bounds, freight: Freight) -> None:
        self._named = f"{scope['method']} {scope['path']}"
        self._receive, self._limit, self._freight = receive, limit, freight
        self._taken, self._waited, self._complete = 0, 0.0, False
        self._whole: bytes | None = None

    def done(self) -> None:
        """Nobody holds it any more."""
        self._freight.drop(self._taken)

    async def next(self) -> Message:
        """The next part; one that is too long, or too long in coming, ends the request.

        Only the time that we wait for the client counts: not the time that it waits for us.
        """
        if self._whole is not None:
            part, self._whole = self._whole, None
            return {"type": "http.request", "body": part, "more_body": False}
        if self._complete:
            return await self._receive()
        started = time.monotonic()
        try:
            with anyio.fail_after(min(IDLE_SECONDS, BODY_SECONDS - self._waited)):
                message = await self._receive()
        except TimeoutError:
            log.warning("%s: the body stopped arriving", self._named)
            # Of all exceptions the framework lets only this one through while it reads a body.
            raise HTTPException(
                408, "the upload stopped arriving", {"Connection": "close"}
            ) from None
        self._waited += time.monotonic() - started
        size = len(message.get("body", b""))
        if self._taken + size > self._limit.most:
            raise HTTPException(413, self._limit.message)
        self._freight.take(size)
        self._taken += size
        gone = message["type"] == "http.disconnect"
        if gone:
            log.warning("%s: the client left", self._named)
        self._complete = gone or not message.get("more_body", False)
        return message

    async def check_json(self) -> None:
        """Read all of it, and refuse what is no text or has too many values.

        The framework reads it again: it has found out that this costs nothing.
        """
        parts = []
        while not self._complete:
            message = await self.next()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            parts.append(message.get("body", b""))
        self._whole = b"".join(parts)
        check_json(self._whole, self._limit.values)


class UnsupportedBody(InvalidInput):
    """A body of a type that an address does not take."""

    code, status = "unsupported-body", 415


def kind_of(request: Request) -> str:
    """The type of a body as its header names it, without options."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def check_kind(request: Request, wanted: str) -> None:
    """Raise UnsupportedBody for a body of another type."""
    kind = kind_of(request)
    if kind != wanted:
        raise UnsupportedBody(f"this cannot be read from {kind!r}", hint=f"send {wanted}")


def check_json(data: bytes, most: int = MOST_VALUES) -> None:
    r"""Raise InvalidInput for JSON that costs too much to parse, or that holds what is no text.

    >>> check_json(b'{"user": "\\ud83d\\ude00"}')
    >>> check_json(b'{"user": "\\ud83d"}')
    Traceback (most recent call last):
        ...
    saccade.errors.InvalidInput: the body holds half of a character, '\ud83d', ...
    """
    values = sum(data.count(mark) for mark in (b",", b"[", b"{"))
    if values > most:
        raise InvalidInput(
            f"the body has more than {most:,} values", hint="send fewer things at once"
        )
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"the body is no UTF-8 text from byte {error.start} on", hint="send it as UTF-8"
        ) from error
    if _HALF.search(data):
        try:
            check_text(json.loads(data))
        except (json.JSONDecodeError, RecursionError):
            return  # whoever parses it says so


def check_text(value: object) -> None:
    """Raise InvalidInput where something holds half of a character.

    JSON can write one; no file, name or answer can.
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = str(error.object)[error.start].encode("unicode-escape").decode()
        raise InvalidInput(
            f"the body holds half of a character, '{half}', which is no text",
            hint="send whole characters",
        ) from error

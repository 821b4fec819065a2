"""Events: what another program showed, and what became of it, in batches of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Request

from saccade.engine import GUEST, Engine
from saccade.errors import InvalidInput
from saccade.service.access import Ordered, Served
from saccade.service.askers import acting_as
from saccade.service.bodies import LINES, UnsupportedBody, check_text, kind_of
from saccade.service.problems import documented
from saccade.service.schemas import TakenEvents

router = APIRouter(prefix="/api/v1", tags=["feedback"])

MOST_VALUES = 200_000
"""In one line: a page of some thousand candidates."""

_EXAMPLE = """{"event": "shown", "page": "p-7", "user": "ana", "query": {"text": "red shoes"}, \
"candidates": [{"id": "sku-1", "features": {"bm25": 7.1}}, {"id": "sku-2"}], "key": "e-1"}
{"event": "clicked", "page": "p-7", "user": "ana", "id": "sku-2", "at": 1700000000, "key": "e-2"}
"""
_BODY = {
    "required": True,
    "description": "One JSON object a line.",
    "content": {LINES[0]: {"schema": {"type": "string", "format": "binary"}, "example": _EXAMPLE}},
}


@router.post(
    "/events",
    responses=documented(400, 403, 409, 413, 415, 422, 503),
    openapi_extra={"requestBody": _BODY},
    summary="Tell what was shown, clicked, bought",
)
async def events(request: Request, engine: Served, turns: Ordered) -> TakenEvents:
    """Learn from what became of pages, in a batch of JSON lines: all of it, or nothing.

    `event` is shown, liked, disliked, clicked, bought or preferred. `page` is a `page_id` of
    `POST /rerank`, or a name of your own for a page that a line `shown` tells of, with `candidates`
    in the order shown and the `query`, before or after what is said of it. `id` is the candidate
    (preferred has `better` and `worse`), `user` whoever it was, `at` the time in Unix seconds. What
    has a `key` counts once, however often it is sent. Clicks are weak evidence, and corrected for
    the place they were made at.
    """
    if kind_of(request) not in LINES:
        raise UnsupportedBody(
            f"events cannot be read from {kind_of(request)!r}", hint=f"send {LINES[0]}"
        )
    async with turns.imports:
        body = await request.body()
        return await to_thread.run_sync(_taken, engine, body, limiter=turns.importing)


def _taken(engine: Engine, body: bytes) -> Any:
    return engine.candidates.take(list(_lines(body)), user=acting_as(GUEST))


def _lines(body: bytes) -> Iterator[dict[str, Any]]:
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the body is no UTF-8 text from byte {error.start} on") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if sum(line.count(sign) for sign in ",[{") > MOST_VALUES:
            raise InvalidInput(f"line {number} has more than {MOST_VALUES:,} values")
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(
                f"line {number} is not JSON", hint="each line is one object"
            ) from error
        if not isinstance(value, dict):
            raise InvalidInput(f"line {number} is no object")
        if "\\u" in line:
            check_text(value)
        if isinstance(value.get("user"), str):
            value["user"] = acting_as(value["user"])
        yield value

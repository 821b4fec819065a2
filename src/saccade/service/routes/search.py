"""Search: by a picture of the collection, by examples with signs, or by an uploaded picture."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect

from saccade.engine import Engine
from saccade.errors import InvalidInput, NotReady
from saccade.service.access import Ordered, Served, Turns
from saccade.service.problems import documented
from saccade.service.schemas import Page, SearchRequest, ShowRequest, page_of

router = APIRouter(tags=["search"])

_REPEATED = ("like", "unlike", "schemes", "box", "more", "less")
_MULTIPART = {
    "type": "object",
    "required": ["image"],
    "description": "An uploaded picture and the same fields as in JSON; lists repeat the field.",
    "properties": {
        "image": {"type": "string", "format": "binary", "description": "JPEG, PNG, WebP, …"},
        "user": {"type": "string", "default": "guest"},
        "k": {"type": "integer", "default": 50},
        "like": {"type": "array", "items": {"type": "string"}},
        "unlike": {"type": "array", "items": {"type": "string"}},
        "schemes": {"type": "array", "items": {"type": "string"}},
        "ranker": {"type": "string", "default": "guarded"},
        "verify": {"type": "integer"},
        "region": {"type": "integer"},
        "box": {"type": "array", "items": {"type": "number"}},
        "configuration": {"type": "string"},
        "exploring": {"type": "number"},
        "more": {"type": "array", "items": {"type": "string"}, "description": "`NAME=ID` or place"},
        "less": {"type": "array", "items": {"type": "string"}, "description": "`NAME=ID` or place"},
        "prefer": {"type": "boolean", "default": False},
    },
}
_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": SearchRequest.model_json_schema()},
        "multipart/form-data": {"schema": _MULTIPART},
    },
}


class Asked(NamedTuple):
    """A search as it came: its fields, and the bytes of an uploaded picture."""

    wanted: SearchRequest
    picture: bytes | None


@asynccontextmanager
async def asked(request: Request, turns: Turns) -> AsyncIterator[Asked]:
    """Read a search from JSON or from a form; only this waits for the network, and its turn."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        async with turns.bodies:
            form = await request.form(max_files=1, max_fields=500)
        try:
            async with turns.pictures:
                if await request.is_disconnected():
                    raise ClientDisconnect  # it was a long wait
                yield await _uploaded(form)
        finally:
            await form.close()
    elif kind == "application/json":
        yield Asked(_parsed(_decoded(await request.body())), None)
    else:
        raise UnsupportedBody(
            f"a search cannot be read from {kind!r}",
            hint="send application/json, or multipart/form-data with the file 'image'",
        )


class UnsupportedBody(InvalidInput):
    """A body of a type that a search does not come in."""

    code, status = "unsupported-body", 415


@router.post(
    "/api/v1/search",
    response_model=Page,
    responses=documented(400, 403, 404, 409, 413, 415, 422, 503),
    openapi_extra={"requestBody": _BODY},
    summary="Find pictures",
)
async def search(request: Request, engine: Served, turns: Ordered) -> Response:
    """Rank the collection for a query.

    Send JSON to ask with pictures of the collection, or a multipart form with the file `image` to
    ask with one of your own. The query itself, when it is in the collection, is left out.
    """
    async with asked(request, turns) as (wanted, picture):
        limiter = turns.searches if picture is None else None
        return await to_thread.run_sync(_found, engine, wanted, picture, limiter=limiter)


def _found(engine: Engine, wanted: SearchRequest, picture: bytes | None) -> Response:
    # The engine also takes paths; a client must not, so every name has to be an image it knows.
    named = [*wanted.like, *wanted.unlike, *([wanted.image_id] if wanted.image_id else [])]
    engine.check_known(named)
    found = engine.search(
        wanted.image_id if wanted.image_id is not None else picture,
        text=wanted.text,
        like=wanted.like,
        unlike=wanted.unlike,
        user=wanted.user,
        k=wanted.k,
        schemes=wanted.schemes,
        ranker=wanted.ranker,
        verify=wanted.verify,
        region=pointed_at(wanted, engine),
        configuration=wanted.configuration,
        exploring=wanted.exploring,
        more=wanted.more,
        less=wanted.less,
        prefer=wanted.prefer,
    )
    return page_of(found)


def pointed_at(wanted: SearchRequest, engine: Engine) -> int | list[float] | None:
    """The part of the picture that is meant; refused while pictures have no regions to compare."""
    if wanted.box is not None and wanted.region is not None:
        raise InvalidInput("point at a part by its `region` or by a `box`, not by both")
    part = wanted.region if wanted.box is None else wanted.box
    if part is not None:
        known = engine.concepts.prepared()
        if known.done + len(known.failed) < known.total:
            raise NotReady(
                f"{known.total - known.done} pictures are not cut into regions yet",
                hint="POST /regions until all are done, then search again",
            )
    return part


@router.post(
    "/api/v1/show",
    response_model=Page,
    responses=documented(400, 403, 404, 413, 422, 503),
    summary="The same page, longer or shorter",
)
def show(wanted: ShowRequest, engine: Served) -> Response:
    """Show a page again with `k` pictures, ranked by what is known now; its marks stay.

    It is a POST because it leaves a trace: what was shown is kept, so that it can be judged.
    """
    return page_of(
        engine.show(
            wanted.page_id, k=wanted.k, more=wanted.more, less=wanted.less, prefer=wanted.prefer
        )
    )


async def _uploaded(form: FormData) -> Asked:
    file = form.get("image")
    if not isinstance(file, UploadFile):
        raise InvalidInput("the form has no file 'image'", hint="attach the picture as 'image'")
    fields: dict[str, Any] = {}
    for name in form:
        values = [value for value in form.getlist(name) if isinstance(value, str)]
        if name in _REPEATED:
            fields[name] = values
        elif name != "image":
            fields[name] = values[-1] if values else None
    if "image_id" in fields:
        raise InvalidInput("a search starts from an upload or from image_id, not from both")
    return Asked(_parsed(fields), await file.read())


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    # RecursionError: brackets within brackets, without end.
    except (ValueError, RecursionError) as error:
        raise InvalidInput("the body is not JSON", hint="/openapi.json shows one") from error


def _parsed(fields: Any) -> SearchRequest:
    try:
        return SearchRequest.model_validate(fields)
    except ValidationError as error:
        places = [{**found, "loc": ("body", *found["loc"])} for found in error.errors()]
        raise RequestValidationError(places) from error

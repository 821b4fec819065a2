"""Search: by a picture of the collection, by examples with signs, or by an uploaded picture."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from saccade.engine import Engine
from saccade.errors import InvalidInput
from saccade.service.access import Served
from saccade.service.problems import documented, problem
from saccade.service.schemas import Page, SearchRequest, ShowRequest

router = APIRouter(tags=["search"])

_REPEATED = ("like", "unlike", "schemes")
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
        "ranker": {"type": "string", "default": "learned"},
        "verify": {"type": "integer", "default": 0},
    },
}
_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": SearchRequest.model_json_schema()},
        "multipart/form-data": {"schema": _MULTIPART},
    },
}


@router.post(
    "/api/v1/search",
    response_model=Page,
    responses=documented(400, 403, 404, 413, 415, 422, 503),
    openapi_extra={"requestBody": _BODY},
    summary="Find pictures",
)
async def search(request: Request, engine: Served) -> Any:
    """Rank the collection for a query.

    Send JSON to ask with pictures of the collection, or a multipart form with the file `image` to
    ask with one of your own. The query itself, when it is in the collection, is left out.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        async with request.form(max_files=1, max_fields=500) as form:
            picture, wanted = await _uploaded(form)
        return await run_in_threadpool(_search, engine, wanted, picture)
    if kind == "application/json":
        wanted = _parsed(_decoded(await request.body()))
        return await run_in_threadpool(_search, engine, wanted, None)
    hint = "send application/json, or multipart/form-data with the file 'image'"
    return problem(415, "unsupported-body", f"a search cannot be read from {kind!r}", hint)


@router.post(
    "/api/v1/show",
    responses=documented(400, 403, 404, 413, 422, 503),
    summary="The same page, longer or shorter",
)
def show(wanted: ShowRequest, engine: Served) -> Page:
    """Show a page again with `k` pictures, ranked by what is known now; its marks stay.

    It is a POST because it leaves a trace: what was shown is kept, so that it can be judged.
    """
    return Page.of(engine.show(wanted.page_id, k=wanted.k))


def _search(engine: Engine, wanted: SearchRequest, picture: bytes | None) -> Page:
    # The engine also takes paths; a client must not, so every name has to be an image it knows.
    known = [engine.image(name).image_id for name in (*wanted.like, *wanted.unlike)]
    query = engine.image(wanted.image_id).image_id if wanted.image_id is not None else picture
    return Page.of(
        engine.search(
            query,
            text=wanted.text,
            like=known[: len(wanted.like)],
            unlike=known[len(wanted.like) :],
            user=wanted.user,
            k=wanted.k,
            schemes=wanted.schemes,
            ranker=wanted.ranker,
            verify=wanted.verify,
        )
    )


async def _uploaded(form: FormData) -> tuple[bytes, SearchRequest]:
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
    return await file.read(), _parsed(fields)


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise InvalidInput("the body is not JSON", hint="/openapi.json shows one") from error


def _parsed(fields: Any) -> SearchRequest:
    try:
        return SearchRequest.model_validate(fields)
    except ValidationError as error:
        places = [{**found, "loc": ("body", *found["loc"])} for found in error.errors()]
        raise RequestValidationError(places) from error

"""Search: by words, by a picture of the collection, by examples with signs, or by an upload."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect

from saccade.engine import Engine, SearchRequest, operations
from saccade.errors import InvalidInput
from saccade.service.access import Ordered, Served, Turns
from saccade.service.asked import (
    LISTS,
    SearchBody,
    ShowBody,
    form_schema,
    named_schema,
    refused,
    search_of,
    show_of,
)
from saccade.service.askers import check_own
from saccade.service.bodies import UnsupportedBody, check_kind, kind_of
from saccade.service.problems import documented
from saccade.service.schemas import Explain, Page, page_of

router = APIRouter(tags=["search"])

_ERRORS = documented(400, 403, 404, 409, 413, 415, 422, 503)
_BODY = {"required": True, "content": {"application/json": {"schema": named_schema(SearchBody)}}}
_FORM = {"required": True, "content": {"multipart/form-data": {"schema": form_schema()}}}


@asynccontextmanager
async def asked(request: Request, turns: Turns) -> AsyncIterator[SearchRequest]:
    """Read a search from JSON or from a form; only this waits for the network, and its turn."""
    kind = kind_of(request)
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
        yield _parsed(_decoded(await request.body()))
    else:
        raise UnsupportedBody(
            f"a search cannot be read from {kind!r}",
            hint="send application/json, or multipart/form-data with the file 'image'",
        )


@router.post(
    "/api/v1/search",
    response_model=Page,
    responses=_ERRORS,
    openapi_extra={"requestBody": _BODY},
    summary="Find pictures",
)
async def search(
    request: Request, engine: Served, turns: Ordered, explain: Explain = True
) -> Response:
    """Rank the collection for a query, by words or by pictures of the collection.

    The query itself, when it is in the collection, is left out. Words that mean nothing here come
    back as `unknown`, with others to take in `offered`; where nothing else is asked for the page is
    empty. A picture of your own is sent to `/search/upload`; its form is read here, too.
    """
    return await _answered(request, engine, turns, explain)


@router.post(
    "/api/v1/search/upload",
    response_model=Page,
    responses=_ERRORS,
    openapi_extra={"requestBody": _FORM},
    summary="Find pictures like one of your own",
)
async def search_by_upload(
    request: Request, engine: Served, turns: Ordered, explain: Explain = True
) -> Response:
    """Rank the collection by the file `image` of a form, and by whatever else a search asks for."""
    check_kind(request, "multipart/form-data")
    return await _answered(request, engine, turns, explain)


async def _answered(request: Request, engine: Engine, turns: Turns, explain: bool) -> Response:
    async with asked(request, turns) as wanted:
        limiter = None if isinstance(wanted.query, bytes) else turns.searches
        return await to_thread.run_sync(_found, engine, wanted, explain, limiter=limiter)


def _found(engine: Engine, wanted: SearchRequest, explain: bool) -> Response:
    # The engine also takes paths; a client must not, so every name has to be an image it knows.
    wanted = engine.uploads.brought(wanted)
    named = (*wanted.pictures, *wanted.unlike)
    operations(engine).check_known(name for name in named if isinstance(name, str))
    return page_of(engine.search_for(wanted), explain=explain)


Skip = Annotated[
    int,
    Query(ge=0, le=2**31, description="Leave out so many of the first, which are known."),
]


@router.post(
    "/api/v1/show",
    response_model=Page,
    responses=documented(400, 403, 404, 409, 413, 422, 503),
    summary="The same page, longer or shorter",
)
def show(wanted: ShowBody, engine: Served, explain: Explain = True, skip: Skip = 0) -> Response:
    """Show a page again with `k` pictures, ranked by what is known now; its marks stay.

    It is a POST because it leaves a trace: what was shown is kept, so that it can be judged.
    """
    asked = show_of(wanted)
    check_own(engine, asked.page_id)
    found = engine.show(asked.page_id, k=asked.k, where=asked.where)
    return page_of(replace(found, hits=found.hits[skip:]), explain=explain)


async def _uploaded(form: FormData) -> SearchRequest:
    file = form.get("image")
    if not isinstance(file, UploadFile):
        raise InvalidInput("the form has no file 'image'", hint="attach the picture as 'image'")
    fields: dict[str, Any] = {}
    for name in form:
        values = [value for value in form.getlist(name) if isinstance(value, str)]
        if name in LISTS:
            fields[name] = values
        elif name != "image":
            fields[name] = values[-1] if values else None
    if "image_id" in fields:
        raise InvalidInput("a search starts from an upload or from image_id, not from both")
    return _parsed(fields, await file.read())


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    # RecursionError: brackets within brackets, without end.
    except (ValueError, RecursionError) as error:
        raise InvalidInput("the body is not JSON", hint="/openapi.json shows one") from error


def _parsed(fields: Any, picture: bytes | None = None) -> SearchRequest:
    try:
        body = SearchBody.model_validate(fields)
    except ValidationError as error:
        raise refused(error) from error
    return search_of(body, picture)

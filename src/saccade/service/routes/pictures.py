"""Pictures by API: put under an id of yours, taken out again, one by one or in batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from anyio import current_time, sleep, to_thread
from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import ValidationError
from starlette.requests import ClientDisconnect

from saccade.engine import Engine, PictureLine
from saccade.errors import InvalidInput
from saccade.service.access import Ordered, Roots, Served
from saccade.service.asked import named_schema, refused
from saccade.service.bodies import LINES, UnsupportedBody, kind_of
from saccade.service.problems import documented
from saccade.service.routes.jobs import ENDED, shown_job
from saccade.service.schemas import (
    Job,
    PictureByPath,
    PictureLineRequest,
    SentPicture,
    SentPictures,
)

router = APIRouter(prefix="/api/v1/images", tags=["images"])

Called = Annotated[
    str, Path(alias="image_id", max_length=200, description="An id of yours; no slash.")
]
Named = Annotated[
    str,
    Path(alias="image_id", max_length=200, description="An id of yours, or the picture's own."),
]
Wait = Annotated[
    float, Query(ge=0, le=60, description="Seconds to wait for the job, so that it can be found.")
]
PAUSE = 0.1
"""Seconds between two looks at a job that is waited for."""
BINARY = "application/octet-stream"

_WRITE = documented(400, 403, 404, 409, 413, 415, 422, 503)
_SO = "It is so already, or the job has ended."
_PICTURE = {
    "required": True,
    "description": "The bytes of a picture's file, or, as JSON, where it lies on the server.",
    "content": {
        BINARY: {"schema": {"type": "string", "format": "binary"}},
        "application/json": {"schema": named_schema(PictureByPath)},
    },
}
_LINES = {
    "required": True,
    "description": 'One JSON object a line: `{"external_id": "sku-1", "path": "shoes/1.jpg", '
    '"fields": {"price": 12.5}}`, or with `image` (Base64), or with `remove`.',
    "content": {LINES[0]: {"schema": {"type": "string", "format": "binary"}}},
}


@router.put(
    "/{image_id}",
    responses={**_WRITE, 200: {"model": SentPicture, "description": _SO}},
    response_model=SentPicture,
    status_code=202,
    openapi_extra={"requestBody": _PICTURE},
    summary="Put a picture under an id of yours",
)
async def put(
    external_id: Called,
    request: Request,
    response: Response,
    engine: Served,
    turns: Ordered,
    roots: Roots,
    wait: Wait = 0.0,
) -> SentPicture:
    """Bring a picture in, or replace the one that has this id: the bytes of its file (any
    `image/…`, or `application/octet-stream`), or JSON with its `path` on the server, below a folder
    of the collection or one that the server was given.

    A `job` takes it in, and then it is `searchable`; `wait` for it, or look at the job. The same
    put again does nothing. Bytes are kept in the store, a file is used where it lies.
    """
    kind = kind_of(request)
    if kind != BINARY and kind != "application/json" and not kind.startswith("image/"):
        raise UnsupportedBody(
            f"a picture cannot be read from {kind!r}",
            hint=f"send its bytes as image/jpeg or {BINARY}, or JSON with its path",
        )
    async with turns.bodies:
        body = await request.body()
        async with turns.pictures:
            if await request.is_disconnected():
                raise ClientDisconnect  # it was a long wait
            line = partial(_line, external_id, body, as_json=kind == "application/json")
            work = partial(_put, engine, line, roots)
            sent = await to_thread.run_sync(work)
    return await _ended(engine, sent, wait, response)


@router.delete(
    "/{image_id}",
    responses={**_WRITE, 200: {"model": SentPicture, "description": _SO}},
    response_model=SentPicture,
    status_code=202,
    summary="Take a picture out",
)
async def remove(name: Named, response: Response, engine: Served, wait: Wait = 0.0) -> SentPicture:
    """Out of the collection, by a job: bytes that the store keeps are deleted; a file elsewhere
    stays, and is left out until it is put again. What was said of it is kept.
    """
    sent = await to_thread.run_sync(engine.pictures.remove, name)
    return await _ended(engine, sent, wait, response)


@router.post(
    "",
    responses={**_WRITE, 200: {"model": SentPictures, "description": _SO}},
    response_model=SentPictures,
    status_code=202,
    openapi_extra={"requestBody": _LINES},
    summary="Put and take out many pictures",
)
async def put_many(
    request: Request,
    response: Response,
    engine: Served,
    turns: Ordered,
    roots: Roots,
    wait: Wait = 0.0,
) -> SentPictures:
    """A batch of JSON lines, at most 1,000 and 64 MiB: all of them, or nothing with the number of
    the line that is wrong. Of several lines with one id the last counts.
    """
    if kind_of(request) not in LINES:
        raise UnsupportedBody(
            f"pictures cannot be read from {kind_of(request)!r}", hint=f"send {LINES[0]}"
        )
    async with turns.imports:
        body = await request.body()
        sent = await to_thread.run_sync(
            partial(_put_many, engine, body, roots), limiter=turns.importing
        )
    if sent.job is not None:
        job = await _waited(engine, sent.job, wait)
        now = await to_thread.run_sync(_all_searchable, engine, sent)
        sent = replace(sent, pictures=now, job=shown_job(job))
    response.status_code = 202 if sent.job and sent.job.state not in ENDED else 200
    return sent


def _line(external_id: str, body: bytes, *, as_json: bool) -> PictureLine:
    if not as_json:
        return PictureLine(external_id, body)
    try:
        asked = PictureByPath.model_validate_json(body)
    except ValidationError as error:
        raise refused(error) from error
    return PictureLine(external_id, asked.path, asked.fields)


def _put(engine: Engine, line: Any, roots: tuple[str, ...]) -> SentPicture:
    one: PictureLine = line()
    assert one.picture is not None
    within = (*engine.library.folders(), *roots)
    return engine.pictures.put(one.external_id, one.picture, one.fields, within=within)


def _put_many(engine: Engine, body: bytes, roots: tuple[str, ...]) -> SentPictures:
    within = (*engine.library.folders(), *roots)
    return engine.pictures.put_many(list(_lines(body)), within=within)


def _lines(body: bytes) -> Iterator[PictureLine]:
    for number, text in enumerate(body.split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            one = PictureLineRequest.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise InvalidInput(
                f"line {number}: {place + ': ' if place else ''}{first['msg']}",
                hint="each line is one object: external_id, and image, path or remove",
            ) from error
        yield PictureLine(one.external_id, one.path if one.image is None else one.image, one.fields)


async def _ended(engine: Engine, sent: SentPicture, wait: float, response: Response) -> SentPicture:
    """What became of it, after so many seconds at most."""
    if sent.job is None:
        response.status_code = 200
        return sent
    job = await _waited(engine, sent.job, wait)
    if job.state in ENDED:
        response.status_code = 200
    searchable = await to_thread.run_sync(_searchable, engine, sent)
    return replace(sent, job=shown_job(job), searchable=searchable)


async def _waited(engine: Engine, job: Job, wait: float) -> Job:
    until = current_time() + wait
    while job.state not in ENDED and current_time() < until:
        await sleep(min(PAUSE, max(0.0, until - current_time())))
        job = await to_thread.run_sync(engine.jobs.show, job.job_id)
    return job


def _searchable(engine: Engine, sent: SentPicture) -> bool:
    return engine.pictures.searchable(sent.external_id, sent.image_id)


def _all_searchable(engine: Engine, sent: SentPictures) -> tuple[SentPicture, ...]:
    return tuple(replace(one, searchable=_searchable(engine, one)) for one in sent.pictures)

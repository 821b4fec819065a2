"""Jobs: long work that is asked for now and done behind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from time import monotonic
from typing import Annotated

from anyio import sleep, to_thread
from fastapi import APIRouter, Path, Request
from fastapi.responses import StreamingResponse

from saccade.engine import Engine
from saccade.errors import NotFound
from saccade.service.access import Served
from saccade.service.askers import asking
from saccade.service.places import hidden
from saccade.service.problems import Responses, documented
from saccade.service.roles import CURATOR, OWNER
from saccade.service.schemas import Job, JobRequest, Limit, Listing, Offset
from saccade.service.wire import encoded

router = APIRouter(prefix="/api/v1/jobs", tags=["jobs"])

Called = Annotated[str, Path(max_length=64, description="The job's id.")]

PAUSE = 0.5
"""Seconds between two looks at a job that is streamed."""
ALIVE = 5.0
"""Seconds after which a stream says that it is there: whoever may no longer listen is cut off then,
and proxies do not think it dead."""
ENDED = frozenset(("done", "failed", "cancelled", "interrupted"))

_READ = documented(404, 422, 503)
_WRITE = documented(400, 403, 404, 409, 413, 422, 503)
_STREAM: Responses = {
    200: {
        "description": "Server-sent events: `data:` is the job as JSON, whenever it has changed.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.post("", responses=_WRITE, status_code=202, summary="Ask for a job")
def post(wanted: JobRequest, engine: Served) -> Job:
    """It waits for its turn, goes on after a restart, and is done once however often it is asked.

    `index` a `folder` (`prune`, `recipe`), `reindex` all of them (`prune`), `remove` a `folder`,
    `recipe`, `regions`, `configurations`, `backup` to a `place`, `move` the catalog `to` another
    database, a `study` of which the results go to a `place` (`data`, `quick`).
    """
    spec = wanted.model_dump(exclude_unset=True)
    return engine.jobs.post(spec.pop("kind"), **spec)


@router.get("", responses=documented(422, 503), summary="Jobs, the newest first")
def jobs(engine: Served, offset: Offset = 0, limit: Limit = 50) -> Listing[Job]:
    """Those that wait and run, and the last ones that ended."""
    every = [shown_job(job) for job in engine.jobs.list()]
    return Listing[Job].cut(every, offset, limit)


@router.get("/{job_id}", responses=_READ, summary="One job")
def job(job_id: Called, engine: Served) -> Job:
    """How far it is, or how it ended."""
    return shown_job(engine.jobs.show(job_id))


@router.delete("/{job_id}", responses=_WRITE, summary="Cancel a job")
def cancel(job_id: Called, engine: Served) -> Job:
    """It ends within seconds; what it has made is kept. One that has ended stays as it is."""
    return engine.jobs.cancel(job_id)


@router.get(
    "/{job_id}/stream",
    response_class=StreamingResponse,
    responses={**_READ, **_STREAM},
    summary="A job while it changes",
)
async def stream(job_id: Called, engine: Served, request: Request) -> StreamingResponse:
    """Server-sent events until the job has ended, or the server does."""
    await to_thread.run_sync(engine.jobs.show, job_id)  # an unknown one is no stream
    lines = _told(job_id, engine, request)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(lines, media_type="text/event-stream", headers=headers)


async def _told(job_id: str, engine: Engine, request: Request) -> AsyncIterator[bytes]:
    last, spoke = b"", monotonic()
    while not request.app.state.jobs.ended:
        try:
            now = shown_job(await to_thread.run_sync(engine.jobs.show, job_id))
        except NotFound:
            return
        line = encoded(Job, now)
        if line != last:
            yield b"data: " + line + b"\n\n"
            last, spoke = line, monotonic()
        elif monotonic() - spoke > ALIVE:
            yield b": still here\n\n"
            spoke = monotonic()
        if now.state in ENDED:
            return
        await sleep(PAUSE)


def shown_job(job: Job) -> Job:
    """A job as whoever asks may see it: where things lie on the server's disk is its owner's."""
    asker = asking()
    # What became of pictures that were sent in is told by ids alone.
    if asker.may(OWNER) or (job.kind == "pictures" and asker.may(CURATOR)):
        return replace(job, message=hidden(job.message))
    return replace(job, spec={}, result={}, message="")

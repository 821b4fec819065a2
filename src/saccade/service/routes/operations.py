"""For those who run the server: does it answer, and what has it been doing."""

from __future__ import annotations

from anyio import to_thread
from fastapi import APIRouter, Request, Response

import saccade
from saccade.errors import Stopping
from saccade.service.access import Counted, Ordered, Served
from saccade.service.problems import documented
from saccade.service.schemas import Health, Ready

router = APIRouter(tags=["operations"])

_TEXT = {"text/plain": {"schema": {"type": "string"}}}


@router.get("/healthz", summary="Does it answer")
async def healthz(engine: Served, turns: Ordered) -> Health:
    """The server answers and its store is open."""
    images = await to_thread.run_sync(len, engine, limiter=turns.health)
    return Health(status="ok", version=saccade.__version__, images=images)


@router.get("/readyz", responses=documented(503), summary="Is it ready")
async def readyz(request: Request, engine: Served, turns: Ordered) -> Ready:
    """The store can be read, and the server is not stopping: requests may be sent here.

    What is taught is refused where `read_only` says why.
    """
    if getattr(request.app.state, "stopping", False):
        raise Stopping("this server is stopping", hint="ask another, or try again")
    images = await to_thread.run_sync(len, engine, limiter=turns.health)
    return Ready(status="ready", images=images, read_only=engine.read_only)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus text format.", "content": _TEXT}},
    summary="Counters for Prometheus",
)
def metrics(counted: Counted) -> Response:
    """Requests, times, events and the size of the collection."""
    return Response(counted.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

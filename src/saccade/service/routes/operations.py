"""For those who run the server: does it answer, and what has it been doing."""

from __future__ import annotations

from anyio import to_thread
from fastapi import APIRouter, Response

import saccade
from saccade.service.access import Counted, Ordered, Served
from saccade.service.schemas import Health

router = APIRouter(tags=["operations"])

_TEXT = {"text/plain": {"schema": {"type": "string"}}}


@router.get("/healthz", summary="Does it answer")
async def healthz(engine: Served, turns: Ordered) -> Health:
    """The server answers and its store is open."""
    images = await to_thread.run_sync(len, engine, limiter=turns.health)
    return Health(status="ok", version=saccade.__version__, images=images)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus text format.", "content": _TEXT}},
    summary="Counters for Prometheus",
)
def metrics(counted: Counted) -> Response:
    """Requests, times, events and the size of the collection."""
    return Response(counted.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

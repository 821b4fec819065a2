"""Re-ranking: candidates that another engine found, in the order that people teach."""

from __future__ import annotations

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from saccade.engine import Engine
from saccade.errors import InvalidInput
from saccade.service.access import Ordered, Served
from saccade.service.asked import named_schema, refused
from saccade.service.bodies import check_kind
from saccade.service.problems import documented
from saccade.service.schemas import CandidatePage, RerankRequest, candidates_of
from saccade.types import Candidate

router = APIRouter(prefix="/api/v1", tags=["candidates"])


_BODY = {
    "required": True,
    "content": {"application/json": {"schema": named_schema(RerankRequest)}},
}


@router.post(
    "/rerank",
    response_model=CandidatePage,
    responses=documented(400, 403, 404, 409, 413, 415, 422, 503),
    openapi_extra={"requestBody": _BODY},
    summary="Rank somebody else's candidates",
)
async def rerank(request: Request, engine: Served, turns: Ordered) -> Response:
    """Rank candidates by what people taught; in the order given until somebody taught something.

    Name the answer's `page_id` and the candidates' ids in `POST /feedback` to teach. They need not
    be pictures. Numbers are compared within their list, so that lists of different searches can
    teach each other.
    """
    check_kind(request, "application/json")
    body = await request.body()
    # Parsed in the thread that ranks, and once: a list of vectors has a million numbers.
    wanted, page = await to_thread.run_sync(_read, engine, body, limiter=turns.searches)
    if page is not None:
        return page
    async with turns.pictures:
        return await to_thread.run_sync(_ranked, engine, wanted)


def _read(engine: Engine, body: bytes) -> tuple[RerankRequest, Response | None]:
    """What is asked for, and the answer, unless a picture has to be described first."""
    try:
        wanted = RerankRequest.model_validate_json(body)
    except ValidationError as error:
        raise refused(error) from error
    return wanted, _ranked(engine, wanted) if wanted.query.image is None else None


def _ranked(engine: Engine, wanted: RerankRequest) -> Response:
    query = wanted.query
    if query.image is not None and query.image_id is not None:
        raise InvalidInput("a query is one picture: an image or an image_id, not both")
    picture: str | bytes | None = query.image
    if query.image_id is not None:
        # The engine also takes paths; a client must not, so a name has to be an image it knows.
        picture = engine.fields.find(query.image_id).image_id
    candidates = [
        Candidate(one.id, one.image_id or "", one.features, one.vectors)
        for one in wanted.candidates
    ]
    page = engine.candidates.rerank(
        candidates,
        text=query.text,
        picture=picture,
        vectors=query.vectors,
        user=wanted.user,
        k=wanted.k,
        explain=wanted.explain,
    )
    return candidates_of(page)

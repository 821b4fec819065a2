"""Profiles: what was learned from a person, taken back, forgotten, carried elsewhere."""

from __future__ import annotations

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Path, Request

from saccade.service import pieces
from saccade.service.access import Named, Ordered, Served
from saccade.service.askers import check_own
from saccade.service.bodies import check_kind
from saccade.service.problems import documented
from saccade.service.schemas import (
    Forgotten,
    Imported,
    LearningPoint,
    Limit,
    Listing,
    Offset,
    PageId,
    Profile,
    ProfileEvent,
    TaughtSearch,
    Undone,
)

router = APIRouter(prefix="/api/v1/profiles", tags=["profiles"])


_READ = documented(404, 422, 503)
_WRITE = documented(400, 403, 404, 409, 413, 422, 503)


@router.get("", responses=documented(422, 503), summary="Everyone who gave feedback")
def profiles(engine: Served, offset: Offset = 0, limit: Limit = 50) -> Listing[str]:
    """Names, in alphabetical order."""
    return Listing[str].cut(engine.people.list(), offset, limit)


@router.get("/{user}", responses=_READ, summary="What was learned from one person")
def profile(user: Named, engine: Served) -> Profile:
    """Counts, weights, and whether learning pays for this person."""
    return engine.people.show(user)


@router.get("/{user}/worth", responses=_READ, summary="What learning was worth over time")
def worth(
    user: Named, engine: Served, offset: Offset = 0, limit: Limit = 50
) -> Listing[LearningPoint]:
    """Each time that something right could be told from something wrong, the newest first."""
    return Listing[LearningPoint].cut(engine.people.worth(user)[::-1], offset, limit)


@router.get("/{user}/events", responses=_READ, summary="What a person said")
def events(
    user: Named, engine: Served, offset: Offset = 0, limit: Limit = 50
) -> Listing[ProfileEvent]:
    """Every piece of feedback, the newest first; what was undone is marked."""
    return Listing[ProfileEvent].cut(engine.people.show(user).history[::-1], offset, limit)


@router.get("/{user}/taught", responses=_READ, summary="The searches that are remembered")
def taught(
    user: Named, engine: Served, offset: Offset = 0, limit: Limit = 50
) -> Listing[TaughtSearch]:
    """Each with what was looked for and marked in it, the newest first."""
    return Listing[TaughtSearch].cut(engine.people.taught(user), offset, limit)


@router.delete(
    "/{user}/taught/{session}", responses=_WRITE, summary="Take back what one search taught"
)
def drop(
    user: Named,
    session: Annotated[str, Path(max_length=100, description="As `taught` names it.")],
    engine: Served,
) -> Listing[TaughtSearch]:
    """All marks of one search go; the answer lists the searches that are left."""
    engine.people.drop(user, session)
    return Listing[TaughtSearch].cut(engine.people.taught(user), 0, 50)


@router.delete("/{user}", responses=_WRITE, summary="Forget a person")
def forget(user: Named, engine: Served) -> Forgotten:
    """Remove all their feedback, and its influence on the shared model."""
    events = engine.forget(user)
    return Forgotten(user=user, events=events)


@router.post("/{user}/undo", responses=_WRITE, summary="Take back the last feedback")
def undo(user: Named, engine: Served, page: PageId | None = None) -> Undone:
    """Undo the person's last judgement, or the last one in the session of a `page`.

    The answer's `page` is that session's page as it is without it.
    """
    check_own(engine, page)
    return engine.undo(user, page=page)


@router.get("/{user}/export", responses=_READ, summary="A person's feedback as JSON")
def export(user: Named, engine: Served) -> dict[str, Any]:
    """Everything that was learned from; `import` takes it in again, here or elsewhere."""
    return engine.people.export(user)


_EXPORTED = {
    "required": True,
    "description": "What `export` returned.",
    "content": {"application/json": {"schema": {"type": "object"}}},
}


@router.post(
    "/{user}/import",
    responses=documented(415) | _WRITE,
    openapi_extra={"requestBody": _EXPORTED},
    summary="Take in exported feedback",
)
async def import_(user: Named, request: Request, engine: Served, turns: Ordered) -> Imported:
    """Learn from feedback that was exported here or elsewhere."""
    check_kind(request, "application/json")
    async with turns.imports:
        body = await request.body()
        events = await to_thread.run_sync(
            lambda: engine.people.import_(user, pieces.read(body)), limiter=turns.importing
        )
    return Imported(user=user, events=events)

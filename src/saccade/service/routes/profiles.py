"""Profiles: what was learned from a person, taken back, forgotten, carried elsewhere."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path

from saccade.service.access import Served
from saccade.service.problems import documented
from saccade.service.schemas import (
    Forgotten,
    Imported,
    Limit,
    Listing,
    Offset,
    PageId,
    Profile,
    ProfileEvent,
    Undone,
)

router = APIRouter(prefix="/api/v1/profiles", tags=["profiles"])

Named = Annotated[str, Path(max_length=100, description="The person's name.")]

_READ = documented(404, 422, 503)
_WRITE = documented(400, 403, 404, 409, 413, 422, 503)


@router.get("", responses=documented(422, 503), summary="Everyone who gave feedback")
def profiles(engine: Served, offset: Offset = 0, limit: Limit = 50) -> Listing[str]:
    """Names, in alphabetical order."""
    return Listing[str].cut(engine.users(), offset, limit)


@router.get("/{user}", responses=_READ, summary="What was learned from one person")
def profile(user: Named, engine: Served) -> Profile:
    """Counts, weights, and whether learning pays for this person."""
    return engine.profile(user)


@router.get("/{user}/events", responses=_READ, summary="What a person said")
def events(
    user: Named, engine: Served, offset: Offset = 0, limit: Limit = 50
) -> Listing[ProfileEvent]:
    """Every piece of feedback, the newest first; what was undone is marked."""
    return Listing[ProfileEvent].cut(engine.profile(user).history[::-1], offset, limit)


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
    return engine.undo(user, page)


@router.get("/{user}/export", responses=_READ, summary="A person's feedback as JSON")
def export(user: Named, engine: Served) -> dict[str, Any]:
    """Everything that was learned from; `import` takes it in again, here or elsewhere."""
    return engine.export_profile(user)


@router.post("/{user}/import", responses=_WRITE, summary="Take in exported feedback")
def import_(
    user: Named,
    engine: Served,
    exported: Annotated[dict[str, Any], Body(description="What `export` returned.")],
) -> Imported:
    """Learn from feedback that was exported here or elsewhere."""
    return Imported(user=user, events=engine.import_profile(user, exported))

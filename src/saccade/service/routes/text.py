"""Typed words: what may be meant by the beginning of a text, and what a person taught."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from saccade.service.access import Named, Served, Whose
from saccade.service.problems import documented
from saccade.service.schemas import Limit, Listing, Offset, Suggestion, TaughtWord

router = APIRouter(prefix="/api/v1", tags=["words"])

Typed = Annotated[str, Query(max_length=100, description="What was typed so far.")]


@router.get("/suggest", responses=documented(422, 503), summary="What may be meant")
def suggest(
    engine: Served,
    user: Whose,
    q: Typed = "",
    k: Annotated[int, Query(ge=1, le=50, description="How many at most.")] = 8,
) -> list[Suggestion]:
    """Words to offer while somebody types.

    Known kinds with how many pictures are probably of each, folders, and the words, tags and saved
    searches of the person.
    """
    return list(engine.suggest(q, user=user, k=k))


@router.get(
    "/profiles/{user}/words", responses=documented(404, 422, 503), summary="Words a person taught"
)
def taught(
    user: Named, engine: Served, offset: Offset = 0, limit: Limit = 50
) -> Listing[TaughtWord]:
    """Each with the pictures that were marked for it, the newest word first."""
    return Listing[TaughtWord].cut(engine.text.taught(user=user), offset, limit)

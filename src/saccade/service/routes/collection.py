"""The collection as a whole: what is indexed, what was left out, which schemes compare it."""

from __future__ import annotations

from fastapi import APIRouter

from saccade.service.access import Served
from saccade.service.problems import documented
from saccade.service.schemas import (
    Collection,
    Limit,
    Listing,
    Offset,
    SchemeInfo,
    Skipped,
    UserName,
)

router = APIRouter(prefix="/api/v1", tags=["collection"])


@router.get("/collection", responses=documented(422, 503), summary="Counts and skipped files")
def collection(engine: Served, offset: Offset = 0, limit: Limit = 50) -> Collection:
    """How many pictures are indexed, and the files that were left out with the reason for each."""
    report, files = engine.report(), engine.skipped(offset, limit)
    return Collection(
        images=report.images,
        descriptors=report.descriptors,
        incomplete=report.incomplete,
        resting=dict(report.resting),
        lost=report.lost,
        skipped=Listing[Skipped].of(files, total=report.skipped, offset=offset, limit=limit),
        kept=engine.retention.report(),
    )


@router.get("/schemes", responses=documented(422, 503), summary="The ways pictures are compared")
def schemes(
    engine: Served, user: UserName = "guest", offset: Offset = 0, limit: Limit = 500
) -> Listing[SchemeInfo]:
    """Every scheme of the recipe with its kind and its weight for a user."""
    return Listing[SchemeInfo].cut(engine.schemes(user), offset, limit)

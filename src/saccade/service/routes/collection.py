"""The collection as a whole: what is indexed, what was left out, which schemes compare it."""

from __future__ import annotations

from fastapi import APIRouter

from saccade.service.access import Served, Whose
from saccade.service.problems import documented
from saccade.service.schemas import (
    CollectionAnswer,
    Duplicates,
    Limit,
    Listing,
    Offset,
    SchemeInfo,
    Skipped,
    StoreSize,
)

router = APIRouter(prefix="/api/v1", tags=["collection"])


@router.get("/collection", responses=documented(422, 503), summary="Counts and skipped files")
def collection(engine: Served, offset: Offset = 0, limit: Limit = 50) -> CollectionAnswer:
    """How many pictures are indexed, and the files that were left out with the reason for each."""
    report, files = engine.library.report(), engine.library.skipped(offset, limit)
    return CollectionAnswer(
        images=report.images,
        descriptors=report.descriptors,
        incomplete=report.incomplete,
        resting=dict(report.resting),
        lost=report.lost,
        read_only=report.read_only,
        folders=engine.library.folders(),
        skipped=Listing[Skipped].of(files, total=report.skipped, offset=offset, limit=limit),
        kept=engine.retention.show(),
    )


@router.get("/collection/duplicates", responses=documented(422, 503), summary="What is there twice")
def duplicates(engine: Served, offset: Offset = 0, limit: Limit = 20) -> Listing[Duplicates]:
    """Pictures at several places, then groups that are nearly the same, the largest first."""
    return Listing[Duplicates].cut(engine.library.duplicates(), offset, limit)


@router.get("/collection/gone", responses=documented(422, 503), summary="Files that are gone")
def gone(engine: Served, offset: Offset = 0, limit: Limit = 50) -> Listing[Skipped]:
    """Files that were indexed and are not there now; their pictures stay until they are pruned."""
    return Listing[Skipped].cut(engine.library.gone(), offset, limit)


@router.get("/collection/size", responses=documented(422, 503), summary="Bytes on disk")
def size(engine: Served) -> StoreSize:
    """What the store takes, by what it is for; the pictures themselves are elsewhere."""
    return engine.library.size()


@router.get("/schemes", responses=documented(422, 503), summary="The ways pictures are compared")
def schemes(
    engine: Served, user: Whose, offset: Offset = 0, limit: Limit = 500
) -> Listing[SchemeInfo]:
    """Every scheme of the recipe with its kind and its weight for a user."""
    return Listing[SchemeInfo].cut(engine.library.schemes(user=user), offset, limit)

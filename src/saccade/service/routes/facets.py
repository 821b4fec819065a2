"""What the collection can be narrowed by, with counts."""

from __future__ import annotations

from fastapi import APIRouter

from saccade.service.access import Served, Whose
from saccade.service.filters import Filters
from saccade.service.problems import documented
from saccade.service.schemas import Facets

router = APIRouter(prefix="/api/v1", tags=["collection"])


@router.get(
    "/facets", responses=documented(404, 422, 503), summary="What pictures can be narrowed by"
)
def facets(engine: Served, where: Filters, user: Whose) -> Facets:
    """Folders, months, cameras, shapes and tags of the pictures that fit, with how many have each.

    Every word of a search's `where` narrows it; the counts are what that word would leave beside
    the others.
    """
    return engine.library.facets(where=where, user=user)

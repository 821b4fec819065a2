"""Concepts: pictures of a keyword in a taught order."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from saccade.service.access import Served, Whose
from saccade.service.problems import documented
from saccade.service.schemas import (
    Concept,
    ConceptGrade,
    ConceptPreference,
    ConceptQuestion,
    Limit,
    Listing,
    Offset,
    RankedImage,
    RankedPart,
)

router = APIRouter(prefix="/api/v1", tags=["concepts"])

Called = Annotated[
    str, Path(max_length=220, description="`folder:NAME`, `tag:NAME`, `saved:NAME`, or the name.")
]

_READ = documented(404, 409, 422, 503)
_WRITE = documented(400, 403, 404, 409, 413, 422, 503)


@router.get("/concepts", responses=documented(422, 503), summary="Every concept")
def concepts(
    engine: Served, user: Whose, offset: Offset = 0, limit: Limit = 50
) -> Listing[Concept]:
    """Folders, and the person's tags and saved searches."""
    return Listing[Concept].cut(engine.concepts.list(user=user), offset, limit)


@router.get("/concepts/{name}", responses=_READ, summary="A concept's pictures, the best first")
def ranked(
    name: Called,
    engine: Served,
    user: Whose,
    offset: Offset = 0,
    limit: Limit = 50,
    batch: Annotated[
        bool, Query(description="Fit anew, with settings chosen by cross-validation.")
    ] = False,
) -> RankedPart:
    """As the person taught; pictures that could not be described come last."""
    ranking = engine.concepts.order(name, user=user, batch=batch)
    images = Listing[RankedImage].cut(ranking.images, offset, limit)
    return RankedPart(ranking=ranking, images=images)


@router.post("/concepts/{name}/preferences", responses=_WRITE, summary="One before another")
def prefer(name: Called, wanted: ConceptPreference, engine: Served) -> Concept:
    """Say that one picture of a concept is better than another; the newer word counts."""
    return engine.concepts.answer(name, wanted.better, wanted.worse, user=wanted.user)


@router.post("/concepts/{name}/grades", responses=_WRITE, summary="Good, ok or junk")
def grade(name: Called, wanted: ConceptGrade, engine: Served) -> Concept:
    """Grade a picture of a concept; the newer word counts."""
    return engine.concepts.grade(name, wanted.image_id, wanted.grade, user=wanted.user)


@router.get("/concepts/{name}/question", responses=_READ, summary="Two pictures to compare")
def question(
    name: Called,
    engine: Served,
    user: Whose,
    turn: Annotated[int, Query(ge=0, le=2**31, description="Another one, another pair.")] = 0,
) -> ConceptQuestion:
    """Two pictures whose order would teach most; none when all is said."""
    pair = engine.concepts.ask(name, user=user, turn=turn)
    return ConceptQuestion(images=[engine.image(image_id) for image_id in pair or ()])

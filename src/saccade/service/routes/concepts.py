"""Concepts: pictures of a keyword in a taught order, and the regions that count."""

from __future__ import annotations

from io import BytesIO
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from saccade.service.access import Served
from saccade.service.problems import documented
from saccade.service.schemas import (
    Concept,
    ConceptGrade,
    ConceptPreference,
    ConceptQuestion,
    Limit,
    Listing,
    Offset,
    Prepared,
    PrepareRequest,
    RankedImage,
    RankedPart,
    RegionMap,
    TagRequest,
    UserName,
)

router = APIRouter(prefix="/api/v1", tags=["concepts"])

Called = Annotated[
    str, Path(max_length=220, description="`folder:NAME`, `tag:NAME`, `saved:NAME`, or the name.")
]
Asked = Annotated[str | None, Query(max_length=220, description="The concept it is about.")]
Pictured = Annotated[str, Path(max_length=64, description="Hash of the picture's bytes.")]

_READ = documented(404, 409, 422, 503)
_WRITE = documented(400, 403, 404, 409, 413, 422, 503)


@router.get("/concepts", responses=documented(422, 503), summary="Every concept")
def concepts(
    engine: Served, user: UserName = "guest", offset: Offset = 0, limit: Limit = 50
) -> Listing[Concept]:
    """Folders, and the person's tags and saved searches."""
    return Listing[Concept].cut(engine.concepts.list(user), offset, limit)


@router.get("/concepts/{name}", responses=_READ, summary="A concept's pictures, the best first")
def ranked(
    name: Called,
    engine: Served,
    user: UserName = "guest",
    offset: Offset = 0,
    limit: Limit = 50,
    batch: Annotated[
        bool, Query(description="Fit anew, with settings chosen by cross-validation.")
    ] = False,
) -> RankedPart:
    """As the person taught; pictures whose regions are not made yet come last.

    `POST /regions` makes them, a few at a time.
    """
    found = engine.concepts.rank(name, user=user, batch=batch, prepare=False)
    images = Listing[RankedImage].cut(found.images, offset, limit)
    return RankedPart(ranking=found, images=images)


@router.post("/concepts/{name}/preferences", responses=_WRITE, summary="One before another")
def prefer(name: Called, said: ConceptPreference, engine: Served) -> Concept:
    """Say that one picture of a concept is better than another; the newer word counts."""
    return engine.concepts.prefer(name, said.better, said.worse, user=said.user)


@router.post("/concepts/{name}/grades", responses=_WRITE, summary="Good, ok or junk")
def grade(name: Called, said: ConceptGrade, engine: Served) -> Concept:
    """Grade a picture of a concept; the newer word counts."""
    return engine.concepts.grade(name, said.image_id, said.grade, user=said.user)


@router.get("/concepts/{name}/question", responses=_READ, summary="Two pictures to compare")
def question(
    name: Called,
    engine: Served,
    user: UserName = "guest",
    turn: Annotated[int, Query(ge=0, le=2**31, description="Another one, another pair.")] = 0,
) -> ConceptQuestion:
    """Two pictures whose order would teach most; none when all is said or regions are missing."""
    pair = engine.concepts.ask(name, user=user, turn=turn)
    return ConceptQuestion(images=[engine.image(image_id) for image_id in pair or ()])


@router.post("/tags/{tag}", responses=_WRITE, summary="Tag pictures")
def tag(
    tag: Annotated[str, Path(max_length=200, description="No slash, no colon.")],
    wanted: TagRequest,
    engine: Served,
) -> Listing[Concept]:
    """Give pictures a tag of the person's own, or take it off. The answer lists their concepts."""
    engine.concepts.tag(tag, wanted.images, without=wanted.without, user=wanted.user)
    return Listing[Concept].cut(engine.concepts.list(wanted.user), 0, 50)


@router.get("/regions", responses=_READ, summary="How many pictures have their regions")
def prepared(engine: Served, concept: Asked = None, user: UserName = "guest") -> Prepared:
    """Of a concept, or of the whole collection."""
    return engine.concepts.prepared(concept, user=user)


@router.post("/regions", responses=_WRITE, summary="Cut pictures into regions")
def prepare(wanted: PrepareRequest, engine: Served) -> Prepared:
    """Make the regions of the next few pictures; ask again until `done` and `failed` are all."""
    return engine.concepts.prepare(wanted.concept, user=wanted.user, limit=wanted.limit)


@router.get("/images/{image_id}/regions", responses=_READ, summary="A picture's regions")
def regions(
    image_id: Pictured, engine: Served, concept: Asked = None, user: UserName = "guest"
) -> RegionMap:
    """Where they are, and how much each counts for a concept."""
    return engine.concepts.regions(image_id, concept, user=user)


@router.get(
    "/images/{image_id}/relevance",
    response_class=Response,
    responses={200: {"description": "A veil to lay over the picture.",
                     "content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}},
               **_READ},
    summary="What counts in a picture, as an image",
)  # fmt: skip
def relevance(
    image_id: Pictured,
    engine: Served,
    concept: Asked = None,
    user: UserName = "guest",
    side: Annotated[int, Query(ge=16, le=2048, description="Of the longer side, in pixels.")] = 480,
) -> Response:
    """Black where nothing counts, clear where it does: a PNG in the picture's shape."""
    from PIL import Image

    from saccade.images.relevance import veil

    found = engine.concepts.regions(image_id, concept, user=user)
    scale = side / max(found.width, found.height)
    size = [max(1, round(scale * edge)) for edge in (found.width, found.height)]
    out = BytesIO()
    Image.fromarray(veil(found.masks(), found.each(), *size)).save(out, "PNG")
    return Response(out.getvalue(), media_type="image/png", headers={"Cache-Control": "no-store"})

"""Maps: what of a picture counts for a search, a concept or an attribute."""

from __future__ import annotations

from io import BytesIO
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from saccade.engine import Engine
from saccade.errors import InvalidInput, NoMap
from saccade.service.access import Served, Whose
from saccade.service.askers import check_own
from saccade.service.problems import documented
from saccade.service.schemas import Glow
from saccade.types import Glow as Found

router = APIRouter(prefix="/api/v1", tags=["maps"])

Pictured = Annotated[str, Path(max_length=64, description="Hash of the picture's bytes.")]
OfPage = Annotated[str | None, Query(max_length=64, description="What counts for this search.")]
OfConcept = Annotated[
    str | None, Query(max_length=220, description="What counts for this concept.")
]
OfAttribute = Annotated[str | None, Query(max_length=100, description="What counts for this one.")]

_READ = documented(400, 404, 409, 422, 503)


@router.get("/images/{image_id}/map", responses=_READ, summary="What counts in a picture")
def found(
    image_id: Pictured,
    engine: Served,
    user: Whose,
    page: OfPage = None,
    concept: OfConcept = None,
    attribute: OfAttribute = None,
) -> Glow:
    """Where it is brightest, and whether the map is to be trusted; one that is not is not shown.

    Name one of a page, a concept or an attribute.
    """
    return _glow(engine, image_id, page, concept, attribute, user)


@router.get(
    "/images/{image_id}/map.png",
    response_class=Response,
    responses={200: {"description": "A veil to lay over the picture.",
                     "content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}},
               204: {"description": "No map, or one that is no better than chance."},
               **_READ},
    summary="What counts in a picture, as an image",
)  # fmt: skip
def drawn(
    image_id: Pictured,
    engine: Served,
    user: Whose,
    page: OfPage = None,
    concept: OfConcept = None,
    attribute: OfAttribute = None,
) -> Response:
    """Dark where nothing counts, clear where it does: a PNG in the picture's shape."""
    from PIL import Image

    from saccade.images.glow import veil

    unkept = {"Cache-Control": "no-store"}
    try:
        seen = _glow(engine, image_id, page, concept, attribute, user)
    except NoMap:  # whoever lays a veil over a picture has no use for the reason
        return Response(status_code=204, headers=unkept)
    if not seen.trusted:
        return Response(status_code=204, headers=unkept)
    out = BytesIO()
    Image.fromarray(veil(seen.values)).save(out, "PNG")
    return Response(out.getvalue(), media_type="image/png", headers=unkept)


def _glow(
    engine: Engine,
    image_id: str,
    page: str | None,
    concept: str | None,
    attribute: str | None,
    user: str,
) -> Found:
    if sum(asked is not None for asked in (page, concept, attribute)) != 1:
        raise InvalidInput(
            "a map shows what counts for something",
            hint="name one of page, concept or attribute",
        )
    if page is not None:
        check_own(engine, page)
        return engine.maps.search(page, image_id)
    if concept is not None:
        return engine.concepts.glow(image_id, concept, user=user)
    return engine.attributes.glow(image_id, str(attribute), user=user)

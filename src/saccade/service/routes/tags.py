"""Tags: names that people give to pictures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from saccade.service.access import Served, Whose
from saccade.service.problems import documented
from saccade.service.schemas import (
    ImageId,
    Limit,
    Listing,
    Offset,
    TagInfo,
    TagRequest,
)

router = APIRouter(prefix="/api/v1", tags=["tags"])

Called = Annotated[str, Path(max_length=200, description="The tag: no slash, no colon.")]

_READ = documented(404, 422, 503)
_WRITE = documented(400, 403, 404, 409, 413, 422, 503)


@router.get("/tags", responses=documented(422, 503), summary="Every tag")
def tags(engine: Served, user: Whose, offset: Offset = 0, limit: Limit = 500) -> Listing[TagInfo]:
    """Those that a person sees, by name: their own, and those that several others agree on."""
    return Listing[TagInfo].cut(engine.tags.list(user=user), offset, limit)


@router.post("/tags/{tag}", responses=_WRITE, summary="Tag pictures")
def tag(tag: Called, wanted: TagRequest, engine: Served) -> TagInfo:
    """Give `images` a tag, and take it off those `without`."""
    info = None
    if wanted.images or not wanted.without:
        info = engine.tags.add(tag, wanted.images, user=wanted.user)
    if wanted.without:
        info = engine.tags.remove(tag, wanted.without, user=wanted.user)
    assert info is not None
    return info


@router.delete("/tags/{tag}", responses=_WRITE, summary="Take a tag off")
def untag(
    tag: Called,
    engine: Served,
    user: Whose,
    image: Annotated[
        list[ImageId], Query(max_length=100, description="Off these alone; off all unless given.")
    ] = [],  # noqa: B006
) -> TagInfo:
    """For this person alone: others keep it."""
    return engine.tags.remove(tag, image or None, user=user)


@router.get("/images/{image_id}/tags", responses=_READ, summary="A picture's tags")
def of_image(
    image_id: Annotated[str, Path(max_length=64, description="Hash of the picture's bytes.")],
    engine: Served,
    user: Whose,
) -> list[str]:
    """Those that it has for a person, by name."""
    return list(engine.tags.of(image_id, user=user))

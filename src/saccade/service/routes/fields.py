"""What others know of pictures: ids of theirs, and fields with values."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from saccade.service.access import Served
from saccade.service.problems import documented
from saccade.service.schemas import FieldsRequest, Image

router = APIRouter(prefix="/api/v1", tags=["images"])

Called = Annotated[
    str, Path(max_length=200, description="The picture's id, or an id of yours that it has.")
]

_WRITE = documented(400, 403, 404, 409, 413, 422, 503)


@router.put("/images/{name}/fields", responses=_WRITE, summary="What you know of a picture")
def set_fields(name: Called, wanted: FieldsRequest, engine: Served) -> Image:
    """Fields that are not named stay, null takes one away; a field holds what its first value was.

    A search, a listing and its counts are narrowed by them: `"where": {"fields": {"price":
    {"below": 20}}}`.
    """
    return engine.fields.set(name, wanted.fields, external_id=wanted.external_id)


@router.get(
    "/external/{name}", responses=documented(404, 422, 503), summary="A picture by an id of yours"
)
def by_external_id(name: Called, engine: Served) -> Image:
    """The record of the picture that was given this id."""
    return engine.fields.find(name)

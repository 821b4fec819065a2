"""Originals of several pictures in one file."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import StreamingResponse

from saccade.service.access import Served
from saccade.service.problems import documented
from saccade.service.schemas import Closed, ImageId

router = APIRouter(prefix="/api/v1", tags=["images"])

_ZIP = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}


class Chosen(Closed):
    """Pictures of the collection."""

    images: Annotated[list[ImageId], Field(min_length=1, max_length=1000)]


@router.post(
    "/originals.zip",
    response_class=StreamingResponse,
    responses={
        200: {"description": "A zip, sent while it is made.", "content": _ZIP},
        **documented(404, 422, 503),
    },
    summary="Originals in a zip",
)
def originals(wanted: Chosen, engine: Served) -> StreamingResponse:
    """The files of up to 1,000 pictures, 2 GiB at most, as they are and by their own names."""
    headers = {"Content-Disposition": 'attachment; filename="pictures.zip"'}
    content = engine.library.zipped(wanted.images)
    return StreamingResponse(content, media_type="application/zip", headers=headers)

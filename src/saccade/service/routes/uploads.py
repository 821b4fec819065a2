"""Pictures of people's own to search with, kept by id: a search with one can be gone back to."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Path, Request
from starlette.datastructures import UploadFile

from saccade.errors import InvalidInput
from saccade.service.access import Ordered, Served, Whose
from saccade.service.bodies import UnsupportedBody, kind_of
from saccade.service.problems import documented
from saccade.service.schemas import Upload

router = APIRouter(prefix="/api/v1/uploads", tags=["search"])

Named = Annotated[str, Path(max_length=64, description="Hash of the picture's bytes.")]

_PICTURE = {"type": "string", "format": "binary", "description": "JPEG, PNG, WebP, …"}
_FORM = {"type": "object", "required": ["image"], "properties": {"image": _PICTURE}}
_BODY = {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}


@router.get("", responses=documented(422, 503), summary="A person's own pictures")
def uploads(engine: Served, user: Whose) -> list[Upload]:
    """Those that are kept, the newest first."""
    return list(engine.uploads.list(user=user))


@router.post(
    "",
    response_model=Upload,
    responses=documented(400, 403, 413, 415, 422, 503),
    openapi_extra={"requestBody": _BODY},
    summary="Keep a picture to search with",
)
async def keep(request: Request, engine: Served, turns: Ordered, user: Whose) -> Upload:
    """Keep the file `image` for a person; search with its id from then on.

    Each person has twenty at most, and 64 MiB of them: the oldest go first. Whoever has the id can
    search with it. Forgetting the person takes theirs off the disk.
    """
    kind = kind_of(request)
    if kind != "multipart/form-data":
        raise UnsupportedBody(
            f"a picture cannot be read from {kind!r}",
            hint="send multipart/form-data with the file 'image'",
        )
    async with turns.bodies:
        form = await request.form(max_files=1, max_fields=10)
        try:
            file = form.get("image")
            if not isinstance(file, UploadFile):
                raise InvalidInput(
                    "the form has no file 'image'", hint="attach the picture as 'image'"
                )
            async with turns.pictures:
                data = await file.read()
                return await to_thread.run_sync(lambda: engine.uploads.keep(data, user=user))
        finally:
            await form.close()


@router.delete(
    "/{image_id}", responses=documented(403, 404, 422, 503), summary="Keep a picture no longer"
)
def drop(image_id: Named, engine: Served, user: Whose) -> list[Upload]:
    """It goes; what was learned in searches with it stays. The answer lists those that are left."""
    engine.uploads.delete(image_id, user=user)
    return list(engine.uploads.list(user=user))

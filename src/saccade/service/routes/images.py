"""The pictures themselves: records, thumbnails, originals.

An image is named by its bytes, so its address never means anything else: browsers may keep it for
a year, and a matching ETag answers without reading a file.
"""

from __future__ import annotations

import random
from io import BytesIO
from itertools import pairwise
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Response

from saccade.service.access import Served
from saccade.service.problems import Responses, documented
from saccade.service.schemas import Image, Limit, Listing, LookAlike, Offset

router = APIRouter(prefix="/api/v1/images", tags=["images"])

Named = Annotated[str, Path(max_length=64, description="Hash of the picture's bytes.")]
Seen = Annotated[str | None, Header(alias="If-None-Match", description="ETag the client has.")]

# What browsers show, by its first bytes; everything else that can be indexed is sent as JPEG.
_SHOWN_BY_BROWSERS = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG": "image/png",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
    b"BM": "image/bmp",
}
# No screen shows more of a picture at once, and a JPEG holds no more than 65,535 a side.
_LARGEST = 4096
_ERRORS = documented(404, 422, 503)


def _binary(description: str, *types: str) -> Responses:
    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in types}
    unchanged = {"description": "The client has it already."}
    return {200: {"description": description, "content": content}, 304: unchanged, **_ERRORS}


@router.get("", responses=documented(422, 503), summary="List the collection")
def images(engine: Served, offset: Offset = 0, limit: Limit = 50) -> Listing[Image]:
    """The pictures in the order in which they were indexed."""
    found = engine.images(offset=offset, limit=limit)
    return Listing[Image].of(found, total=len(engine), offset=offset, limit=limit)


@router.get("/sample", responses=documented(422, 503), summary="A cross-section of the collection")
def sample(
    engine: Served,
    limit: Annotated[int, Query(ge=1, le=200, description="How many pictures at most.")] = 40,
    seed: Annotated[int, Query(ge=0, le=2**31, description="Another number, other pictures.")] = 0,
) -> list[Image]:
    """Pictures from all over the collection, mixed: something to start a search from."""
    total = len(engine)
    wanted = min(limit, total)
    chance = random.Random(seed)
    # One from each of `wanted` equal stretches: folders of every size are represented, and nothing
    # comes twice, since whole numbers bound the stretches.
    bounds = [stretch * total // wanted for stretch in range(wanted + 1)] if wanted else [0]
    places = [chance.randrange(low, high) for low, high in pairwise(bounds)]
    chance.shuffle(places)
    found = (engine.images(offset=place, limit=1) for place in places)
    return [record for records in found for record in records]


@router.get("/{image_id}", responses=_ERRORS, summary="One picture's record")
def image(image_id: Named, engine: Served) -> Image:
    """Size and every path of one picture."""
    return engine.image(image_id)


@router.get("/{image_id}/neighbours", responses=_ERRORS, summary="A picture's look-alikes")
def neighbours(
    image_id: Named,
    engine: Served,
    limit: Annotated[int, Query(ge=1, le=100, description="How many at most.")] = 12,
) -> list[LookAlike]:
    """The pictures most like one of the collection, best first; a blank picture has none."""
    return list(engine.graph.look_alikes(image_id, limit))


@router.get(
    "/{image_id}/thumb",
    response_class=Response,
    responses=_binary("A small JPEG.", "image/jpeg"),
    summary="A small version",
)
def thumb(image_id: Named, engine: Served, seen: Seen = None) -> Response:
    """The picture with its longer side at most 480 pixels."""
    headers = _lasting(f"{engine.image(image_id).image_id}-thumb")
    if _matches(seen, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(engine.thumbnail(image_id), media_type="image/jpeg", headers=headers)


@router.get(
    "/{image_id}/file",
    response_class=Response,
    responses=_binary("The original, or a JPEG of it.", *_SHOWN_BY_BROWSERS.values()),
    summary="The picture in full size",
)
def file(image_id: Named, engine: Served, seen: Seen = None) -> Response:
    """The original file; formats that browsers do not show, such as TIFF, come as JPEG of at
    most 4096 pixels a side.
    """
    headers = _lasting(f"{engine.image(image_id).image_id}-file")
    if _matches(seen, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    data = engine.original(image_id)
    for start, kind in _SHOWN_BY_BROWSERS.items():
        if data.startswith(start):
            return Response(data, media_type=kind, headers=headers)
    return Response(_jpeg(data), media_type="image/jpeg", headers=headers)


def _lasting(tag: str) -> dict[str, str]:
    return {"ETag": f'"{tag}"', "Cache-Control": "private, max-age=31536000, immutable"}


def _matches(seen: str | None, tag: str) -> bool:
    """Whether an If-None-Match header names this tag; weak and strong ones compare alike."""
    if seen is None:
        return False
    return any(part.strip().removeprefix("W/") in (tag, "*") for part in seen.split(","))


def _jpeg(data: bytes) -> bytes:
    from PIL import Image as Pillow

    from saccade.scale.decoding import decode

    out = BytesIO()
    shown = decode(data, side=_LARGEST).picture.rgb
    Pillow.fromarray(shown).save(out, "JPEG", quality=90)
    return out.getvalue()

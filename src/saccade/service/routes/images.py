"""The pictures themselves: records, thumbnails, originals.

An image is named by its bytes, so its address never means anything else: browsers may keep it for
a year, and a matching ETag answers without reading a file.
"""

from __future__ import annotations

import random
from io import BytesIO
from itertools import pairwise
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Path, Query, Response

from saccade.errors import NoSuchImage
from saccade.service.access import Served, Whose
from saccade.service.filters import Filters
from saccade.service.problems import Responses, documented
from saccade.service.schemas import (
    Image,
    Limit,
    Listing,
    LookAlike,
    NeighbourMap,
    Offset,
    PictureWord,
    Together,
)

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


@router.get("", responses=_ERRORS, summary="List the collection")
def images(
    engine: Served,
    where: Filters,
    user: Whose,
    order: Annotated[
        Literal["indexed", "newest", "oldest"],
        Query(description="As they were indexed, or by when they were taken."),
    ] = "indexed",
    stacked: Annotated[
        bool, Query(description="Say of each which one before it here is nearly the same.")
    ] = False,
    offset: Offset = 0,
    limit: Limit = 50,
) -> Listing[Image]:
    """The pictures, or those that fit: every word of a search's `where` narrows the listing."""
    records = engine.library.images(where=where, user=user, order=order, stacked=stacked)
    return Listing[Image].cut(records, offset, limit)


@router.get("/sample", responses=documented(422, 503), summary="A cross-section of the collection")
def sample(
    engine: Served,
    limit: Annotated[int, Query(ge=1, le=200, description="How many pictures at most.")] = 40,
    seed: Annotated[int, Query(ge=0, le=2**31, description="Another number, other pictures.")] = 0,
) -> list[Image]:
    """Pictures from all over the collection, mixed: something to start a search from."""
    every = engine.library.images()
    total, wanted = len(every), min(limit, len(every))
    chance = random.Random(seed)
    # One from each of `wanted` equal stretches: folders of every size are represented, and nothing
    # comes twice, since whole numbers bound the stretches.
    bounds = [stretch * total // wanted for stretch in range(wanted + 1)] if wanted else [0]
    places = [chance.randrange(low, high) for low, high in pairwise(bounds)]
    chance.shuffle(places)
    return list(every.at(places))


@router.get("/{image_id}", responses=_ERRORS, summary="One picture's record")
def image(image_id: Named, engine: Served) -> Image:
    """Size and every path of one picture; one that is kept to search with has no path."""
    try:
        return engine.image(image_id)
    except NoSuchImage:
        return engine.uploads.record(image_id)


@router.get("/{image_id}/neighbours", responses=_ERRORS, summary="A picture's look-alikes")
def neighbours(
    image_id: Named,
    engine: Served,
    user: Whose,
    limit: Annotated[int, Query(ge=1, le=100, description="How many at most.")] = 12,
    taught: Annotated[bool, Query(description="By the links as marks have bent them.")] = False,
) -> list[LookAlike]:
    """The pictures most like one of the collection, best first; a blank picture has none.

    With `taught`, those that the links of a `user` lead to, and what was said of them.
    """
    return list(engine.graph.look_alikes(image_id, limit, taught=taught, user=user))


@router.get("/{image_id}/around", responses=_ERRORS, summary="A small map around a picture")
def around(
    image_id: Named,
    engine: Served,
    user: Whose,
    limit: Annotated[int, Query(ge=1, le=50, description="How many around it, at most.")] = 8,
) -> NeighbourMap:
    """The pictures linked to it best, and all links among them, with what a `user` marked."""
    return engine.graph.around(image_id, limit, user=user)


@router.get(
    "/{image_id}/together", responses=_ERRORS, summary="What was marked together with a picture"
)
def together(image_id: Named, engine: Served, user: Whose) -> Together:
    """In how many searches of a `user`, on how many days, and with which pictures."""
    return engine.graph.together(image_id, user=user)


@router.get("/{image_id}/words", responses=_ERRORS, summary="What a picture shows, in words")
def words(image_id: Named, engine: Served) -> list[PictureWord]:
    """Kinds of things with their probabilities, and what several of them are, likeliest first."""
    return list(engine.words_of(image_id))


@router.get(
    "/{image_id}/thumb",
    response_class=Response,
    responses=_binary("A small WebP; a JPEG in older stores.", "image/webp", "image/jpeg"),
    summary="A small version",
)
def thumb(image_id: Named, engine: Served, seen: Seen = None) -> Response:
    """The picture with its longer side at most 480 pixels."""
    try:
        headers = _lasting(f"{engine.image(image_id).image_id}-thumb")
    except NoSuchImage:  # or one that somebody brought, until they are forgotten
        small, passing = engine.uploads.thumbnail(image_id), {"Cache-Control": "private, no-store"}
        return Response(small, media_type=_shown_as(small) or "image/jpeg", headers=passing)
    if _matches(seen, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    data = engine.library.thumbnail(image_id)
    return Response(data, media_type=_shown_as(data) or "image/jpeg", headers=headers)


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
    data = engine.library.original(image_id)
    kind = _shown_as(data)
    if kind is not None:
        return Response(data, media_type=kind, headers=headers)
    return Response(_jpeg(data), media_type="image/jpeg", headers=headers)


def _shown_as(data: bytes) -> str | None:
    """What browsers show a file as; None where they do not."""
    return next((k for start, k in _SHOWN_BY_BROWSERS.items() if data.startswith(start)), None)


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

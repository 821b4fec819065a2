"""Attributes: named directions that people teach, and the collection in their order."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from saccade.service.access import Served, Whose
from saccade.service.problems import documented
from saccade.service.schemas import (
    AttributeHit,
    AttributeInfo,
    AttributeQuestion,
    AttributeRequest,
    Classified,
    ClassifyRequest,
    ComparisonRequest,
    ImageId,
    LabelRequest,
    Limit,
    Listing,
    Offset,
)

router = APIRouter(prefix="/api/v1/attributes", tags=["attributes"])

Called = Annotated[str, Path(max_length=100, description="The attribute's name.")]

_READ = documented(404, 409, 422, 503)
_WRITE = documented(400, 403, 404, 409, 413, 422, 503)


@router.get("", responses=documented(422, 503), summary="Every attribute")
def attributes(
    engine: Served,
    user: Whose,
    put_away: Annotated[bool, Query(description="Those that the person put away instead.")] = False,
    offset: Offset = 0,
    limit: Limit = 50,
) -> Listing[AttributeInfo]:
    """By name, and how far each is taught for a person; how sure it is only one by one."""
    every = engine.attributes.list(user=user, put_away=put_away)
    return Listing[AttributeInfo].cut(every, offset, limit)


@router.post("", responses=_WRITE, summary="Create an attribute")
def create(wanted: AttributeRequest, engine: Served) -> AttributeInfo:
    """A new name to teach; everybody may."""
    return engine.attributes.create(wanted.name, wanted.descriptors)


@router.post("/classify", responses=_WRITE, summary="Tell described categories")
def classify(wanted: ClassifyRequest, engine: Served, limit: Limit = 200) -> Listing[Classified]:
    """Pictures by category, those described among them; the most likely ones come first."""
    classified = engine.attributes.classify(
        wanted.described, seen=wanted.seen, images=wanted.images, user=wanted.user
    )
    ordered = sorted(classified, key=lambda one: -one.share)
    return Listing[Classified].cut(ordered, 0, limit)


@router.get("/{name}", responses=_READ, summary="One attribute")
def attribute(name: Called, engine: Served, user: Whose) -> AttributeInfo:
    """How far it is taught for a person, and how sure it is of its order."""
    return engine.attributes.show(name, user=user)


@router.delete("/{name}", responses=_WRITE, summary="Put an attribute away")
def delete(name: Called, engine: Served, user: Whose) -> Listing[AttributeInfo]:
    """For this person alone; nothing taught is lost. The answer lists those that are left."""
    engine.attributes.delete(name, user=user)
    return Listing[AttributeInfo].cut(engine.attributes.list(user=user), 0, 50)


@router.post("/{name}/restore", responses=_WRITE, summary="Bring an attribute back")
def restore(name: Called, engine: Served, user: Whose) -> AttributeInfo:
    """One that this person has put away, with all that was taught."""
    return engine.attributes.restore(name, user=user)


@router.post("/{name}/labels", responses=_WRITE, summary="A picture has it, or has it not")
def label(name: Called, wanted: LabelRequest, engine: Served) -> AttributeInfo:
    """Learn from one picture; said again, the newer word counts."""
    return engine.attributes.label(name, wanted.image_id, wanted.grade, user=wanted.user)


@router.post("/{name}/comparisons", responses=_WRITE, summary="More, or alike")
def compare(name: Called, wanted: ComparisonRequest, engine: Served) -> AttributeInfo:
    """Learn from two pictures: the first has more of it, or both have about as much."""
    return engine.attributes.answer(
        name, wanted.more, wanted.less, alike=wanted.alike, user=wanted.user
    )


@router.post("/{name}/undo", responses=_WRITE, summary="Take back the last answer")
def undo(name: Called, engine: Served, user: Whose) -> AttributeInfo:
    """What the person said last about this attribute is as if it had not been said."""
    return engine.attributes.undo(name, user=user)


@router.get("/{name}/order", responses=_READ, summary="The collection in its order")
def order(
    name: Called,
    engine: Served,
    user: Whose,
    k: Annotated[int, Query(description="How many pictures.")] = 50,
    end: Annotated[
        Literal["most", "least", "both"],
        Query(description="Which end comes first; `both`: evenly from least to most."),
    ] = "most",
    offset: Offset = 0,
) -> list[AttributeHit]:
    """The pictures with most of it, or least, or some of all with those spoken of among them."""
    return list(engine.attributes.order(name, user=user, k=k, end=end, offset=offset))


@router.get("/{name}/question", responses=_READ, summary="What to ask next")
def question(
    name: Called,
    engine: Served,
    user: Whose,
    seed: Annotated[
        int, Query(ge=0, le=2**31, description="Another number draws other pictures.")
    ] = 0,
    without: Annotated[
        list[ImageId], Query(max_length=100, description="Pictures that were skipped.")
    ] = [],  # noqa: B006
) -> AttributeQuestion:
    """The pair whose comparison would teach most."""
    return engine.attributes.ask(name, user=user, seed=seed, without=without)

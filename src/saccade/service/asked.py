"""Requests of the engine as they come over HTTP: models read off the engine's own records.

Fields, help and examples are those of `saccade.engine`, which also checks their bounds; a picture
is named by its id here, never by a path. In a form lists repeat their field, and what is an object
in JSON is JSON text, or the short text that the command line takes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

from fastapi.exceptions import RequestValidationError
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    create_model,
)

from saccade.engine import (
    CLAUSES,
    GUEST,
    After,
    Before,
    Box,
    Clause,
    HasField,
    Less,
    More,
    PictureLike,
    Region,
    SearchRequest,
    Shape,
    ShowRequest,
    Spot,
    described,
    part_of,
)
from saccade.errors import InvalidInput
from saccade.service.askers import acting_as
from saccade.service.schemas import Closed, ImageId, PageId, UserName

Share = Annotated[float, Field(ge=0.0, le=1.0)]

_NAMES = {"query": "image_id"}
"""What a field is called here: a picture from outside is uploaded."""
_OLDER = {"expert": "ranker"}
"""Words that are still taken for others."""


def _json(value: Any) -> Any:
    """JSON text, as a form has it; anything else is as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise InvalidInput(f"{value[:80]!r} is not JSON") from None


def _part(value: Any) -> Any:
    """A part as a form may have it: `0.1,0.2,0.9,0.8`, `0.3,0.4`, `3`, or JSON text."""
    short = isinstance(value, str) and not value.lstrip().startswith("{")
    return part_of(value).as_json() if short else _json(value)


class RegionBody(Closed):
    """A region of a picture, by its number, in a store that keeps regions."""

    region: int = Field(ge=0, le=10_000)


class BoxBody(Closed):
    """A rectangle in a picture: top, left, bottom, right as shares of its height and width."""

    box: list[Share] = Field(min_length=4, max_length=4)


class SpotBody(Closed):
    """A place on a thing in a picture: top and left as shares of its height and width."""

    spot: list[Share] = Field(min_length=2, max_length=2)


def _no_default(schema: dict[str, Any]) -> None:
    """What is not given is not there, and none of its type."""
    schema.pop("default", None)


def _clauses() -> type[BaseModel]:
    """One mapping of what narrows a search: a field for each word."""
    text = Annotated[str, Field(min_length=1, max_length=1000)]
    of_attributes = dict[Annotated[str, Field(max_length=100)], ImageId | Share]
    day = Annotated[str, Field(pattern=r"^\d{4}(-\d\d(-\d\d)?)?$", examples=["2019-05-01"])]
    shape = Literal["wide", "tall", "square", "panorama"]
    value = float | bool | Annotated[str, Field(max_length=1000)]
    tests = dict[Literal["is", "below", "above", "holds"], value]
    of_fields = dict[Annotated[str, Field(max_length=100)], tests | value]
    kinds = {
        More: of_attributes,
        HasField: of_fields,
        Less: of_attributes,
        After: day,
        Before: day,
        Shape: shape,
    }
    fields: dict[str, Any] = {}
    for word, clause in CLAUSES.items():
        kind = kinds.get(clause, text)
        about = Field(default=None, description=clause.__doc__, json_schema_extra=_no_default)
        fields[word] = kind, about
    prefer = Field(default=False, description="Show what fits first, and not alone.")
    return create_model(
        "Where", __base__=Closed, __doc__="What narrows a search.", **fields, prefer=(bool, prefer)
    )


if TYPE_CHECKING:
    WhereBody: TypeAlias = BaseModel
    SearchBody: TypeAlias = BaseModel
    ShowBody: TypeAlias = BaseModel
else:
    WhereBody = _clauses()

_WHERE = Annotated[
    WhereBody | Annotated[list[WhereBody], Field(max_length=20)], BeforeValidator(_json)
]
_PART = Annotated[BoxBody | SpotBody | RegionBody, BeforeValidator(_part)]
_TRAVELS: dict[Any, Any] = {
    PictureLike | None: ImageId | None,
    tuple[PictureLike, ...]: list[ImageId],
    tuple[str, ...] | None: list[str] | None,
    tuple[Clause, ...]: _WHERE,
    tuple[Clause, ...] | None: _WHERE | None,
    Region | Box | Spot | None: _PART | None,
}
"""What a type of the engine's is over HTTP; any other travels as it is."""


def _body(record: type[SearchRequest | ShowRequest]) -> type[BaseModel]:
    """The JSON of a request of the engine."""
    special: dict[str, Any] = {"user": UserName, "page_id": PageId}
    fields: dict[str, Any] = {}
    for name, one in described(record).items():
        kind = special.get(name) or _TRAVELS.get(one.kind, one.kind)
        notes: dict[str, Any] = {"description": one.help} if name not in special else {}
        if one.sample is not None:
            notes["examples"] = [one.sample]
        if one.longest is not None and kind not in (UserName, _WHERE, _WHERE | None):
            notes["max_length"] = one.longest
        if name in _OLDER:
            notes["validation_alias"] = AliasChoices(name, _OLDER[name])
        if not one.required:
            notes["default"] = [] if one.default == () else one.default
        fields[_NAMES.get(name, name)] = (kind, Field(**notes))
    return create_model(record.__name__, __base__=Closed, __doc__=record.__doc__, **fields)


if not TYPE_CHECKING:
    SearchBody, ShowBody = _body(SearchRequest), _body(ShowRequest)


def search_of(body: SearchBody, picture: bytes | None = None) -> SearchRequest:
    """The engine's request; with the bytes of an uploaded picture, where there is one."""
    # Whoever asks is told by the server where they do not say it themselves.
    given = {"user": acting_as(GUEST), **body.model_dump(exclude_unset=True)}
    image = given.pop(_NAMES["query"], None)
    return SearchRequest(query=picture if image is None else image, **given)


def show_of(body: ShowBody) -> ShowRequest:
    """The engine's request."""
    return ShowRequest(**body.model_dump(exclude_unset=True))


_PARTS = "#/components/schemas/"


def named_schema(model: type[BaseModel]) -> dict[str, str]:
    """What OpenAPI says of a body that a route reads by itself: where it is described."""
    return {"$ref": f"{_PARTS}{model.__name__}"}


def named_schemas(*models: type[BaseModel]) -> dict[str, Any]:
    """The descriptions themselves, by name, and those of what is in them."""
    parts: dict[str, Any] = {}
    for model in models:
        whole = model.model_json_schema(ref_template=f"{_PARTS}{{model}}")
        parts |= whole.pop("$defs", {})
        parts[model.__name__] = whole
    return parts


def refused(error: ValidationError) -> RequestValidationError:
    """What a model refuses, as the framework tells it."""
    return RequestValidationError(
        [{**one, "loc": ("body", *one["loc"])} for one in error.errors(include_url=False)]
    )


def form_schema() -> dict[str, Any]:
    """What OpenAPI says of a search as a form: the same fields, and the picture."""
    picture = {"type": "string", "format": "binary", "description": "JPEG, PNG, WebP, …"}
    properties: dict[str, Any] = {"image": picture}
    for name, one in described(SearchRequest).items():
        if name in _NAMES:
            continue
        kind = {int: "integer", float: "number"}.get(one.plain, "string")  # type: ignore[call-overload]
        properties[name] = {"description": one.help, "type": kind}
        if name in LISTS:
            properties[name] |= {"type": "array", "items": {"type": "string"}}
    return {
        "type": "object",
        "required": ["image"],
        "description": "An uploaded picture and the same fields as in JSON; lists repeat theirs.",
        "properties": properties,
    }


LISTS = frozenset(
    name
    for name, one in described(SearchRequest).items()
    if one.repeated and Clause not in get_args(one.plain)
)
"""Fields that a form repeats."""

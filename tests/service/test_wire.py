from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Annotated, Any

import httpx
import numpy as np
import pytest
from fastapi import FastAPI
from numpy.typing import NDArray
from pydantic import TypeAdapter

from saccade import types
from saccade.service import schemas
from saccade.service.schemas import Listing
from saccade.service.wire import Wire, descriptions, encoded, sent


@dataclass(frozen=True, slots=True)
class Part:
    """A piece."""

    weight: float
    inside: NDArray[np.float32] = field(compare=False)

    @property
    def double(self) -> float:
        """Twice the weight."""
        return 2 * self.weight


@dataclass(frozen=True, slots=True)
class Thing:
    """What is sent."""

    name: str
    """What people call it."""
    tags: frozenset[str]
    parts: tuple[Part, ...] = ()
    note: str | None = None

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)


SentPart = Annotated[Part, Wire(name="Piece", hide=("inside",), also=("double",))]
SentThing = Annotated[Thing, Wire(parts=list[SentPart])]


@pytest.fixture(scope="module")
def get() -> Callable[[str], dict[str, Any]]:
    app = FastAPI()

    @app.get("/thing")
    def thing(parts: int) -> SentThing:
        pieces = tuple(Part(float(i), np.zeros(2, np.float32)) for i in range(parts))
        return Thing("one", frozenset("cab"), pieces)

    @app.get("/things")
    def things() -> Listing[SentThing]:
        return Listing[SentThing].cut([Thing(str(i), frozenset()) for i in range(5)], 3, 9)

    async def ask(path: str) -> dict[str, Any]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return (await client.get(path)).json()

    return lambda path: asyncio.run(ask(path))


def test_a_route_returns_the_record_and_its_fields_travel(get):
    """Nested records too; what is hidden stays, properties come along, sets are in order."""
    assert get("/thing?parts=2") == {
        "name": "one",
        "tags": ["a", "b", "c"],
        "parts": [{"weight": 0.0, "double": 0.0}, {"weight": 1.0, "double": 2.0}],
        "note": None,
    }


def test_a_record_that_is_empty_is_not_mistaken_for_nothing(get):
    """A record may have a length and be iterated; it travels by its fields all the same."""
    assert get("/thing?parts=0")["name"] == "one"


def test_a_list_is_cut_and_says_where_it_ends(get):
    """Records in a listing are sent by their own schema."""
    listing = get("/things")
    assert [item["name"] for item in listing["items"]] == ["3", "4"]
    assert (listing["total"], listing["next"]) == (5, None)


def test_openapi_says_what_the_record_says(get):
    """Names, docstrings, the text below a field; every field is always there."""
    found = get("/openapi.json")["components"]["schemas"]
    assert {"Thing", "Piece", "Listing_Thing_"} <= set(found)
    assert found["Thing"]["description"] == "What is sent."
    assert found["Thing"]["required"] == ["name", "tags", "parts", "note"]
    assert found["Thing"]["properties"]["name"]["description"] == "What people call it."
    assert found["Piece"]["properties"]["double"]["description"] == "Twice the weight."
    assert list(found["Piece"]["properties"]) == ["weight", "double"]


def test_a_field_that_the_record_lost_is_noticed_at_once():
    """An option that names no field is a mistake of ours, found when the server starts."""
    for options in ({"hide": ("gone",)}, {"gone": int}):
        with pytest.raises(TypeError, match="Thing has no field 'gone'"):
            Wire(**options).model(Thing)
    with pytest.raises(TypeError, match="no dataclass"):
        Wire().model(int)


def test_a_type_that_is_no_record_is_itself():
    """`Listing[str]` needs nothing special."""
    assert sent(str) is str
    assert sent(SentThing).__name__ == "Thing"


def test_text_below_a_field_is_read_from_the_source():
    """Only what stands directly below a field, not a docstring of the class or of a method."""
    assert descriptions(Thing) == {"name": "What people call it."}


@pytest.mark.parametrize(
    ("alias", "inside"),
    [
        (schemas.Hit, {"names", "parts"}),
        (schemas.Page, {"schemes"}),
        (schemas.Image, {"row"}),
        (schemas.Profile, {"history"}),
        (schemas.ProfileEvent, set()),
        (schemas.SchemeInfo, set()),
        (schemas.Skipped, set()),
        (schemas.Undone, set()),
    ],
)
def test_every_field_of_an_answer_comes_from_its_record(alias, inside):
    """Fields are spelt in types.py alone; what stays inside is listed here a second time."""
    model = sent(alias)
    named = {item.name for item in fields(alias.__origin__)}
    assert named - set(model.model_fields) == inside
    assert all(model.model_fields[name].is_required() for name in model.model_fields)


def test_weights_travel_by_name():
    """A pair of numbers becomes the shared and the own part."""
    report = types.GuardReport(0, 0.0, 0.0, 0.0, 0.0, False, True)
    profile = types.Profile("ana", 1, 2, 3, 1.5, 1.0, {"lbp:l1": (0.25, -0.5)}, report)
    adapter = TypeAdapter(schemas.Profile)
    travelled = adapter.dump_json(adapter.validate_python(profile))
    assert json.loads(travelled)["weights"] == {"lbp:l1": {"shared": 0.25, "own": -0.5}}


# -- straight from the record ----------------------------------------------------------------------


def test_what_is_encoded_is_what_the_framework_would_send():
    """Byte for byte, nested records, properties, sets and numbers that are none included."""
    pieces = (Part(0.1, np.zeros(2, np.float32)), Part(float("nan"), np.zeros(2, np.float32)))
    thing = Thing("süß", frozenset("cab"), pieces, note=None)
    adapter = TypeAdapter(SentThing)
    assert encoded(SentThing, thing) == adapter.dump_json(
        adapter.validate_python(thing, from_attributes=True)
    )


def test_a_record_within_something_else_than_a_list_is_refused():
    """It would travel whole, with what is to stay inside."""

    @dataclass(frozen=True)
    class Box:
        held: dict[str, Part]

    with pytest.raises(TypeError, match="alone or in lists"):
        encoded(Annotated[Box, Wire(held=dict[str, SentPart])], Box({}))


def test_a_page_is_encoded_as_its_schema_says():
    """What most answers are, byte for byte what the model of the schema gives."""
    names, parts = ("lbp:l1", "gist:l2", "your mark"), np.array([0.25, 0.0, -1.5])
    hit = types.Hit("a" * 32, "p/ü.jpg", -1.25, 640, 480, names, parts, inliers=None)
    page = types.Page(
        "b" * 32, "c" * 32, "ana", 1, (hit, hit), names, "guarded", "7", 10, like=("d" * 32,),
        liked=frozenset({"f" * 32, "e" * 32}), seconds=0.1, where=({"more": {"natural": 0.5}},),
    )  # fmt: skip
    adapter = TypeAdapter(schemas.Page)
    assert encoded(schemas.Page, page) == adapter.dump_json(adapter.validate_python(page))
    assert json.loads(encoded(schemas.Page, page))["hits"][0]["why"] == {
        "lbp:l1": 0.25,
        "your mark": -1.5,
    }

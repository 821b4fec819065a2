"""One search as a record: what can be asked, and what Python, HTTP and commands make of it."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest

from saccade.cli.search import search as command
from saccade.engine import (
    CLAUSES,
    Box,
    Engine,
    Folder,
    Less,
    More,
    Name,
    Region,
    SearchRequest,
    ShowRequest,
    Spot,
    clauses_of,
    described,
    part_of,
    where_json,
)
from saccade.engine.capabilities import CAPABILITIES
from saccade.engine.loop.experts import EXPERTS
from saccade.engine.loop.where import WORDS
from saccade.errors import InvalidInput, UnknownName
from saccade.service.asked import SearchBody, ShowBody, form_schema, search_of

ID = "a" * 32
FIELDS = described(SearchRequest)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "nothing to search with"),
        ({"unlike": [ID]}, "nothing to search with"),
        ({"text": "  "}, "empty text"),
        ({"text": 12}, "cannot look for a int"),
        ({"query": ID, "k": 0}, "k is 0; a page has 1 to 10000 pictures"),
        ({"query": ID, "k": True}, "k is True"),
        ({"query": ID, "k": 2.0}, "k is 2.0"),
        ({"query": ID, "verify": 1001}, "verify is 1001"),
        ({"query": ID, "exploring": 1.5}, "exploring is 1.5"),
        ({"query": ID, "user": ""}, "user ''"),
        ({"query": ID, "schemes": "lbp:l1"}, "not one text"),
        ({"part": Region(0), "like": [ID]}, "a part belongs to one picture"),
        ({"query": ID, "part": Region(0), "schemes": []}, "a part belongs to one picture"),
        ({"query": ID, "part": Region(0), "text": "red"}, "a part belongs to one picture"),
        ({"query": ID, "configuration": "auto", "expert": "plain"}, "ranks by itself"),
        ({"query": ID, "configuration": "auto", "schemes": ["a:b"]}, "ranks by itself"),
    ],
)
def test_what_cannot_be_asked_is_refused_when_it_is_said(
    fields: dict[str, object], words: str
) -> None:
    """Before any collection is looked at, by one sentence."""
    with pytest.raises(InvalidInput, match=words):
        SearchRequest(**fields)  # type: ignore[arg-type]


def test_words_and_pictures_can_be_asked_together() -> None:
    """The record has room for both; whether they can be answered is the collection's matter."""
    request = SearchRequest(query=ID, text="a red boat", like=[ID], unlike=ID)  # type: ignore[arg-type]
    assert request.pictures == (ID, ID)
    assert request.unlike == (ID,)
    assert request.words() == {"text"}


def test_one_picture_alone_needs_no_list() -> None:
    """A path, bytes or pixels."""
    pixels = np.zeros((4, 4, 3), np.uint8)
    request = SearchRequest(like=pixels, unlike=b"abc")  # type: ignore[arg-type]
    assert len(request.like) == len(request.unlike) == 1
    assert request.like[0] is pixels


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"folder": "coast"}, (Folder("coast"),)),
        (Folder("coast"), (Folder("coast"),)),
        ([Folder("coast"), {"name": "*.png"}], (Folder("coast"), Name("*.png"))),
        (
            {"more": {"natural": ID, "open": 0.5}, "less": {"open": 0.9}, "prefer": True},
            (
                More("natural", ID, prefer=True),
                More("open", 0.5, prefer=True),
                Less("open", 0.9, prefer=True),
            ),
        ),
        ({"more": "natural=0.7"}, (More("natural", 0.7),)),
        ((), ()),
    ],
)
def test_what_narrows_a_search_comes_as_a_mapping_or_as_records(
    given: object, meant: tuple[object, ...]
) -> None:
    """And goes as JSON that means the same."""
    assert clauses_of(given) == meant
    assert clauses_of(json.loads(json.dumps(where_json(clauses_of(given))))) == meant


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"foldr": "coast"}, UnknownName),
        ({"folder": 7}, InvalidInput),
        ({"folder": ""}, InvalidInput),
        ({"more": {"natural": 1.5}}, InvalidInput),
        ({"more": {"natural": True}}, InvalidInput),
        ({"more": {"natural": None}}, InvalidInput),
        ({"more": "natural"}, InvalidInput),
        ({"more": 7}, InvalidInput),
        ({"folder": "coast", "prefer": "yes"}, InvalidInput),
        ("coast", InvalidInput),
        (7, InvalidInput),
    ],
)
def test_what_cannot_narrow_a_search_is_refused(given: object, error: type[Exception]) -> None:
    """By name."""
    with pytest.raises(error):
        clauses_of(given)


@pytest.mark.parametrize("part", [Region(3), Box(0.1, 0.2, 0.9, 0.8), Spot(0.3, 0.6)])
def test_a_part_prints_as_it_parses(part: Region | Box | Spot) -> None:
    """As text and as JSON."""
    assert part_of(str(part)) == part_of(part.as_json()) == part_of(part) == part


@pytest.mark.parametrize(
    "wrong",
    [-1, True, "x", "1,2,3", "1,2", (0, 0, 0, 0), (0.5, 0, 0.2, 1), (0, 0, 2, 1), {"circle": 3}],
)
def test_what_is_no_part_is_refused(wrong: object) -> None:
    """A number, a spot inside, or four edges in order."""
    with pytest.raises(InvalidInput, match=r"part|region|rectangle|spot"):
        part_of(wrong)


def test_every_field_says_what_it_is_for() -> None:
    """Surfaces have no other place to take it from."""
    for record in (SearchRequest, ShowRequest):
        for name, one in described(record).items():
            assert one.help.endswith("."), name


def test_python_takes_what_the_request_has() -> None:
    """`Engine.search` has each field as a keyword with the same default, and one older word."""
    taken = inspect.signature(Engine.search).parameters
    assert taken.keys() - {"self"} == FIELDS.keys() | {"ranker"}
    for name, one in FIELDS.items():
        assert taken[name].default == one.default, name
    assert inspect.getdoc(Engine.search) is not None
    for name in FIELDS:
        assert f"\n    {name}: " in str(inspect.getdoc(Engine.search)), name
    many = inspect.signature(Engine.search_many).parameters
    assert many.keys() - {"self", "queries"} < FIELDS.keys()
    assert (
        inspect.signature(Engine.show).parameters.keys() - {"self", "page"} | {"page_id"}
        == described(ShowRequest).keys()
    )


def test_http_takes_what_the_request_has() -> None:
    """As JSON and as a form; a picture is named by its id, or uploaded."""
    sent = {"query": "image_id"}
    wanted = {sent.get(name, name) for name in FIELDS}
    assert SearchBody.model_fields.keys() == wanted
    assert ShowBody.model_fields.keys() == described(ShowRequest).keys()
    assert form_schema()["properties"].keys() == wanted - {"image_id"} | {"image"}
    for name in FIELDS.keys() - {"user"}:
        sent_as = SearchBody.model_fields[sent.get(name, name)]
        assert sent_as.description == FIELDS[name].help
    body = SearchBody.model_validate({"image_id": ID, "where": {"folder": "coast"}, "k": 3})
    assert search_of(body) == SearchRequest(query=ID, where=(Folder("coast"),), k=3)
    older = SearchBody.model_validate({"image_id": ID, "ranker": "plain"})
    assert search_of(older).expert == "plain"


def test_the_command_takes_what_the_request_has() -> None:
    """Every field but the pictures is an option, and so is every word that narrows."""
    taken = inspect.signature(command).parameters
    assert FIELDS.keys() - {"like", "where"} < taken.keys()
    assert CLAUSES.keys() < taken.keys()
    for name in FIELDS.keys() - {"query", "like", "where", "user"}:
        assert taken[name].default.help == FIELDS[name].help.replace("`", ""), name


def test_every_word_is_answered_to_once() -> None:
    """By the loop or by one capability; and the help of `expert` names every one of them."""
    answering = [*WORDS, *(word for one in CAPABILITIES for word in one.words)]
    assert len(set(answering)) == len(answering)
    assert CLAUSES.keys() <= set(answering)
    for name in EXPERTS:
        assert f"`{name}`" in FIELDS["expert"].help

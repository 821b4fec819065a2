"""A capability is a folder and a row: without its row, everything else goes on."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

import saccade
from saccade.engine import More, Region, SearchRequest, Tag
from saccade.engine.capabilities import CAPABILITIES
from saccade.engine.learning.fold import FOLDS, Models
from saccade.engine.loop.capability import Capability, tables
from saccade.engine.loop.loop import Loop
from saccade.engine.opened import OpenStore
from saccade.engine.rooms.people import People
from saccade.errors import InvalidInput

ENGINE = Path(saccade.__file__).parent / "engine"
FILES = {"surface", "records", "fold", "scoring", "asking", "capability", "__init__"}
ASKS: dict[str, dict[str, object]] = {
    "attributes": {"where": (More("natural", 0.5),)},
    "candidates": {},  # no search names it: it ranks what others found
    "concepts": {"part": Region(0)},
    "configurations": {"configuration": "auto"},
    "tags": {"where": (Tag("round"),)},
    "text": {"text": "elephants"},
}


def opened(store: Path, capabilities: tuple[type[Capability], ...]) -> Loop:
    return Loop(OpenStore(store, tables(capabilities)), capabilities)


@pytest.mark.parametrize("gone", CAPABILITIES, ids=lambda one: one.name)
def test_without_a_capability_the_rest_searches_and_learns(
    gone: type[Capability], indexed: Path, tmp_path: Path
) -> None:
    """Models, log and pages are those of the others."""
    left = tuple(one for one in CAPABILITIES if one is not gone)
    store = Path(shutil.copytree(indexed, tmp_path / "copy.saccade"))
    loop = opened(store, left)
    image = loop.opened.collection().listing.ids[0]
    page = loop.search(SearchRequest(query=image, user="ana", k=10))
    page = loop.react(page, [page.hits[1].image_id], [page.hits[3].image_id], [], None)
    assert page.liked
    digest = loop.opened.learning.catch_up().digest()
    assert loop.opened.learning.replay() == digest
    assert People(loop).import_("bob", People(loop).export("ana")) == 1
    People(loop).forget("ana")
    assert People(loop).list() == ("bob",)
    loop.opened.close()


@pytest.mark.parametrize("name", [name for name, asks in ASKS.items() if asks])
def test_a_search_that_names_a_capability_which_is_gone_is_refused(
    name: str, indexed: Path, tmp_path: Path
) -> None:
    """In a sentence, and not as if the word had not been said."""
    store = Path(shutil.copytree(indexed, tmp_path / "copy.saccade"))
    loop = opened(store, tuple(one for one in CAPABILITIES if one.name != name))
    image = loop.opened.collection().listing.ids[0]
    with pytest.raises(InvalidInput, match=r"nothing here answers to|by words or by pictures"):
        loop.search(SearchRequest(query=image, **ASKS[name]))
    loop.opened.close()


def test_the_table_may_be_empty(indexed: Path, tmp_path: Path) -> None:
    """The loop and the learning need no capability at all."""
    store = Path(shutil.copytree(indexed, tmp_path / "copy.saccade"))
    loop = opened(store, ())
    models = Models(loop.opened.recipe, tables(()).folds)
    assert tables(()).folds == FOLDS
    image = loop.opened.collection().listing.ids[0]
    assert len(loop.search(SearchRequest(query=image, k=5))) == 5
    assert models.digest() == loop.opened.learning.catch_up().digest()
    loop.opened.close()


def test_an_event_of_a_capability_that_is_gone_is_passed_over(
    indexed: Path, tmp_path: Path
) -> None:
    """A log that another engine wrote can be read; what is not understood stays in it."""
    store = Path(shutil.copytree(indexed, tmp_path / "copy.saccade"))
    with saccade.Engine(store, warm=False) as engine:
        engine.attributes.create("natural")
        images = [record.image_id for record in engine.images(0, 2)]
        engine.attributes.compare("natural", *images, user="ana")
        digest, counts = engine.digest, engine.library.report().events
    left = tuple(one for one in CAPABILITIES if one.name != "attributes")
    loop = opened(store, left)
    assert len(loop.search(SearchRequest(query=images[0], k=5))) == 5
    loop.opened.close()
    with saccade.Engine(store, warm=False) as engine:
        assert engine.replay() == digest
        events = engine.library.report().events
        assert {**events, "shown": 0} == {**counts, "shown": 0}


def test_every_row_says_who_it_is() -> None:
    """One name, one folder, one class each; words and kinds of event belong to one alone."""
    names = [one.name for one in CAPABILITIES]
    words = [word for one in CAPABILITIES for word in one.words]
    kinds = [record.kind for one in CAPABILITIES for record in one.records]
    folds = [name for one in CAPABILITIES for name in one.folds]
    for several in (names, words, kinds, folds):
        assert len(set(several)) == len(several)
    assert set(names) == set(ASKS)
    for one in CAPABILITIES:
        assert one.__module__ == f"saccade.engine.{one.name}.capability"


@pytest.mark.parametrize("one", CAPABILITIES, ids=lambda one: one.name)
def test_capabilities_have_the_same_few_files(one: type[Capability]) -> None:
    """Someone who knows one knows them all: each has its row and its room, and says what it is."""
    there = {file.stem for file in (ENGINE / one.name).glob("*.py")}
    assert {"__init__", "capability", "surface", "records", "fold"} <= there
    assert len(there & FILES) > len(there - FILES)
    said = ast.get_docstring(ast.parse((ENGINE / one.name / "__init__.py").read_text()))
    assert said is not None
    assert len(said.splitlines()) <= 6
